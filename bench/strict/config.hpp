// Divide and conquer in which each node joins what it has submitted, by futures, groups and forks:
// trees of which a fixed part of each node is forked, n-queens joined in order, and integration by
// Simpson's rule with its left half forked.
#pragma once

#include "nqueens/config.hpp"
#include "runner/timed.hpp"
#include "simpson/config.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace bench::strict {

/// A library's stage has, besides what `timed.hpp` says:
///
///     auto both(forked, here);          // their sum: `forked` as a task, `here` by the caller
///     std::int64_t sum(count, body);    // of body(0) to body(count - 1): each a task, and joined
///                                       // in this order
///
/// It must be usable by several threads at a time.

/// A tree of work: a node forks a part of its rest, does the other part itself, and joins.
struct tree {
    std::int64_t forked; // in thousandths
    std::int64_t units;

    [[nodiscard]] parameters describe() const {
        return {{"load", std::string{"tree"}}, {"forked", forked_text()}, {"units", units}};
    }
    [[nodiscard]] std::string forked_text() const {
        return forked == 500 ? "0.5" : forked == 750 ? "0.75" : "0.9";
    }
    [[nodiscard]] static std::int64_t tasks() { return 0; }
    [[nodiscard]] static no_state make() { return {}; }
    void check(no_state /*state*/, std::int64_t found) const {
        expect_equal("the units of work", found, units);
    }
};

/// About 1 us of work; returns 1.
inline std::int64_t unit_of_work() {
    std::uint64_t state = 88'172'645'463'325'252U;
    for (int i = 0; i != 600; ++i) {
        state ^= state << 13U;
        state ^= state >> 7U;
        state ^= state << 17U;
    }
    return state != 0 ? 1 : 0;
}

template <class Stage>
std::int64_t run_tree(Stage& stage, std::int64_t forked, std::int64_t units) {
    if (units == 1) return unit_of_work();
    const std::int64_t part = units * forked / 1000;
    const std::int64_t away = part == 0 ? 1 : part == units ? units - 1 : part;
    return stage.both(
        [&stage, forked, away] { return run_tree(stage, forked, away); },
        [&stage, forked, rest = units - away] { return run_tree(stage, forked, rest); });
}

template <class Stage>
std::int64_t count_queens(Stage& stage, nqueens::board placed) {
    if (placed.is_full()) return 1;
    const nqueens::choices free{placed};
    return stage.sum(free.count,
                     [&](int each) { return count_queens(stage, placed.with_queen(free[each])); });
}

template <class Stage>
double integrate(Stage& stage, const simpson::interval& whole) {
    const simpson::halving halves{whole};
    if (halves.is_done) return halves.area;
    return stage.both([&] { return integrate(stage, halves.left); },
                      [&] { return integrate(stage, halves.right); });
}

/// A problem of another workload, as a load of this one.
template <class Problem>
struct load : Problem {
    const char* name;
    load(const Problem& chosen, const char* known_as) : Problem{chosen}, name{known_as} {}
    [[nodiscard]] parameters describe() const {
        parameters all{{"load", std::string{name}}};
        for (const auto& each : Problem::describe()) all.push_back(each);
        return all;
    }
    [[nodiscard]] static std::int64_t tasks() { return 0; }
};

template <class Stage>
std::vector<contestant> contestants(const request& request) {
    const auto stage = std::make_shared<Stage>(request);
    std::vector<contestant> made;
    for (const std::int64_t forked : {500, 750, 900}) {
        const tree chosen{forked, request.choose(200'000, 1'000'000)};
        made.push_back(timed(stage, chosen, [](Stage& own, const tree& some, no_state /*state*/) {
            return run_tree(own, some.forked, some.units);
        }));
    }
    const load queens{nqueens::problem{{.size = 12, .solutions = 14'200, .nodes = 856'188}},
                      "nqueens"};
    made.push_back(
        timed(stage, queens, [](Stage& own, const nqueens::problem& some, no_state /*state*/) {
            return count_queens(own, some.start());
        }));
    const load curve{simpson::problem{request.choose(8, 9)}, "simpson"};
    made.push_back(
        timed(stage, curve, [](Stage& own, const simpson::problem& some, no_state /*state*/) {
            return integrate(own, some.whole());
        }));
    return made;
}

} // namespace bench::strict
