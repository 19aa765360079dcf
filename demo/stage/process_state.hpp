// What the system tells of a running process.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace weft::demo {

struct process_state {
    std::size_t threads = 0;
    std::uint64_t cpu_ticks = 0;

    /// None if it has ended.
    [[nodiscard]] static std::optional<process_state> of(pid_t which);
    friend bool operator==(const process_state&, const process_state&) = default;
};

/// None of them runs, waits for a CPU or for a disk. A machine that is busy with others does not look like sleep.
[[nodiscard]] bool all_threads_sleep(pid_t of);

} // namespace weft::demo
