// The sides of a pivot are sorted in parallel; the split itself is done by one thread.
#pragma once

#include "runner/sorting.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace bench::quicksort {

inline bool is_small(values some) { return some.size() <= sorting_grain; }

struct sides {
    values left;
    values right;
};

/// The median of three is the pivot; what equals it is in order already.
[[gnu::noinline]] inline sides split(values some) {
    const std::uint32_t first = some.front();
    const std::uint32_t middle = some[some.size() / 2];
    const std::uint32_t last = some.back();
    const std::uint32_t pivot =
        std::max(std::min(first, middle), std::min(std::max(first, middle), last));
    const auto less =
        std::partition(some.begin(), some.end(), [=](std::uint32_t each) { return each < pivot; });
    const auto equal =
        std::partition(less, some.end(), [=](std::uint32_t each) { return each == pivot; });
    return {{some.begin(), less}, {equal, some.end()}};
}

template <class Stage, class Sort>
std::vector<contestant> contestants(const request& request, Sort sort) {
    const sorting_problem usual{1'000'000, 0};
    const sorting_problem large{10'000'000, 0};
    return on_stage<Stage>(
        request, request.choose<std::vector<sorting_problem>>({usual}, {usual, large}),
        [sort](const Stage& stage, const sorting_problem& /*some*/, sorting_state& state) {
            sort(stage, values{state.data});
            return 0;
        });
}

} // namespace bench::quicksort
