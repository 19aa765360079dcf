// A contestant that is timed: the library's stage, the problem, and the check of the solution.
#pragma once

#include "runner/workload.hpp"

#include "shell/stopwatch.hpp"

#include <cstdint>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace bench {

/// Runs a library's code: `before` and `after` each run, untimed, and `run(body)` as a user of the
/// library would enter it. One stage lasts for all runs.
///
///     struct some_stage {
///         explicit some_stage(const request& request);
///         void before();
///         template <class Body> auto run(const Body& body) const;
///         void after();
///     };

class wrong_result : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

template <class T>
void expect_equal(const char* name, const T& found, const T& expected) {
    if (found == expected) return;
    std::ostringstream text;
    text << name << " is " << found << " and should be " << expected;
    throw wrong_result{text.str()};
}

/// The shape of a problem:
///
///     struct some_problem {
///         parameters describe() const;
///         std::int64_t tasks() const;   // forks of one run; 0: the library decides
///         state make() const;           // untimed, before each run
///         void check(const state&, const result&) const;
///     };
///
/// `solve(stage, problem, state)` is what is timed.
template <class Stage, class Problem, class Solve>
contestant timed(std::shared_ptr<Stage> stage, const Problem& problem, Solve solve,
                 parameters limits = {}) {
    const std::int64_t tasks = limits.empty() ? problem.tasks() : 0;
    auto run = [stage, problem, solve, tasks]() -> std::vector<sample> {
        auto state = problem.make();
        stage->before();
        const weft::cli::stopwatch watch;
        const auto result = stage->run([&] { return solve(*stage, problem, state); });
        const double seconds = watch.seconds();
        stage->after();
        problem.check(state, result);

        std::vector<sample> samples{{"seconds", seconds, "s"}};
        if (tasks != 0) {
            const double each = seconds * 1e9 / static_cast<double>(tasks);
            samples.push_back({"ns_per_task", each, "ns"});
        }
        return samples;
    };
    return {problem.describe(), std::move(limits), std::move(run)};
}

/// A contestant for each of the problems, on one stage.
template <class Stage, class Problem, class Solve>
std::vector<contestant> on_stage(const request& request, const std::vector<Problem>& problems,
                                 Solve solve) {
    const auto stage = std::make_shared<Stage>(request);
    std::vector<contestant> made;
    for (const Problem& each : problems) made.push_back(timed(stage, each, solve, stage->limits()));
    return made;
}

/// The state of a problem that has none.
struct no_state {};

} // namespace bench
