// Random graphs: every node runs once, after all before it.
#include "conform/cpp/rendezvous.hpp"
#include "support/sanitizers.h"
#include "support/scale.hpp"

#include <weft/graph.hpp>
#include <weft/pool.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace weft::test {
namespace {

/// A graph whose nodes note when they ran. Edges lead to higher numbers.
class noting_graph {
public:
    noting_graph(std::size_t nodes, std::uint64_t seed) : times_(nodes) {
        std::mt19937_64 random{seed};
        std::vector<graph_node<void>> made;
        const std::uint64_t density = random() % 4;
        const std::uint64_t reach = 1 + random() % nodes;
        for (std::size_t i = 0; i != nodes; ++i) {
            made.push_back(graph_.add([this, i] { times_[i] = ++clock_; }));
            for (std::uint64_t each = i == 0 ? 0 : random() % (density + 2); each != 0; --each) {
                const std::size_t before = i - 1 - random() % std::min<std::uint64_t>(i, reach);
                made[before].before(made[i]);
                edges_.emplace_back(before, i);
            }
        }
    }
    /// How many edges were not respected, or nodes not run once.
    std::size_t run_and_count_errors(pool& workers) {
        clock_ = 0;
        for (std::uint64_t& each : times_) each = 0;
        graph_.run(workers).get();
        std::size_t errors = clock_ == times_.size() ? 0 : 1;
        for (const std::uint64_t each : times_) errors += each == 0 ? 1 : 0;
        for (const auto& [before, after] : edges_) errors += times_[before] < times_[after] ? 0 : 1;
        return errors;
    }

private:
    graph graph_;
    std::vector<std::uint64_t> times_;
    std::atomic<std::uint64_t> clock_{0};
    std::vector<std::pair<std::size_t, std::size_t>> edges_;
};

TEST(graph_shapes, random_graphs_respect_every_edge) {
    const std::size_t nodes = scaled(WEFT_SANITIZED ? 500 : 2'000, 10'000);
    const std::uint64_t graphs = scaled(10, 100);
    constexpr int runs = 10;
    pool one{1};
    pool two{2};
    pool more{4};
    for (std::uint64_t seed = 1; seed <= graphs; ++seed) {
        noting_graph some{nodes, seed};
        for (int run = 0; run != runs; ++run) {
            pool& workers = run % 5 == 0 ? one : run % 2 == 0 ? more : two;
            ASSERT_EQ(some.run_and_count_errors(workers), 0U) << "seed " << seed;
        }
    }
}

TEST(graph_shapes, four_threads_run_one_graph) {
    pool workers{2};
    graph some;
    std::atomic<std::uint64_t> runs{0};
    std::atomic<std::uint64_t> wrong{0};
    std::vector<graph_node<std::uint64_t>> row;
    for (int i = 0; i != 8; ++i) row.push_back(some.add([] { return std::uint64_t{1}; }));
    for (int depth = 0; depth != 6; ++depth) {
        std::vector<graph_node<std::uint64_t>> next;
        for (std::size_t i = 0; i != row.size(); ++i) {
            next.push_back(
                some.add([](std::uint64_t one, std::uint64_t other) { return one + other; }, row[i],
                         row[(i + 1) % row.size()]));
        }
        row = next;
    }
    for (const auto& each : row) {
        some.add(
            [&](std::uint64_t sum) {
                ++runs;
                wrong += sum == 64 ? 0 : 1;
            },
            each);
    }
    const std::uint64_t each = scaled(50, 2'000);
    std::vector<std::jthread> threads;
    for (int i = 0; i != 4; ++i) {
        threads.emplace_back([&] {
            for (std::uint64_t run = 0; run != each; ++run) some.run(workers).get();
        });
    }
    threads.clear();
    EXPECT_EQ(runs, 4 * 8 * each);
    EXPECT_EQ(wrong, 0U);
}

/// The run ends on one worker while another is still on its way out of a node's end.
TEST(graph_shapes, a_graph_may_be_destroyed_as_soon_as_its_run_has_ended) {
    pool workers{3};
    for (std::uint64_t i = 0; i != scaled(300, 20'000); ++i) {
        graph some;
        const auto first = some.add([] {});
        const auto last = some.add([] {});
        for (int width = 0; width != 4; ++width) last.after(some.add([] {}).after(first));
        some.run(workers).get();
    }
}

/// Nodes that are ready are never behind a node that runs, if a worker is idle.
TEST(graph_shapes, the_first_node_of_many_may_wait_for_all_others) {
    pool workers{2};
    for (const int others : {1, 2, 6, 7, 8, 9, 15, 16, 17, 63, 64, 65, 300}) {
        std::atomic<int> begun{0};
        std::atomic<int> ended{0};
        bool met = false;
        const auto body = [&] {
            if (begun++ == 0) met = comes_soon([&] { return ended == others; });
            ++ended;
        };
        graph wide; // all begin at once
        for (int i = 0; i <= others; ++i) wide.add(body);
        graph fork; // all but one are made ready by that
        const auto first = fork.add([] {});
        for (int i = 0; i <= others; ++i) fork.add(body).after(first);
        graph inside;
        inside.add([&](subgraph& made) {
            for (int i = 0; i <= others; ++i) made.add(body);
        });
        for (graph* each : {&wide, &fork, &inside}) {
            begun = ended = 0;
            met = false;
            each->run(workers).get();
            EXPECT_TRUE(met) << others;
            EXPECT_EQ(ended, others + 1);
        }
    }
}

/// One worker keeps ready nodes to itself, but lets in what else there is to do.
TEST(graph_shapes, a_wide_graph_on_one_worker_keeps_no_other_task_waiting) {
    pool workers{1};
    graph wide;
    std::atomic<int> nodes{0};
    std::atomic<int> nodes_before{-1};
    constexpr int width = 2'000;
    const auto first =
        wide.add([&] { pool::current()->post([&] { nodes_before = nodes.load(); }); });
    for (int i = 0; i != width; ++i) {
        const auto one = wide.add([&] { ++nodes; }).after(first);
        wide.add([&] { ++nodes; }).after(one);
    }
    for (int run = 0; run != 3; ++run) {
        nodes = 0;
        nodes_before = -1;
        wide.run(workers).get();
        workers.wait_idle();
        EXPECT_EQ(nodes, 2 * width);
        EXPECT_GE(nodes_before, 0);
        EXPECT_LE(nodes_before, 257); // finder.hpp: 255 tasks at most
    }
}

/// Nodes that are more than a call count as picks too, also if the loop finds them itself.
TEST(graph_shapes, a_measured_graph_keeps_no_task_from_outside_waiting) {
    pool workers{1};
    graph wide;
    wide.measure();
    int nodes = 0;
    int nodes_before = -1;
    constexpr int width = 2'000;
    for (int i = 0; i != width; ++i) wide.add([&] { ++nodes; });
    const auto first = wide.add([&] {
        std::thread{[&] { workers.post([&] { nodes_before = nodes; }); }}.join();
        nodes = 0;
    });
    for (int i = 0; i != width; ++i) wide.add([&] { ++nodes; }).after(first);
    wide.run(workers).get();
    workers.wait_idle();
    EXPECT_GE(nodes_before, 0);
    EXPECT_LE(nodes_before, 257); // finder.hpp: 255 tasks at most
}

/// One worker does not go round for ever while another node of the run is ready.
TEST(graph_shapes, a_loop_on_one_worker_may_wait_for_another_part) {
    pool workers{1};
    graph some;
    bool done = false;
    patience left;
    const auto start = some.add([] {});
    some.add([] {}).after(start);
    some.add([&] { done = true; }).after(start);
    const auto turn = some.add([] {});
    const auto body = some.add([] {}).after(turn);
    some.branch("done?", [&] { return done || left.is_over() ? 1 : 0; }).after(body).chooses(body);
    some.run(workers).get();
    EXPECT_FALSE(left.is_over());
    EXPECT_TRUE(done);
}

/// A worker that has counted sinks of one run goes on with nodes of others.
TEST(graph_shapes, many_graphs_in_one_end_in_any_order) {
    for (const std::size_t count : {1U, 2U, 3U}) {
        pool workers{count};
        std::atomic<int> inside{0};
        std::atomic<int> early{0};
        graph module;
        for (int i = 0; i != 70; ++i) module.add([&] { ++inside; });
        graph whole;
        for (int i = 0; i != 20; ++i) {
            auto local = std::make_shared<std::atomic<int>>(0);
            const auto outer = whole.add([local, i](subgraph& made) {
                *local = 0;
                for (int each = 0; each != i; ++each) made.add([local] { ++*local; });
            });
            const auto check =
                whole.add([&, local, i] { early += *local == i ? 0 : 1; }).after(outer);
            whole.add("module", module).after(check);
            whole.add([] {});
        }
        for (int run = 0; run != 20; ++run) {
            inside = 0;
            whole.run(workers).get();
            ASSERT_EQ(inside, 20 * 70);
        }
        EXPECT_EQ(early, 0);
    }
}

} // namespace
} // namespace weft::test
