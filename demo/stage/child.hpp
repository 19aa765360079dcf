// A process of ours under a watchdog, so that one that stands still, or takes too much of anything, is a result and no
// trouble.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::demo {

enum class ending : std::uint8_t {
    completed,        // it ended with 0
    failed,           // with something else, or by a signal
    stalled,          // all its threads slept, for longer than it may
    too_long,         // it had no time left
    too_many_threads, // and more to come
};

[[nodiscard]] std::string_view name_of(ending how);

struct child_limits {
    double seconds = 20; // of which those do not count in which the machine stood still
    double asleep = 1;   // 0: it may sleep as long as it likes
    std::size_t threads = 20'000;
};

struct child_report {
    ending how = ending::completed;
    std::string why; // unless completed
    std::string output;
    double cpu_seconds = 0;
    std::size_t threads = 0; // the most that were seen at once
    std::size_t memory = 0;  // bytes, likewise
};

/// Runs a program, the first word, until it ends or goes beyond its limits. The child does not outlive the caller.
/// `meanwhile` is called many times a second. Throws std::system_error if there is no process to be had.
[[nodiscard]] child_report run_child(const std::vector<std::string>& words,
                                     const child_limits& limits,
                                     const std::function<void()>& meanwhile = {});

} // namespace weft::demo
