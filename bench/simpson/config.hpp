// The integral of 2 x sin x² from 0 to 100 by Simpson's rule; an interval is halved until halving
// changes little. The function swings faster and faster, and the recursion is deeper there.
#pragma once

#include "runner/timed.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

namespace bench::simpson {

inline constexpr double end = 100;

inline double function(double x) { return 2 * x * std::sin(x * x); }

/// An interval, with the function at its ends and its middle, and Simpson's rule for it.
struct interval {
    double low;
    double high;
    double at_low;
    double at_middle;
    double at_high;
    double area;
    double tolerance;

    static interval make(double low, double high, double tolerance) {
        interval made{low, high,     function(low), function((low + high) / 2), function(high),
                      0.0, tolerance};
        made.area = made.simpson();
        return made;
    }
    [[nodiscard]] double simpson() const {
        return (high - low) / 6 * (at_low + 4 * at_middle + at_high);
    }
};

/// The halves of an interval, or its area if they are not worth it.
struct halving {
    explicit halving(const interval& whole) {
        const double middle = (whole.low + whole.high) / 2;
        const double half = whole.tolerance / 2;
        left = {whole.low,       middle, whole.at_low, function((whole.low + middle) / 2),
                whole.at_middle, 0.0,    half};
        right = {
            middle, whole.high, whole.at_middle, function((middle + whole.high) / 2), whole.at_high,
            0.0,    half};
        left.area = left.simpson();
        right.area = right.simpson();
        const double change = left.area + right.area - whole.area;
        is_done = std::abs(change) <= 15 * whole.tolerance;
        area = left.area + right.area + change / 15;
    }
    interval left{};
    interval right{};
    bool is_done;
    double area;
};

inline std::int64_t forks(const interval& whole) {
    const halving halves{whole};
    return halves.is_done ? 0 : 1 + forks(halves.left) + forks(halves.right);
}

class problem {
public:
    explicit problem(int digits)
        : digits_{digits}, whole_{interval::make(0, end, std::pow(10.0, -digits))},
          tasks_{forks(whole_)} {}
    [[nodiscard]] const interval& whole() const { return whole_; }
    [[nodiscard]] parameters describe() const { return {{"digits", std::int64_t{digits_}}}; }
    [[nodiscard]] std::int64_t tasks() const { return tasks_; }
    [[nodiscard]] static no_state make() { return {}; }
    void check(no_state /*state*/, double found) const {
        const double expected = 1 - std::cos(end * end);
        expect_equal("the integral's precision", std::abs(found - expected) < 1e-6, true);
    }

private:
    int digits_;
    interval whole_;
    std::int64_t tasks_;
};

template <class Stage, class Solve>
std::vector<contestant> contestants(const request& request, Solve solve) {
    const std::vector<problem> usual{problem{8}};
    const std::vector<problem> all{problem{8}, problem{9}};
    return on_stage<Stage>(request, request.choose(usual, all),
                           [solve](const Stage& stage, const problem& some, no_state /*state*/) {
                               return solve(stage, some.whole());
                           });
}

} // namespace bench::simpson
