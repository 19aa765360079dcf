#include "graph/graph_plan.hpp"

#include <weft/graph.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace weft::detail {
namespace {

void add_empty(graph_core& graph, int count) {
    static constexpr node_kind kind{[](void*, node_call*) {}, nullptr, nullptr, node_role::task};
    struct nothing_inside {};
    for (int i = 0; i != count; ++i) graph.add<nothing_inside>(kind, "");
}

TEST(graph_plan, successors_are_sorted_by_node_and_keep_their_order) {
    graph_core graph;
    add_empty(graph, 4);
    for (const auto& [before, after] :
         std::vector<std::pair<node_index, node_index>>{{2, 3}, {0, 2}, {1, 3}, {0, 1}}) {
        graph.add_edge(before, after);
    }
    graph_plan plan;
    plan.build(graph);
    EXPECT_EQ(plan.successors, (std::vector<node_index>{2, 1, 3, 3}));
    EXPECT_EQ(plan.predecessors, (std::vector<std::uint32_t>{0, 1, 1, 2}));
    EXPECT_EQ(plan.sources, (std::vector<node_index>{0}));
    EXPECT_EQ(plan.sink_groups, (std::vector<std::uint32_t>{1}));
}

TEST(graph_plan, sinks_are_counted_in_groups) {
    graph_core graph;
    add_empty(graph, 64 + 64 + 2);
    graph_plan plan;
    plan.build(graph);
    EXPECT_EQ(plan.sink_groups, (std::vector<std::uint32_t>{64, 64, 2}));
    EXPECT_EQ(plan.groups[63], 0U);
    EXPECT_EQ(plan.groups[64], 1U);
    EXPECT_EQ(plan.groups[129], 2U);
}

/// 3 follows 1 and 2, of which the branch 4 chooses one; 0 is alone.
TEST(graph_plan, a_choice_counts_only_what_is_behind_it) {
    graph_core graph;
    add_empty(graph, 5);
    graph.add_edge(1, 3);
    graph.add_edge(2, 3);
    graph.choices = {{4, 1}, {4, 2}};
    graph_plan plan;
    plan.build(graph);
    ASSERT_EQ(plan.choices.size(), 2U);
    ASSERT_EQ(plan.joins.size(), 2U);
    EXPECT_EQ(plan.joins[0].target, 3U);
    EXPECT_EQ(plan.joins[0].predecessors, 1U);
    EXPECT_EQ(plan.predecessors[3], 2U);
    EXPECT_EQ(plan.parts.size(), 3U);
    EXPECT_EQ(plan.sources, (std::vector<node_index>{0, 4}));
}

TEST(graph_plan, it_may_be_built_again_for_another_graph) {
    graph_core large;
    add_empty(large, 10);
    large.add_edge(0, 9);
    graph_core small;
    add_empty(small, 2);
    graph_plan plan;
    plan.build(large);
    plan.build(small);
    EXPECT_EQ(plan.nodes.size(), 2U);
    EXPECT_TRUE(plan.successors.empty());
    EXPECT_EQ(plan.sources.size(), 2U);
}

TEST(body_arena, gives_aligned_memory_of_any_size) {
    body_arena arena;
    for (int round = 0; round != 2; ++round) {
        for (const std::size_t size : {1U, 3U, 500U, 5'000U, 100'000U, 7U}) {
            for (const std::size_t alignment : {1U, 8U, 64U, 4'096U}) {
                auto* memory = static_cast<unsigned char*>(arena.allocate(size, alignment));
                EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % alignment, 0U);
                memory[0] = 1;
                memory[size - 1] = 2; // the sanitizer looks
            }
        }
        arena.clear();
    }
}

} // namespace
} // namespace weft::detail
