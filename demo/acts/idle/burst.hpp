// A burst of work, and then nothing: the CPU time that is used up while nothing is to be done.
#pragma once

#include "acts/act.hpp"
#include "acts/stopwatch.hpp"

#include <chrono>
#include <thread>

namespace weft::demo::idle {

inline constexpr int burst = 1'000;

inline void work() { compute_for(10'000); }

/// From now on, when the last task of the burst has ended.
inline outcome measure_idleness(const settings& how) {
    const auto patience = std::chrono::milliseconds{how.choose(1'000, 300)};
    const double before = cpu_seconds();
    const stopwatch watch;
    std::this_thread::sleep_for(patience);
    const double used = cpu_seconds() - before;
    return {
        {{"cpu_percent", 100 * used / watch.seconds(), "%"}, {"cpu_ms", used * 1e3, "ms"}}, {}, {}};
}

} // namespace weft::demo::idle
