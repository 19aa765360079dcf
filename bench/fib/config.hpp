// The n-th Fibonacci number with a fork at every addition: a node does nothing else, so that its
// time is the fork's.
#pragma once

#include "runner/timed.hpp"

#include <cstdint>
#include <vector>

namespace bench::fib {

class problem {
public:
    explicit problem(int n) : n_{n} {}
    [[nodiscard]] int n() const { return n_; }
    [[nodiscard]] parameters describe() const { return {{"n", std::int64_t{n_}}}; }
    /// One for each addition.
    [[nodiscard]] std::int64_t tasks() const { return number(n_ + 1) - 1; }
    [[nodiscard]] static no_state make() { return {}; }
    void check(no_state /*state*/, std::int64_t found) const {
        expect_equal("fib", found, number(n_));
    }

private:
    static std::int64_t number(int n) {
        std::int64_t now = 0;
        std::int64_t next = 1;
        for (; n != 0; --n) now = std::exchange(next, now + next);
        return now;
    }

    int n_;
};

/// Libraries with slow forks get a smaller number, and are compared by the time for a task.
enum class forks : std::uint8_t { fast, slow };

template <class Stage, class Solve>
std::vector<contestant> contestants(const request& request, forks speed, Solve solve) {
    const std::vector<problem> usual{problem{speed == forks::fast ? 35 : 30}};
    const std::vector<problem> all{problem{30}, problem{35}};
    return on_stage<Stage>(request, request.choose(usual, all),
                           [solve](const Stage& stage, const problem& some, no_state /*state*/) {
                               return solve(stage, some.n());
                           });
}

} // namespace bench::fib
