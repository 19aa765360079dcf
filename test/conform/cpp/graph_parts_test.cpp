// Branches, subgraphs, modules, resources and priorities in graphs.
#include "conform/cpp/occupation.hpp"
#include "conform/cpp/rendezvous.hpp"

#include <weft/completion.hpp>
#include <weft/graph.hpp>
#include <weft/pool.hpp>
#include <weft/resource.hpp>
#include <weft/waits.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace weft::test {
namespace {

std::string text_of_error(const std::function<void()>& call) {
    try {
        call();
    } catch (const error& thrown) {
        return thrown.what();
    }
    return "none";
}
bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// Branches

TEST(graph_branch, the_chosen_node_and_what_is_behind_it_is_run) {
    pool workers{2};
    graph some;
    int choice = 0;
    std::string order;
    const auto ask = some.branch("which?", [&] { return choice; });
    const auto left = some.add([&] { order += 'l'; });
    some.add([&] { order += 'L'; }).after(left);
    const auto right = some.add([&] { order += 'r'; });
    ask.chooses(left, right);
    const auto result_of = [&](int chosen) {
        choice = chosen;
        order.clear();
        some.run(workers).get();
        return order;
    };
    EXPECT_EQ(result_of(0), "lL");
    EXPECT_EQ(result_of(1), "r");
    EXPECT_EQ(result_of(2), ""); // there is no such number
    EXPECT_EQ(result_of(-1), "");
}

/// Libraries in which a node waits for all its predecessors, chosen or not, would wait for ever.
TEST(graph_branch, the_ways_of_a_choice_may_meet_again) {
    pool workers{2};
    graph some;
    int choice = 0;
    std::string order;
    const auto ask = some.branch("which?", [&] { return choice; });
    const auto left = some.add([&] { order += 'l'; });
    const auto right = some.add([&] { order += 'r'; });
    const auto both = some.add([&] { order += 'b'; }).after(left, right);
    some.add([&] { order += 'e'; }).after(both);
    ask.chooses(left, right, both);
    for (const char* expected : {"lbe", "rbe", "be"}) {
        order.clear();
        some.run(workers).get();
        EXPECT_EQ(order, expected);
        ++choice;
    }
}

TEST(graph_branch, a_branch_may_go_back) {
    pool workers{2};
    graph some;
    int turns = 0;
    int ended = 0;
    const auto start = some.add([&] { turns = 0; });
    const auto body = some.add([&] { ++turns; }).after(start);
    const auto again = some.branch("again?", [&] { return turns < 1'000 ? 0 : 1; }).after(body);
    again.chooses(body, some.add([&] { ++ended; }));
    for (int run = 1; run != 4; ++run) {
        some.run(workers).get();
        EXPECT_EQ(turns, 1'000);
        EXPECT_EQ(ended, run);
    }
}

TEST(graph_branch, a_turn_of_a_loop_may_fork_and_join) {
    pool workers{2};
    graph some;
    std::atomic<int> left{0};
    std::atomic<int> right{0};
    std::atomic<int> late{0};
    int turns = 0;
    int unequal = 0;
    const auto start = some.add([&] { turns = left = right = late = 0; });
    const auto body = some.add([&] { ++turns; }).after(start);
    const auto one = some.add([&] { ++left; }).after(body);
    const auto other = some.add([&] { ++right; }).after(body);
    some.add([&] { ++late; }).after(other); // it ends before the next turn too
    some.branch("again?",
                [&] {
                    unequal += left == right && left == turns ? 0 : 1;
                    return turns < 200 ? 0 : 1;
                })
        .after(one, other)
        .chooses(body);
    for (int run = 0; run != 20; ++run) {
        some.run(workers).get();
        ASSERT_EQ(turns, 200);
        ASSERT_EQ(left, 200);
        ASSERT_EQ(right, 200);
        ASSERT_EQ(late, 200);
    }
    EXPECT_EQ(unequal, 0);
}

TEST(graph_branch, loops_may_be_nested_and_a_branch_may_choose_itself) {
    pool workers{2};
    graph some;
    int inner = 0;
    int outer = 0;
    int self = 0;
    const auto start = some.add([&] { inner = outer = self = 0; });
    const auto turn = some.add([&] { ++inner; }).after(start);
    const auto again = some.branch("inner?", [&] { return inner % 10 != 0 ? 0 : 1; }).after(turn);
    const auto round = some.add([&] { ++outer; });
    const auto more = some.branch("outer?", [&] { return outer < 10 ? 0 : 1; }).after(round);
    const auto alone = some.branch("self?", [&] { return ++self < 7 ? 0 : 1; });
    // Into another part, which runs the first one again through its only way in.
    const auto back = some.branch("back", [] { return 0; });
    again.chooses(turn, round);
    more.chooses(back, alone);
    alone.chooses(alone);
    back.chooses(alone);
    some.run(workers).get();
    EXPECT_EQ(inner, 10);
    EXPECT_EQ(outer, 1);
    EXPECT_EQ(self, 7);
}

TEST(graph_branch, a_branch_reads_results) {
    pool workers{2};
    graph some;
    int chosen = -1;
    const auto value = some.add([] { return 1U; });
    some.branch(
            "which?", [](unsigned it) { return it; }, value)
        .chooses(some.add([&] { chosen = 0; }), some.add([&] { chosen = 1; }));
    some.run(workers).get();
    EXPECT_EQ(chosen, 1);
}

TEST(graph_branch, a_result_that_was_not_left_is_an_error) {
    pool workers{1};
    graph some;
    const auto ask = some.branch("which?", [] { return 1; });
    const auto left = some.add("left", [] { return 1; });
    const auto right = some.add("right", [] { return 2; });
    const auto both = some.add("both", [](int, int) {}, left, right);
    static_cast<void>(both);
    ask.chooses(left, right);
    const std::string text = text_of_error([&] { some.run(workers).get(); });
    EXPECT_TRUE(contains(text, "node \"both\"")) << text;
    EXPECT_TRUE(contains(text, "not left")) << text;
}

TEST(graph_branch, a_failure_in_a_loop_ends_it) {
    pool workers{2};
    graph some;
    int turns = 0;
    int ended = 0;
    const auto start = some.add([&] { turns = 0; });
    const auto body = some.add("body",
                               [&] {
                                   if (++turns == 3) throw std::runtime_error{"third"};
                               })
                          .after(start);
    some.branch("again?", [] { return 0; }).after(body).chooses(body, some.add([&] { ++ended; }));
    for (int run = 0; run != 3; ++run) {
        const std::string text = text_of_error([&] { some.run(workers).get(); });
        EXPECT_TRUE(contains(text, "node \"body\", which threw: third")) << text;
        EXPECT_EQ(turns, 3);
    }
    EXPECT_EQ(ended, 0);
}

TEST(graph_branch, an_endless_loop_can_be_cancelled) {
    pool workers{1};
    graph some;
    std::stop_source stop;
    std::atomic<int> turns{0};
    const auto start = some.add([] {});
    const auto body = some.add([&] { ++turns; }).after(start);
    some.branch("always", [] { return 0; }).after(body).chooses(body);
    auto run = some.run(workers, {.stop = stop.get_token()});
    spin_until([&] { return turns > 100; });
    int others = 0;
    workers.run([&] { ++others; }); // it keeps no other task waiting
    EXPECT_EQ(others, 1);
    stop.request_stop();
    EXPECT_EQ(error_of([&] { run.get(); }), "cancelled");
}

TEST(graph_branch, what_runs_in_any_case_cannot_be_chosen) {
    graph some;
    const auto ask = some.branch("ask", [] { return 0; });
    const auto free = some.add("free", [] {});
    const auto next = some.add("next", [] {}).after(free);
    ask.chooses(next);
    const std::string text = text_of_error([&] { some.prepare(); });
    EXPECT_TRUE(contains(text, "the branch \"ask\" chooses \"next\"")) << text;
    EXPECT_TRUE(contains(text, "invalid_argument")) << text;
}

TEST(graph_branch, a_graph_in_which_no_node_begins_is_refused) {
    graph some;
    const auto body = some.add([] {});
    some.branch("again?", [] { return 0; }).after(body).chooses(body);
    EXPECT_TRUE(contains(text_of_error([&] { some.prepare(); }), "no node begins"));
}

TEST(graph_branch, a_part_that_runs_cannot_be_entered) {
    pool workers{2};
    graph some;
    event entered;
    event refused;
    const auto first = some.branch("first", [] { return 0; });
    const auto second = some.branch("second", [&] {
        entered.await();
        return 0;
    });
    const auto shared = some.add("shared", [&] {
        entered.happen();
        static_cast<void>(comes_soon([&] { return refused.has_happened(); }));
    });
    first.chooses(shared);
    second.chooses(shared);
    some.branch("after", [&] { return 0; }).after(second);
    const auto watch = some.add([&] { refused.happen(); });
    some.branch("watch", [] { return 0; }).after(second).chooses(watch);
    const std::string text = text_of_error([&] { some.run(workers).get(); });
    EXPECT_TRUE(contains(text, "node \"second\"")) << text;
    EXPECT_TRUE(contains(text, "a part that runs")) << text;
}

// Subgraphs

TEST(graph_subgraph, its_nodes_end_before_the_successors_begin) {
    pool workers{2};
    graph some;
    std::atomic<int> inside{0};
    std::vector<int> seen;
    const auto outer = some.add("outer", [&](subgraph& made) {
        const auto first = made.add([&] { ++inside; });
        for (int i = 0; i != 20; ++i) made.add([&] { ++inside; }).after(first);
        EXPECT_EQ(made.size(), 21U);
    });
    some.add([&] { seen.push_back(inside.exchange(0)); }).after(outer);
    for (int run = 0; run != 50; ++run) some.run(workers).get();
    EXPECT_EQ(seen, std::vector<int>(50, 21));
}

TEST(graph_subgraph, it_may_be_nested_and_pass_results_and_loop) {
    pool workers{2};
    graph some;
    std::atomic<int> sum{0};
    int seen = 0;
    const auto count = some.add([] { return 5; });
    const auto outer = some.add(
        [&](subgraph& made, int wanted) {
            for (int i = 0; i != wanted; ++i) {
                made.add([&, i](subgraph& inner) {
                    auto left = std::make_shared<int>(2);
                    const auto first = inner.add([] {});
                    const auto value = inner.add([i] { return i; }).after(first);
                    const auto add = inner.add([&](int it) { sum += it; }, value);
                    inner.branch("again?", [left] { return --*left; })
                        .after(add)
                        .chooses(value, add);
                });
            }
            return wanted * 100;
        },
        count);
    some.add([&](int it) { seen = it + sum; }, outer);
    for (int run = 0; run != 10; ++run) {
        sum = 0;
        some.run(workers).get();
        EXPECT_EQ(seen, 500 + 10 * 3); // the branch goes back to `add`, then to `value`, then ends
    }
}

TEST(graph_subgraph, one_without_nodes_ends_at_once) {
    pool workers{1};
    graph some;
    int after = 0;
    some.add([&] { ++after; }).after(some.add([](subgraph&) {}));
    some.run(workers).get();
    EXPECT_EQ(after, 1);
}

TEST(graph_subgraph, a_failure_in_it_stops_what_is_behind_its_node) {
    pool workers{2};
    graph some;
    std::atomic<int> behind{0};
    std::atomic<int> siblings{0};
    const auto outer = some.add("outer", [&](subgraph& made) {
        const auto bad = made.add("bad", [] { throw std::runtime_error{"inside"}; });
        made.add([&] { ++behind; }).after(bad);
        made.add([&] { ++siblings; });
    });
    some.add([&] { ++behind; }).after(outer);
    for (int run = 1; run != 4; ++run) {
        const std::string text = text_of_error([&] { some.run(workers).get(); });
        EXPECT_TRUE(contains(text, "node \"outer/bad\", which threw: inside")) << text;
        EXPECT_EQ(behind, 0);
        EXPECT_EQ(siblings, run);
    }
}

TEST(graph_subgraph, a_builder_that_throws_or_makes_a_cycle_fails_its_node) {
    pool workers{1};
    graph some;
    bool cycle = true;
    int ran = 0;
    some.add("outer", [&](subgraph& made) {
        const auto node = made.add("node", [&] { ++ran; });
        if (cycle) node.after(node);
        else throw std::runtime_error{"no more"};
    });
    EXPECT_TRUE(contains(text_of_error([&] { some.run(workers).get(); }), "\"node\" -> \"node\""));
    cycle = false;
    EXPECT_TRUE(contains(text_of_error([&] { some.run(workers).get(); }), "no more"));
    EXPECT_EQ(ran, 0);
}

// Modules

TEST(graph_module, a_graph_is_a_node_of_another) {
    pool workers{2};
    std::atomic<int> sum{0};
    graph inner;
    const auto one = inner.add("one", [&] { ++sum; });
    inner.add("two", [&] { sum += 10; }).after(one);
    graph outer;
    int seen = 0;
    const auto first = outer.add("first", inner);
    const auto second = outer.add("second", inner).after(first);
    outer.add("beside", inner);
    outer.add([&] { seen = sum; }).after(second);
    outer.run(workers).get();
    EXPECT_EQ(sum, 33);
    EXPECT_GE(seen, 22);
    inner.run(workers).get(); // also by itself
    EXPECT_EQ(sum, 44);
}

TEST(graph_module, it_can_be_changed_no_more_and_may_end_first) {
    pool workers{1};
    int runs = 0;
    graph outer;
    {
        graph inner;
        const auto node = inner.add([&] { ++runs; });
        outer.add("inner", inner);
        EXPECT_EQ(error_of([&] { inner.add([] {}); }), "invalid_argument");
        EXPECT_EQ(error_of([&] { node.after(node); }), "invalid_argument");
    }
    outer.run(workers).get();
    EXPECT_EQ(runs, 1);
}

TEST(graph_module, a_graph_cannot_be_part_of_itself) {
    graph some;
    EXPECT_EQ(error_of([&] { some.add("itself", some); }), "would_deadlock");
}

TEST(graph_module, a_wrong_module_fails_its_node) {
    pool workers{1};
    graph inner;
    const auto node = inner.add("node", [] {});
    node.after(node);
    graph outer;
    outer.add("module", inner);
    outer.add("nothing", graph{});
    const std::string text = text_of_error([&] { outer.run(workers).get(); });
    EXPECT_TRUE(contains(text, "node \"module\"")) << text;
    EXPECT_TRUE(contains(text, "cycle")) << text;
}

// Resources and priorities

TEST(graph_resource, a_node_has_the_resources_that_it_names) {
    pool workers{2};
    resource<int> count{0};
    resource<std::string> words{"a"};
    limit two{2};
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    graph some;
    const auto value = some.add([] { return 2; });
    for (int i = 0; i != 10; ++i) {
        some.add(
            "add", when(count, read(words), two),
            [&](int& data, const std::string& text, int more) {
                data += more * static_cast<int>(text.size());
            },
            value);
        some.add("limited", when(two), [&] {
            const int now = ++inside;
            if (now > most) most = now;
            --inside;
        });
    }
    for (int run = 0; run != 20; ++run) some.run(workers).get();
    EXPECT_EQ(when(count).submit(workers, [](int& data) { return data; }).get(), 400);
    EXPECT_LE(most, 2);
}

TEST(graph_resource, no_worker_waits_for_a_resource) {
    pool workers{1};
    resource<int> data{0};
    std::optional<completion<void>> held;
    auto holding = when(data).hold<void>(
        workers, [&](int&, completion<void> done) { held.emplace(std::move(done)); },
        [](int& it, future<void>) { it = 5; });
    graph some;
    int other = 0;
    int seen = 0;
    some.add("waits", when(data), [&](int& it) { seen = it; });
    some.add("runs", [&] { ++other; });
    auto run = some.run(workers);
    workers.wait_idle();
    EXPECT_EQ(other, 1);
    EXPECT_FALSE(run.ready());
    EXPECT_EQ(seen, 0);
    held->complete();
    run.get();
    holding.get();
    EXPECT_EQ(seen, 5);
}

TEST(graph_resource, a_pool_that_ends_first_leaves_the_node_unrun) {
    pool other{1};
    resource<int> data{0};
    std::optional<completion<void>> held;
    auto holding = when(data).hold<void>(
        other, [&](int&, completion<void> done) { held.emplace(std::move(done)); },
        [](int&, future<void>) {});
    other.wait_idle();
    int ran = 0;
    graph some;
    const auto waits = some.add("waits", when(data), [&](int&) { ++ran; });
    some.add([&] { ++ran; }).after(waits);
    for (int i = 0; i != 50; ++i) some.add(when(data), [&](int&) { ++ran; });
    future<void> run;
    {
        pool workers{1};
        run = some.run(workers);
        workers.wait_idle();
    }
    held->complete();
    EXPECT_EQ(error_of([&] { run.get(); }), "not_run");
    EXPECT_EQ(ran, 0);
    holding.get();
    other.wait_idle();
}

/// The thread that gives the resource back ends what is behind the node, while the only worker of
/// the pool still runs the others.
TEST(graph_resource, a_pool_that_ends_runs_the_nodes_that_do_not_wait) {
    pool other{1};
    for (int round = 0; round != 20; ++round) {
        resource<int> data{0};
        std::optional<completion<void>> held;
        auto holding = when(data).hold<void>(
            other, [&](int&, completion<void> done) { held.emplace(std::move(done)); },
            [](int&, future<void>) {});
        other.wait_idle();
        graph some;
        event begun;
        event released;
        auto waits = some.add(when(data), [](int&) {});
        auto behind = some.add([] {}).after(waits);
        for (int i = 0; i != 3; ++i) behind = some.add([] {}).after(behind);
        const auto begins = some.add([&] {
            begun.happen();
            released.await();
        });
        for (int i = 0; i != 1'000; ++i) {
            const auto one = some.add([] {}).after(begins);
            const auto both = some.add([] {}).after(behind, one);
            some.add([] {}).after(both);
        }
        auto workers = std::make_unique<pool>(pool_options{.workers = 1});
        auto run = some.run(*workers);
        begun.await();
        const auto& front = workers->front();
        std::thread ends{[&] { workers.reset(); }};
        spin_until([&] { return front.stopping(); });
        std::thread gives{[&] {
            released.happen();
            held->complete();
        }};
        gives.join();
        ends.join();
        other.wait_idle();
        EXPECT_EQ(error_of([&] { run.get(); }), "not_run");
        holding.get();
        other.wait_idle();
    }
}

TEST(graph_resource, what_is_asked_for_is_checked_when_the_node_is_added) {
    limit small{2};
    graph some;
    EXPECT_EQ(error_of([&] { some.add(when(take(small, 3)), [] {}); }), "overweight");
    EXPECT_EQ(error_of([&] { some.add(when(take(small, 0)), [] {}); }), "invalid_argument");
    EXPECT_EQ(some.size(), 0U);
}

TEST(graph_resource, a_failure_passes_the_resource_on) {
    pool workers{2};
    resource<int> data{0};
    graph some;
    some.add("bad", when(data), [](int&) { throw std::runtime_error{"no"}; });
    some.add("good", when(data), [](int& it) { ++it; });
    for (int run = 0; run != 5; ++run) {
        EXPECT_EQ(error_of([&] { some.run(workers).get(); }), "node_failed");
    }
    EXPECT_EQ(when(data).submit(workers, [](int& it) { return it; }).get(), 5);
}

TEST(graph_priority, what_is_urgent_is_run_first) {
    pool workers{1};
    graph some;
    std::string order;
    const auto first = some.add([] {});
    some.add([&] { order += 'l'; }).after(first).priority(priority::low);
    some.add([&] { order += 'n'; }).after(first);
    some.add([&] { order += 'h'; }).after(first).priority(priority::high);
    some.run(workers).get();
    EXPECT_EQ(order, "hnl");
}

// What a graph shows

TEST(graph_view, statistics_count_the_runs_of_each_node) {
    pool workers{2};
    graph some;
    int turns = 0;
    const auto start = some.add("start", [&] { turns = 0; });
    const auto body = some.add("body", [&] { ++turns; }).after(start);
    some.branch("again?", [&] { return turns < 3 ? 0 : 1; }).after(body).chooses(body);
    some.run(workers).get();
    EXPECT_TRUE(some.statistics().empty());
    some.measure();
    EXPECT_TRUE(some.statistics().empty()); // nothing was measured yet
    for (int run = 0; run != 2; ++run) some.run(workers).get();
    const auto all = some.statistics();
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].name, "start");
    EXPECT_EQ(all[0].runs, 2U);
    EXPECT_EQ(all[1].runs, 6U);
    EXPECT_EQ(all[2].runs, 6U);
    EXPECT_GE(all[1].time.count(), 0);
    EXPECT_TRUE(contains(some.to_dot(), "body\\n6 x ")) << some.to_dot();
}

TEST(graph_view, dot_shows_nodes_edges_choices_and_modules) {
    graph inner;
    inner.add("in \"quotes\"", [] {});
    graph some;
    const auto first = some.add("first", [] {});
    const auto unnamed = some.add([] {}).after(first);
    const auto ask = some.branch("ask", [] { return 0; }).after(unnamed);
    const auto module = some.add("module", inner);
    ask.chooses(module).chooses(unnamed);
    EXPECT_EQ(some.to_dot(), R"(digraph {
  node [shape=box, style=rounded]
  n0 [label="first"]
  n1 [label="#1"]
  n2 [label="ask", shape=diamond, style=solid]
  n3 [label="module", shape=folder, style=solid]
  subgraph cluster_n3 {
    label="module"
    n3_0 [label="in \"quotes\""]
  }
  n0 -> n1
  n1 -> n2
  n2 -> n3 [style=dashed, label="0"]
  n2 -> n1 [style=dashed, label="1"]
}
)");
}

} // namespace
} // namespace weft::test
