// Time, and work that takes a given time.
#pragma once

#include "shell/stopwatch.hpp"

#include <chrono>
#include <cstdint>

namespace weft::demo {

using cli::cpu_seconds;
using cli::stopwatch;

inline std::int64_t now_in_nanoseconds() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// Computes for about this time, the same work for every caller.
inline void compute_for(std::int64_t nanoseconds) {
    // A turn is a multiplication and an addition that depend on each other: about 1.2 ns on today's
    // machines.
    std::uint64_t value = static_cast<std::uint64_t>(nanoseconds);
    for (std::int64_t turn = nanoseconds; turn > 0; --turn) {
        value = value * 6364136223846793005ULL + 1442695040888963407ULL;
        asm volatile("" : "+r"(value)); // keeps the loop from being optimised away
    }
}

} // namespace weft::demo
