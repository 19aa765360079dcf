// The state of a running process, from /proc.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace weft::demo {

struct process_state {
    std::size_t threads = 0;
    std::uint64_t cpu_ticks = 0;

    /// None if the process has ended.
    [[nodiscard]] static std::optional<process_state> read(pid_t process);
    friend bool operator==(const process_state&, const process_state&) = default;
};

/// No thread runs or waits for a CPU or a disk: on a busy machine, waiting for a CPU is not sleep.
[[nodiscard]] bool all_threads_sleep(pid_t process);

} // namespace weft::demo
