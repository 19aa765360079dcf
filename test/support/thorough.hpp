// The searches that every lock-free piece goes through.
#pragma once

#include "support/scale.hpp"

#include <weft/explorer.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace weft::test {

/// Exhaustive on sequential memory with 3 preemptions, exhaustive on weak memory with 2 preemptions
/// and 2 stale reads, and random schedules beyond these bounds.
inline std::vector<explorer::scenario> thorough(const std::string& name,
                                                const std::function<void()>& body) {
    return {
        {name, explorer::options::sequential(3), body},
        {name, explorer::options::weak(2, 2), body},
        {name, explorer::options::random(scaled(50'000, 2'000'000)), body},
    };
}

/// All of them pass, and those that should be exhaustive are.
inline void explore_thoroughly(const std::string& name, const std::function<void()>& body) {
    for (const explorer::scenario& each : thorough(name, body)) {
        const explorer::report report = explorer::explore(each.name, each.options, each.body);
        EXPECT_TRUE(report.passed()) << report.explanation();
        EXPECT_TRUE(report.exhaustive || each.options.random_schedules > 0) << report.summary();
    }
}

/// All of these pass, and those that should be exhaustive are.
inline void explore_within(const std::vector<explorer::options>& bounds, const std::string& name,
                           const std::function<void()>& body) {
    for (const explorer::options& each : bounds) {
        const explorer::report report = explorer::explore(name, each, body);
        EXPECT_TRUE(report.passed()) << report.explanation();
        EXPECT_TRUE(report.exhaustive || each.random_schedules > 0) << report.summary();
    }
}

/// For a few workers of a pool, which take ten times as many steps as a lock-free piece: exhaustive
/// with `preemptions` on sequential memory, and with one less and as many stale reads on weak
/// memory; random schedules beyond that.
inline void explore_workers(const std::string& name, const std::function<void()>& body,
                            int preemptions = 2) {
    explore_within({explorer::options::sequential(preemptions),
                    explorer::options::weak(preemptions - 1, preemptions),
                    explorer::options::random(scaled(5'000, 500'000))},
                   name, body);
}

/// For a whole pool: exhaustive with one preemption and one stale read, and random schedules beyond
/// that.
inline void explore_pool(const std::string& name, const std::function<void()>& body) {
    explore_within(
        {explorer::options::weak(1, 1), explorer::options::random(scaled(3'000, 500'000))}, name,
        body);
}

/// The mutants of operations in `file` that no scenario catches, as "operation: kind", after
/// checking that the scenarios pass as they are.
inline std::vector<std::string> survivors(const std::vector<explorer::scenario>& scenarios,
                                          const std::string& file) {
    const explorer::mutation_report report = explorer::mutate(scenarios, file);
    for (const explorer::report& each : report.unchanged) {
        EXPECT_TRUE(each.passed()) << each.explanation();
    }
    EXPECT_FALSE(report.mutants.empty()) << "nothing of " << file << " was run";
    std::printf("%s", report.summary().c_str());
    std::vector<std::string> found;
    for (const explorer::mutant_result& each : report.mutants) {
        const std::string change =
            each.mutant.operation + ": " + std::string{name_of(each.mutant.kind)};
        // tools/checks/orderings.py reads this.
        std::printf("weakened: %s:%u %s: %s\n", each.mutant.file.c_str(), each.mutant.line,
                    change.c_str(), each.caught ? "killed" : "survived");
        if (!each.caught) found.push_back(change);
    }
    return found;
}

} // namespace weft::test
