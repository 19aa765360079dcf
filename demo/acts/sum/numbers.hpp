// The sum of many numbers, by halves, as in Figure 1 of a course on thread pools: a hundred million
// ones.
#pragma once

#include "acts/act.hpp"
#include "acts/timing.hpp"

#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace weft::demo::sum {

using numbers = std::span<const int>;

inline constexpr std::size_t grain = 1'000;

inline int sum_serially(numbers some) { return std::accumulate(some.begin(), some.end(), 0); }

/// `solve(numbers)`, timed and checked.
template <class Solve>
outcome measure(const settings& settings, Solve solve) {
    const std::size_t count = settings.choose<std::size_t>(100'000'000, 5'000'000);
    const std::vector<int> ones(count, 1);
    const stopwatch watch;
    const int found = solve(numbers{ones});
    const double seconds = watch.seconds();
    return {{{"seconds", seconds, "s"}, {"numbers", static_cast<double>(count), ""}},
            {{"the sum is right", found == static_cast<int>(count)}},
            {}};
}

} // namespace weft::demo::sum
