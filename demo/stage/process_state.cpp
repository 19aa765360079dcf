#include "stage/process_state.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

namespace weft::demo {
namespace {

/// The fields of a file such as /proc/1/stat from the third on; before it is a name, which may hold
/// anything.
std::vector<std::string> fields_of(const std::string& path) {
    std::ifstream file{path};
    std::string text{std::istreambuf_iterator<char>{file}, {}};
    const auto name_end = text.rfind(')');
    if (name_end == std::string::npos) return {};
    std::istringstream words{text.substr(name_end + 1)};
    return {std::istream_iterator<std::string>{words}, {}};
}

// Their indices: those of proc(5) less three.
constexpr std::size_t state = 0;
constexpr std::size_t user_ticks = 11;
constexpr std::size_t system_ticks = 12;
constexpr std::size_t thread_count = 17;

} // namespace

std::optional<process_state> process_state::read(pid_t process) {
    const auto fields = fields_of("/proc/" + std::to_string(process) + "/stat");
    if (fields.size() <= thread_count) return {};
    return process_state{std::stoul(fields[thread_count]),
                         std::stoull(fields[user_ticks]) + std::stoull(fields[system_ticks])};
}

bool all_threads_sleep(pid_t process) {
    std::error_code ended;
    const std::filesystem::directory_iterator all{"/proc/" + std::to_string(process) + "/task",
                                                  ended};
    if (ended) return false;
    for (const auto& each : all) {
        const auto fields = fields_of(each.path() / "stat");
        if (fields.empty() || fields[state] != "S") return false;
    }
    return true;
}

} // namespace weft::demo
