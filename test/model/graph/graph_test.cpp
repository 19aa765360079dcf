// Graphs as they ship, on the pool that ships, under the explorer; and what several threads do to a
// graph at once.
#include "model/fork_join/adder.hpp"
#include "support/thorough.hpp"

#include "graph/graph_plan.hpp"

#include <weft/countdown.hpp>
#include <weft/detail/graph/graph_core.hpp>
#include <weft/graph.hpp>
#include <weft/pool.hpp>

#include <gtest/gtest.h>

#include <array>

namespace weft {
namespace {

using explorer::named;
using explorer::together;

/// Two threads run a graph for the first time: both see a plan that is built, and it is one.
void two_threads_make_the_plan() {
    detail::graph_core core;
    const detail::graph_plan* plans[2]{};
    const auto ask = [&](std::size_t thread) {
        detail::graph_plan& plan = core.plan();
        explorer::check(plan.is_built.read(), "a plan is built before it is seen");
        plans[thread] = &plan;
    };
    together(named("one", [&] { ask(0); }), named("other", [&] { ask(1); }), named("reader", [&] {
                 if (const detail::graph_plan* known = core.known_plan()) {
                     explorer::check(known->is_built.read(), "a plan is built before it is seen");
                 }
             }));
    explorer::check(plans[0] == plans[1], "there is one plan");
}

TEST(graph_run, threads_that_run_it_first_make_one_plan) {
    test::explore_thoroughly("graph_core: two threads make the plan", two_threads_make_the_plan);
}

TEST(graph_run, every_mutant_of_the_plan_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"graph_core: two threads make the plan", bounds, two_threads_make_the_plan}};
    EXPECT_EQ(test::survivors(scenarios, "graph_core.cpp"), std::vector<std::string>{});
    EXPECT_EQ(test::survivors(scenarios, "graph_core.hpp"), std::vector<std::string>{});
}

/// A diamond, run twice in a row: each node sees what its predecessors did.
void a_diamond_twice() {
    pool workers{2};
    graph diamond;
    explorer::plain<int> first;
    explorer::plain<int> left;
    explorer::plain<int> right;
    explorer::plain<int> last;
    const auto begin = diamond.add([&] { first.write(1); });
    const auto one = diamond.add([&] { left.write(first.read()); }).after(begin);
    const auto other = diamond.add([&] { right.write(first.read()); }).after(begin);
    diamond.add([&] { last.write(left.read() + right.read()); }).after(one, other);
    for (int run = 0; run != 2; ++run) {
        diamond.run(workers).get();
        explorer::check(last.read() == 2, "each node runs after its predecessors");
        last.write(0);
    }
}

/// A loop whose turn forks and joins.
void a_loop_that_forks() {
    pool workers{2};
    graph some;
    explorer::plain<int> turns;
    explorer::plain<int> left;
    explorer::plain<int> right;
    const auto start = some.add([&] { turns.write(0); });
    const auto body = some.add([&] { turns.write(turns.read() + 1); }).after(start);
    const auto one = some.add([&] { left.write(turns.read()); }).after(body);
    const auto other = some.add([&] { right.write(turns.read()); }).after(body);
    some.branch("again?", [&] { return left.read() + right.read() < 4 ? 0 : 1; })
        .after(one, other)
        .chooses(body);
    some.run(workers).get();
    explorer::check(turns.read() == 2, "a turn begins when the last has ended");
}

/// Sources as a range, and a subgraph whose sinks are counted together.
void a_wide_graph() {
    pool workers{2};
    graph wide;
    explorer::plain<int> seen;
    std::array<explorer::plain<int>, 3> inside;
    const auto outer = wide.add([&](subgraph& made) {
        for (auto& each : inside) made.add([&each] { each.write(1); });
    });
    wide.add([&] { seen.write(inside[0].read() + inside[1].read() + inside[2].read()); })
        .after(outer);
    wide.add([] {});
    for (int run = 0; run != 2; ++run) {
        wide.run(workers).get();
        explorer::check(seen.read() == 3, "a node runs after the subgraph before it");
        for (auto& each : inside) each.write(0);
    }
}

TEST(graph_run, what_follows_a_subgraph_sees_all_of_it) {
    test::explore_within({explorer::options::random(test::scaled(2'000, 200'000))},
                         "graph: a wide graph", a_wide_graph);
}

TEST(graph_run, a_node_sees_what_its_predecessors_did) {
    test::explore_within({explorer::options::random(test::scaled(2'000, 200'000))},
                         "graph: a diamond twice", a_diamond_twice);
}

TEST(graph_run, a_turn_of_a_loop_sees_what_the_last_one_did) {
    test::explore_within({explorer::options::random(test::scaled(2'000, 200'000))},
                         "graph: a loop that forks", a_loop_that_forks);
}

class counted final : public detail::counted_task<int> {
public:
    explicit counted(test::closed_pool& pool) : counted_task{pool.core()} {}
    sync::plain<int> left{0};
    sync::plain<int> right{0};
    sync::plain<int> sum{-1};

private:
    void execute(detail::worker& /*caller*/) noexcept override {}
    void refuse(errc /*reason*/,
                std::shared_ptr<const detail::error_handler> /*report*/) noexcept override {
        sum.write(left.read() + right.read());
    }
    void destroy() noexcept override { sync::destroy(this); }
};

/// The last dependency runs the task, here as refused, and sees what the others did. Each adds
/// another one before it ends, and both ask for the future.
void the_last_dependency_runs_the_task() {
    test::closed_pool pool;
    auto* task = sync::make<counted>(pool);
    task->add();
    explorer::plain<int> given;
    given.write(0);
    const auto end = [&](sync::plain<int>& own, int value) {
        task->add();
        if (task->try_give_future()) given.write(given.read() + 1);
        task->arrive();
        own.write(value);
        task->arrive();
    };
    together(named("left", [&] { end(task->left, 1); }),
             named("right", [&] { end(task->right, 2); }));
    explorer::check(given.read() == 1, "the future is given once");
    explorer::check(task->ready(), "it runs when all have arrived");
    explorer::check(task->sum.read() == 3, "it sees what came before each arrival");
    task->drop_handle();
}

TEST(graph_run, the_task_of_a_countdown_sees_what_came_before_each_arrival) {
    test::explore_thoroughly("countdown: the last runs it", the_last_dependency_runs_the_task);
}

TEST(graph_run, every_mutant_of_the_countdown_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"countdown: the last runs it", bounds, the_last_dependency_runs_the_task}};
    EXPECT_EQ(test::survivors(scenarios, "counted_task.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft
