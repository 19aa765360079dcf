// Counts the nodes of unbalanced trees, with a task for each.
#pragma once

#include "runner/timed.hpp"
#include "uts/tree.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace bench::uts {

class problem {
public:
    explicit problem(tree whole) : tree_{std::move(whole)} {}
    [[nodiscard]] const tree& whole() const { return tree_; }
    [[nodiscard]] parameters describe() const { return {{"tree", tree_.name}}; }
    [[nodiscard]] std::int64_t tasks() const { return tree_.nodes - 1; }
    [[nodiscard]] static no_state make() { return {}; }
    void check(no_state /*state*/, std::int64_t found) const {
        expect_equal("nodes", found, tree_.nodes);
    }

private:
    tree tree_;
};

/// `count(tree, node)` gives the number of nodes below and including the node.
template <class Stage, class Count>
std::vector<contestant> contestants(const request& request, Count count) {
    return on_stage<Stage>(
        request, std::vector<problem>{problem{bushy()}, problem{deep()}},
        [count](const Stage& /*stage*/, const problem& some, no_state /*state*/) {
            return count(some.whole(), root_of(some.whole()));
        });
}

} // namespace bench::uts
