// What the kernel reports about this process and its threads.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace weft::test {

/// The first line of a file about a thread.
inline std::string thread_file(const std::string& id, const std::string& name) {
    std::ifstream file{"/proc/self/task/" + id + "/" + name};
    std::string line;
    std::getline(file, line);
    return line;
}

/// A thread that was joined is in the kernel's list for a moment longer, and a long one if the
/// machine is busy.
inline bool has_begun_to_end(const std::string& id) {
    constexpr unsigned long exiting = 4; // PF_EXITING, set before any thread can have joined it
    const std::string line = thread_file(id, "stat");
    std::istringstream rest{
        line.substr(line.rfind(')') + 1)}; // behind the name, which may hold anything
    std::string skipped;
    for (int field = 0; field < 6; ++field) rest >> skipped;
    unsigned long flags = exiting; // if it is gone
    rest >> flags;
    return (flags & exiting) != 0;
}

/// Of the threads that live.
inline std::set<std::string> thread_ids() {
    // The thread sanitizer starts a thread of its own with the first of ours; it must be there
    // before threads are counted.
    [[maybe_unused]] static const bool begun = [] {
        std::thread{[] {}}.join();
        return true;
    }();
    std::set<std::string> ids;
    for (const auto& each : std::filesystem::directory_iterator{"/proc/self/task"}) {
        const std::string id = each.path().filename().string();
        if (!has_begun_to_end(id)) ids.insert(id);
    }
    return ids;
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
