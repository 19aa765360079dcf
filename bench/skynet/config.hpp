// A tree of fan-out ten whose leaves are numbered; the result is the sum of the numbers.
#pragma once

#include "runner/timed.hpp"

#include <cstdint>
#include <vector>

namespace bench::skynet {

inline constexpr int fan_out = 10;

/// A node: the number of its first leaf, and how many it has.
struct node {
    std::int64_t first;
    std::int64_t leaves;
    [[nodiscard]] bool is_leaf() const { return leaves == 1; }
    [[nodiscard]] node child(int index) const {
        const std::int64_t part = leaves / fan_out;
        return {first + index * part, part};
    }
};

class problem {
public:
    explicit problem(std::int64_t leaves) : leaves_{leaves} {}
    [[nodiscard]] node root() const { return {0, leaves_}; }
    [[nodiscard]] parameters describe() const { return {{"leaves", leaves_}}; }
    /// One for each node but the root.
    [[nodiscard]] std::int64_t tasks() const { return (leaves_ - 1) / (fan_out - 1) * fan_out; }
    [[nodiscard]] static no_state make() { return {}; }
    void check(no_state /*state*/, std::int64_t found) const {
        expect_equal("skynet", found, leaves_ * (leaves_ - 1) / 2);
    }

private:
    std::int64_t leaves_;
};

template <class Stage, class Solve>
std::vector<contestant> contestants(const request& request, Solve solve) {
    const problem million{1'000'000};
    const problem ten_million{10'000'000};
    return on_stage<Stage>(request,
                           request.choose<std::vector<problem>>({million}, {million, ten_million}),
                           [solve](const Stage& /*stage*/, const problem& some,
                                   no_state /*state*/) { return solve(some.root()); });
}

} // namespace bench::skynet
