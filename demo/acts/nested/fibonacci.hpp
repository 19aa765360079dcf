// A Fibonacci number in which every addition is a task that waits for two others: the shape of any
// straightforward parallel recursion.
#pragma once

#include "acts/act.hpp"
#include "acts/timing.hpp"

#include <cstdint>

namespace weft::demo::nested {

inline constexpr int number = 22;
inline constexpr std::int64_t expected = 17'711;

/// `solve()`, timed and checked.
template <class Solve>
outcome measure(Solve solve) {
    const stopwatch watch;
    const std::int64_t found = solve();
    return {{{"seconds", watch.seconds(), "s"}}, {{"the number is right", found == expected}}, {}};
}

} // namespace weft::demo::nested
