// weft bench: the benchmarks are a program of their own, with its own libraries; it is found and run.
#include "command.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

namespace weft::cli {
namespace {

/// Beside this program, or where a build has it.
std::filesystem::path find_program() {
    std::error_code unknown;
    const auto here = std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path();
    for (const char* each : {"weft_bench", "../../bench/weft_bench"}) {
        if (::access((here / each).c_str(), X_OK) == 0) return here / each;
    }
    throw std::runtime_error{"the benchmarks are a program of their own, weft_bench, which is not "
                             "here; the script ./weft "
                             "of the repository builds and runs it"};
}

int run(const arguments& how) {
    const std::string program = find_program();
    std::vector<std::string> words{program};
    words.insert(words.end(), how.plain().begin(), how.plain().end());
    for (const char* each : {"--threads", "--repeat", "--json"}) {
        if (const auto value = how.value(each)) words.insert(words.end(), {each, *value});
    }
    for (const char* each : {"--full", "--list"}) {
        if (how.has(each)) words.emplace_back(each);
    }
    std::vector<char*> raw;
    for (std::string& each : words) raw.push_back(each.data());
    raw.push_back(nullptr);
    ::execv(program.c_str(), raw.data());
    throw std::system_error{errno, std::generic_category(), program};
}

} // namespace

command bench_command() {
    return {"bench",
            "Measures weft beside other libraries: a WORKLOAD, some, or all",
            "[WORKLOAD...]",
            {{"--threads", "N,...", "numbers of threads; otherwise 1 and the usable CPUs"},
             {"--repeat", "N", "runs of each, of which the median is told"},
             {"--full", "", "every size, and as large for all libraries"},
             {"--list", "", "names the workloads"},
             json_option},
            run};
}

} // namespace weft::cli
