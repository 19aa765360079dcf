// Halves are sorted in parallel and merged by one thread; the merges at the top bound the gain.
#pragma once

#include "runner/sorting.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench::mergesort {

/// Numbers, and space for as many.
struct part {
    values data;
    values space;

    [[nodiscard]] bool is_small() const { return data.size() <= sorting_grain; }
    [[nodiscard]] std::size_t half() const { return data.size() / 2; }
    [[nodiscard]] part left() const { return {data.first(half()), space.first(half())}; }
    [[nodiscard]] part right() const { return {data.subspan(half()), space.subspan(half())}; }
};

/// After its halves were sorted.
[[gnu::noinline]] inline void merge(part sorted) {
    std::ranges::copy(sorted.data, sorted.space.begin());
    const values left = sorted.space.first(sorted.half());
    const values right = sorted.space.subspan(sorted.half());
    std::ranges::merge(left, right, sorted.data.begin());
}

inline std::int64_t forks(std::size_t count) {
    if (count <= sorting_grain) return 0;
    return 1 + forks(count / 2) + forks(count - count / 2);
}

template <class Stage, class Sort>
std::vector<contestant> contestants(const request& request, Sort sort) {
    const sorting_problem usual{1'000'000, forks(1'000'000)};
    const sorting_problem large{10'000'000, forks(10'000'000)};
    return on_stage<Stage>(
        request, request.choose<std::vector<sorting_problem>>({usual}, {usual, large}),
        [sort](const Stage& stage, const sorting_problem& /*some*/, sorting_state& state) {
            sort(stage, part{state.data, state.space});
            return 0;
        });
}

} // namespace bench::mergesort
