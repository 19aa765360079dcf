#include "models/scaling.hpp"

#include "models/concurrent_multi_stealing.hpp"
#include "models/paper_run.hpp"
#include <weft/lab/simulation.hpp>

#include <gtest/gtest.h>

namespace weft::models {
namespace {

TEST(scaling, of_the_papers_net_has_the_known_means) {
    // 2,000 random runs have 66.4 steps and 33.0 groups.
    const scaling_point found = measure_scaling(paper_product(), 3, 4, 20);
    EXPECT_NEAR(found.steps, 66.4, 1.5);
    EXPECT_NEAR(found.groups, 33.0, 1.5);
    EXPECT_EQ(found.concurrent_steps, 18);
}

TEST(scaling, one_core_is_never_idle_and_needs_no_balancing) {
    const scaling_point found = measure_scaling(matrix_product::of_sizes(2, 2, 2), 1, 2, 3);
    // Root, two halves, four leaves; four products; nothing to balance.
    EXPECT_EQ(found.steps, 11);
    EXPECT_EQ(found.idle, 0);
    // Each firing of LTS is a step, and the first three products fit into these.
    EXPECT_EQ(found.concurrent_steps, 8);
}

TEST(scaling, idle_cores_are_those_that_balancing_cannot_help) {
    // One row of two columns: the root and the two leaves on 4 cores. The root keeps one core at
    // work; then MSS gives one of its halves away.
    const scaling_point found = measure_scaling(matrix_product::of_sizes(1, 1, 2), 4, 4, 3);
    EXPECT_DOUBLE_EQ(found.idle, (0.75 + 0.5) / 2);
}

TEST(scaling, more_children_need_more_cores_and_cores_more_children) {
    const auto product = matrix_product::of_sizes(8, 1, 16);
    const scaling_point few_of_both = measure_scaling(product, 2, 4, 1);
    const scaling_point more_cores = measure_scaling(product, 16, 4, 1);
    const scaling_point more_of_both = measure_scaling(product, 16, 16, 1);
    EXPECT_LT(more_cores.concurrent_steps, few_of_both.concurrent_steps / 4);
    EXPECT_LT(more_of_both.concurrent_steps, more_cores.concurrent_steps);
    EXPECT_LT(more_of_both.idle, more_cores.idle);
}

TEST(scaling, any_number_of_children_computes_the_product) {
    for (const std::size_t children : {2U, 4U, 8U, 16U}) {
        matrix_product problem = paper_product();
        problem.most_children = children;
        concurrent_multi_stealing model{problem, 5};
        petri::simulation run{model.net(), children};
        run.run(10'000, true, petri::step_rule::a_priori);
        const auto cells = run.view().tokens(model.cells());
        EXPECT_EQ(cells.size(), 24U);
        for (const auto& [row, column, value] : cells) {
            EXPECT_EQ(value, paper_result()[static_cast<std::size_t>(row) - 1]
                                           [static_cast<std::size_t>(column) - 1]);
        }
    }
}

} // namespace
} // namespace weft::models
