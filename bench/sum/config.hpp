// The sum of an array of numbers, whose halves are summed in parallel down to a grain. All fork the
// right half and go on with the left one: walking the array from its end gets half the speed of the
// memory.
#pragma once

#include "runner/timed.hpp"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace bench::sum {

using numbers = std::span<const std::int32_t>;

inline constexpr std::size_t grain = 10'000;

/// Out of line, so that all have the same code for it.
[[gnu::noinline]] inline std::int64_t sum_grain(numbers some) {
    return std::accumulate(some.begin(), some.end(), std::int64_t{0});
}

class problem {
public:
    explicit problem(std::size_t count) : count_{count} {}
    [[nodiscard]] parameters describe() const {
        return {{"n", static_cast<std::int64_t>(count_)},
                {"grain", static_cast<std::int64_t>(grain)}};
    }
    [[nodiscard]] std::int64_t tasks() const { return forks(count_); }
    [[nodiscard]] std::vector<std::int32_t> make() const {
        std::vector<std::int32_t> made(count_);
        std::iota(made.begin(), made.end(), 0);
        return made;
    }
    void check(const std::vector<std::int32_t>& /*state*/, std::int64_t found) const {
        const auto n = static_cast<std::int64_t>(count_);
        expect_equal("sum", found, n * (n - 1) / 2);
    }

private:
    static std::int64_t forks(std::size_t count) {
        if (count <= grain) return 0;
        return 1 + forks(count / 2) + forks(count - count / 2);
    }

    std::size_t count_;
};

template <class Stage, class Solve>
std::vector<contestant> contestants(const request& request, Solve solve) {
    const problem usual{100'000'000};
    const problem small{10'000'000};
    return on_stage<Stage>(request, request.choose<std::vector<problem>>({usual}, {small, usual}),
                           [solve](const Stage& stage, const problem& /*some*/, numbers all) {
                               return solve(stage, all);
                           });
}

} // namespace bench::sum
