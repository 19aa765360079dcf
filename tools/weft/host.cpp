#include "host.hpp"

#include <linux/io_uring.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace weft::cli {
namespace {

constexpr std::string_view compiler =
#ifdef __clang__
    "clang " __clang_version__;
#else
    "g++ " __VERSION__;
#endif

constexpr std::string_view build =
#if defined(WEFT_SANITIZED_BY)
    WEFT_SANITIZED_BY " sanitizer";
#elif defined(WEFT_CHECKED)
    "checked";
#elif defined(NDEBUG)
        "release";
#else
        "plain";
#endif

utsname system_names() {
    utsname names{};
    ::uname(&names);
    return names;
}

/// The first word of a file, or nothing.
std::string first_word(const std::filesystem::path& path) {
    std::ifstream file{path};
    std::string word;
    file >> word;
    return word;
}

/// Whether it is `prefix` and a number, as cpu0 is.
bool is_numbered(const std::string& name, std::string_view prefix) {
    return name.size() > prefix.size() && name.starts_with(prefix) &&
           std::ranges::all_of(name.substr(prefix.size()),
                               [](char each) { return each >= '0' && each <= '9'; });
}

template <class Use>
void for_each_numbered(const char* folder, std::string_view prefix, Use use) {
    std::error_code none;
    for (const auto& each : std::filesystem::directory_iterator{folder, none}) {
        if (is_numbered(each.path().filename(), prefix)) use(each.path());
    }
}

} // namespace

std::string compiler_text() { return std::string{compiler} + ", " + std::string{build} + " build"; }

std::string processor_text() {
    std::ifstream file{"/proc/cpuinfo"};
    for (std::string line; std::getline(file, line);) {
        const auto colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) {
            return line.substr(colon + 2);
        }
    }
    return static_cast<const char*>(system_names().machine);
}

std::string system_text() {
    const utsname names = system_names();
    return std::string{static_cast<const char*>(names.sysname)} + " " +
           static_cast<const char*>(names.release);
}

cpu_topology read_topology() {
    cpu_topology found;
    std::set<std::string> packages;
    std::set<std::pair<std::string, std::string>> cores;
    for_each_numbered("/sys/devices/system/cpu", "cpu", [&](const std::filesystem::path& cpu) {
        const std::string package = first_word(cpu / "topology/physical_package_id");
        const std::string core = first_word(cpu / "topology/core_id");
        if (package.empty() || core.empty()) return; // it is offline
        packages.insert(package);
        cores.emplace(package, core);
        ++found.cpus;
    });
    for_each_numbered("/sys/devices/system/node", "node",
                      [&](const std::filesystem::path& /*node*/) { ++found.nodes; });
    found.packages = packages.size();
    found.cores = cores.size();
    return found;
}

std::optional<std::string> io_uring_refusal() {
    io_uring_params parameters{};
    const long made = ::syscall(SYS_io_uring_setup, 1, &parameters);
    if (made >= 0) {
        ::close(static_cast<int>(made));
        return {};
    }
    const std::string reason = std::generic_category().message(errno);
    const std::string disabled = first_word("/proc/sys/kernel/io_uring_disabled");
    return disabled.empty() || disabled == "0" ? reason
                                               : reason + " (kernel.io_uring_disabled is set)";
}

bool has_membarrier() {
    const long known = ::syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
    return known > 0 && (known & MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0;
}

bool has_program(const std::string& name) {
    const char* path = std::getenv("PATH"); // NOLINT(concurrency-mt-unsafe): there is one thread
    std::istringstream folders{path == nullptr ? "" : path};
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (::access((std::filesystem::path{folder} / name).c_str(), X_OK) == 0) return true;
    }
    return false;
}

} // namespace weft::cli
