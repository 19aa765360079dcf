// What the kernel tells about this process and its threads.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace weft::test {

inline std::set<std::string> thread_ids() {
    // The thread sanitizer starts a thread of its own with the first of ours; it is to be there before
    // anybody counts.
    [[maybe_unused]] static const bool begun = [] {
        std::thread{[] {}}.join();
        return true;
    }();
    std::set<std::string> ids;
    for (const auto& each : std::filesystem::directory_iterator{"/proc/self/task"}) {
        ids.insert(each.path().filename().string());
    }
    return ids;
}

/// The first line of a file about a thread.
inline std::string thread_file(const std::string& id, const std::string& name) {
    std::ifstream file{"/proc/self/task/" + id + "/" + name};
    std::string line;
    std::getline(file, line);
    return line;
}

/// How often these threads have given up their CPU of their own accord.
inline std::uint64_t context_switches(const std::vector<std::string>& ids) {
    const std::string wanted = "voluntary_ctxt_switches:";
    std::uint64_t sum = 0;
    for (const std::string& id : ids) {
        std::ifstream file{"/proc/self/task/" + id + "/status"};
        for (std::string line; std::getline(file, line);) {
            if (line.starts_with(wanted)) sum += std::stoull(line.substr(wanted.size()));
        }
    }
    return sum;
}

/// Bytes of memory that this process has at the moment.
inline std::int64_t resident_memory() {
    std::ifstream file{"/proc/self/statm"};
    std::int64_t whole = 0;
    std::int64_t resident = 0;
    file >> whole >> resident;
    return resident * ::sysconf(_SC_PAGESIZE);
}

} // namespace weft::test
