// A burst of work, then none: measures the CPU time used while there is nothing to do.
#pragma once

#include "acts/act.hpp"
#include "acts/timing.hpp"

#include <chrono>
#include <thread>

namespace weft::demo::idle {

inline constexpr int burst = 1'000;

inline void work() { compute_for(10'000); }

/// Call it when the last task of the burst has ended.
inline outcome measure_idleness(const settings& settings) {
    const auto duration = std::chrono::milliseconds{settings.choose(1'000, 300)};
    const double before = cpu_seconds();
    const stopwatch watch;
    std::this_thread::sleep_for(duration);
    const double used = cpu_seconds() - before;
    return {
        {{"cpu_percent", 100 * used / watch.seconds(), "%"}, {"cpu_ms", used * 1e3, "ms"}}, {}, {}};
}

} // namespace weft::demo::idle
