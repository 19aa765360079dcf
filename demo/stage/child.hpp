// A child process under a watchdog: one that hangs or uses too much is a result, not a failure of
// the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::demo {

enum class ending : std::uint8_t {
    completed,        // exit code 0
    failed,           // another exit code, or a signal
    stalled,          // all its threads slept for too long
    too_long,         // its time ran out
    too_many_threads, // it exceeded the limit
};

[[nodiscard]] std::string_view name_of(ending ending);

struct child_limits {
    double seconds = 20; // without those in which the machine was suspended
    double asleep = 1;   // 0: no limit
    std::size_t threads = 20'000;
};

struct child_report {
    demo::ending ending = demo::ending::completed;
    std::string reason; // unless completed
    std::string output;
    double cpu_seconds = 0;
    std::size_t threads = 0; // the largest number seen at once
    std::size_t memory = 0;  // bytes, likewise
};

/// Runs a program, the first word, until it ends or exceeds its limits. The child does not outlive
/// the caller. `meanwhile` is called many times a second. Throws std::system_error if no process
/// can be started.
[[nodiscard]] child_report run_child(const std::vector<std::string>& words,
                                     const child_limits& limits,
                                     const std::function<void()>& meanwhile = {});

} // namespace weft::demo
