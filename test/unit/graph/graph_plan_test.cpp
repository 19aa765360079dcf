#include "graph/graph_plan.hpp"

#include <weft/graph.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace weft::detail {
namespace {

std::vector<node_index> successors_of(const graph_plan& plan, node_index index) {
    const graph_plan::node& node = plan.nodes[index];
    std::vector<node_index> found;
    for (std::uint32_t i = node.first_successor; i != node.successor_end; ++i) {
        found.push_back(plan.successors[i].index());
    }
    return found;
}

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
    EXPECT_EQ(plan.numbers, (std::vector<node_index>{0, 2, 1, 3}));
    EXPECT_EQ(successors_of(plan, 0), (std::vector<node_index>{1, 2})); // 2 and 1
    EXPECT_EQ(successors_of(plan, 1), (std::vector<node_index>{3}));
    EXPECT_EQ(successors_of(plan, 2), (std::vector<node_index>{3}));
    EXPECT_EQ(plan.nodes[3].predecessors, 2U);
    EXPECT_EQ(plan.source_count, 1U);
    EXPECT_EQ(plan.sink_count, 1U);
}

TEST(graph_plan, nodes_are_numbered_as_one_worker_runs_them_but_sources_come_first) {
    graph_core graph;
    add_empty(graph, 7);
    // 5 begins 3 and 4 and 1; 3 begins 0; 4 and 6 begin 2
    for (const auto& [before, after] : std::vector<std::pair<node_index, node_index>>{
             {5, 3}, {5, 4}, {5, 1}, {3, 0}, {4, 2}, {6, 2}}) {
        graph.add_edge(before, after);
    }
    graph_plan plan;
    plan.build(graph);
    EXPECT_EQ(plan.numbers, (std::vector<node_index>{5, 6, 3, 0, 1, 4, 2}));
    EXPECT_EQ(plan.source_count, 2U);
    EXPECT_EQ(successors_of(plan, 0), (std::vector<node_index>{2, 5, 4}));
    EXPECT_EQ(successors_of(plan, 1), (std::vector<node_index>{6}));
    EXPECT_EQ(plan.nodes[6].predecessors, 2U);
    EXPECT_EQ(plan.nodes[2].special, graph_plan::straight);
    EXPECT_EQ(plan.nodes[5].special, graph_plan::none); // another node comes before its successor
}

TEST(graph_plan, an_edge_that_is_the_only_way_to_its_node_is_marked) {
    graph_core graph;
    add_empty(graph, 4);
    for (const auto& [before, after] :
         std::vector<std::pair<node_index, node_index>>{{0, 1}, {0, 2}, {1, 3}, {2, 3}}) {
        graph.add_edge(before, after);
    }
    graph_plan plan;
    plan.build(graph);
    for (node_index i = 0; i != 4; ++i) {
        for (std::uint32_t s = plan.nodes[i].first_successor;
             i != 3 && s != plan.nodes[i].successor_end; ++s) {
            EXPECT_EQ(plan.successors[s].is_only_way(), i == 0);
        }
    }
}

TEST(graph_plan, sinks_are_counted_in_groups) {
    graph_core graph;
    add_empty(graph, 64 + 64 + 2);
    for (const bool with_an_edge : {false, true}) {
        if (with_an_edge) {
            add_empty(graph, 1);
            graph.add_edge(130, 0);
        }
        graph_plan plan;
        plan.build(graph);
        EXPECT_EQ(plan.sink_groups(), 3U);
        EXPECT_EQ(plan.sinks_of(0), 64U);
        EXPECT_EQ(plan.sinks_of(1), 64U);
        EXPECT_EQ(plan.sinks_of(2), 2U);
        std::vector<std::uint32_t> sinks(3);
        for (const graph_plan::node& each : plan.nodes) {
            if (each.first_successor == each.successor_end) ++sinks[each.first_successor];
        }
        EXPECT_EQ(sinks, (std::vector<std::uint32_t>{64, 64, 2}));
    }
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
    EXPECT_EQ(plan.nodes[3].predecessors, 2U);
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
    EXPECT_EQ(plan.source_count, 2U);
}

TEST(graph_plan, nothing_is_left_of_choices_when_it_is_built_again) {
    graph_core choosing;
    add_empty(choosing, 3);
    choosing.choices = {{0, 1}};
    graph_core plain;
    add_empty(plain, 2);
    plain.nodes[0].level = priority::high;
    graph_plan plan;
    plan.build(choosing);
    EXPECT_FALSE(plan.sources.empty());
    plan.build(plain);
    EXPECT_TRUE(plan.sources.empty());
    EXPECT_EQ(plan.source_count, 2U);
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
