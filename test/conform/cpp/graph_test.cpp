#include "conform/cpp/occupation.hpp"
#include "conform/cpp/rendezvous.hpp"

#include <weft/completion.hpp>
#include <weft/fork_join.hpp>
#include <weft/graph.hpp>
#include <weft/pool.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft::test {
namespace {

/// The message of the error, and that of the exception nested in it.
struct graph_failure {
    errc code{};
    std::string text;
    std::string cause;
};

std::optional<graph_failure> failure_of(future<void> run) {
    try {
        run.get();
    } catch (const error& thrown) {
        graph_failure found{thrown.code(), thrown.what(), ""};
        try {
            std::rethrow_if_nested(thrown);
        } catch (const std::exception& nested) {
            found.cause = nested.what();
        } catch (int number) {
            found.cause = std::to_string(number);
        }
        return found;
    }
    return std::nullopt;
}

template <class Call>
graph_failure refusal_of(Call call) {
    try {
        call();
    } catch (const error& thrown) {
        return {thrown.code(), thrown.what(), ""};
    }
    ADD_FAILURE() << "it throws";
    return {};
}

// Order

TEST(graph, a_node_runs_after_all_its_predecessors) {
    pool workers{2};
    graph diamond;
    std::atomic<int> before{0};
    int seen = 0;
    const auto first = diamond.add("first", [&] { before = 1; });
    const auto left = diamond.add("left", [&] { before += 10; }).after(first);
    const auto right = diamond.add("right", [&] { before += 100; }).after(first);
    diamond.add("last", [&] { seen = before; }).after(left, right);
    for (int run = 0; run != 100; ++run) {
        seen = 0;
        diamond.run(workers).get();
        ASSERT_EQ(seen, 111);
    }
}

TEST(graph, before_says_the_same_from_the_other_side) {
    pool workers{2};
    graph some;
    std::vector<int> order;
    const auto third = some.add([&] { order.push_back(3); });
    const auto second = some.add([&] { order.push_back(2); });
    some.add([&] { order.push_back(1); }).before(second, third);
    second.before(third);
    some.run(workers).get();
    EXPECT_EQ(order, (std::vector{1, 2, 3}));
}

TEST(graph, a_graph_without_nodes_ends_at_once) {
    pool workers{1};
    graph empty;
    EXPECT_EQ(empty.size(), 0U);
    empty.run(workers).get();
}

TEST(graph, an_edge_that_is_named_twice_counts_once) {
    pool workers{2};
    graph some;
    int runs = 0;
    const auto first = some.add([] { return 1; });
    some.add([&](int) { ++runs; }, first).after(first).after(first);
    some.run(workers).get();
    EXPECT_EQ(runs, 1);
}

// Results

TEST(graph, results_are_passed_along_the_edges) {
    pool workers{2};
    graph some;
    std::string left;
    const auto number = some.add("number", [] { return 20; });
    const auto text = some.add("text", [] { return std::string{"times two is "}; });
    const auto both = some.add(
        "both",
        [](const std::string& words, int value) { return words + std::to_string(2 * value); }, text,
        number);
    some.add([&](const std::string& result) { left = result; }, both);
    for (int run = 0; run != 10; ++run) {
        left.clear();
        some.run(workers).get();
        EXPECT_EQ(left, "times two is 40");
    }
}

/// Counts its copies.
struct counted_text {
    explicit counted_text(std::atomic<int>& copied) : copies{&copied} {}
    counted_text(const counted_text& other) : copies{other.copies} { ++*copies; }
    counted_text(counted_text&& other) noexcept = default;
    counted_text& operator=(const counted_text&) = delete;
    ~counted_text() = default;
    std::atomic<int>* copies;
};

TEST(graph, readers_share_a_result_and_the_last_may_take_it) {
    pool workers{2};
    graph some;
    std::atomic<int> copies{0};
    std::atomic<int> readers{0};
    int readers_before = 0;
    auto made = some.add([&] { return counted_text{copies}; });
    some.add([&](counted_text&&) { readers_before = readers; }, std::move(made));
    some.add([&](const counted_text&) { ++readers; },
             made); // NOLINT(bugprone-use-after-move): a handle
    some.add([&](const counted_text&) { ++readers; }, made);
    some.run(workers).get();
    EXPECT_EQ(copies, 0);
    EXPECT_EQ(readers_before, 2);
}

TEST(graph, a_result_may_be_movable_only) {
    pool workers{2};
    graph some;
    int seen = 0;
    some.add([&](std::unique_ptr<int> taken) { seen = *taken; },
             some.add([] { return std::make_unique<int>(5); }));
    some.run(workers).get();
    some.run(workers).get();
    EXPECT_EQ(seen, 5);
}

TEST(graph, a_reference_stays_one) {
    pool workers{2};
    graph some;
    int value = 1;
    const auto found = some.add([&]() -> int& { return value; });
    some.add([](int& it) { it = 7; }, found);
    some.run(workers).get();
    EXPECT_EQ(value, 7);
}

TEST(graph, a_node_without_a_result_only_has_to_end) {
    pool workers{2};
    graph some;
    std::string order;
    const auto first = some.add([&] { order += 'a'; });
    const auto value = some.add([&] { return 'c'; });
    some.add([&](char read) { order += read; }, first, value);
    some.run(workers).get();
    EXPECT_EQ(order, "ac");
}

TEST(graph, results_are_destroyed_when_the_run_has_ended) {
    pool workers{2};
    graph some;
    const auto token = std::make_shared<int>(1);
    const auto kept = some.add([token] { return token; });
    some.add([](const std::shared_ptr<int>&) {}, kept);
    some.add([](const std::shared_ptr<int>&) {}, kept);
    some.run(workers).get();
    EXPECT_EQ(token.use_count(), 2); // its own, and that of the callable
}

TEST(graph, at_most_one_node_takes_a_result) {
    graph some;
    auto made = some.add("made", [] { return 1; });
    auto copy = made;
    some.add("one", [](int) {}, std::move(made));
    some.add("other", [](int) {}, std::move(copy));
    const graph_failure found = refusal_of([&] { some.prepare(); });
    EXPECT_EQ(found.code, errc::invalid_argument);
    EXPECT_NE(found.text.find("\"one\" and \"other\" both take the result of \"made\""),
              std::string::npos)
        << found.text;
}

// Runs

TEST(graph, runs_follow_each_other_without_being_built_again) {
    pool workers{2};
    graph some;
    std::atomic<int> runs{0};
    const auto first = some.add([&] { ++runs; });
    for (int i = 0; i != 9; ++i) some.add([&] { ++runs; }).after(first);
    std::vector<future<void>> all;
    for (int i = 0; i != 50; ++i) all.push_back(some.run(workers));
    for (future<void>& each : all) each.get();
    EXPECT_EQ(runs, 500);
}

TEST(graph, several_threads_may_run_a_graph_at_once) {
    pool workers{2};
    graph some;
    std::atomic<int> runs{0};
    std::atomic<int> wrong{0};
    const auto value = some.add([&] { return ++runs; });
    const auto same = some.add([](int it) { return it; }, value);
    const auto copy = some.add([](int it) { return it; }, value);
    some.add([&](int one, int other) { wrong += one == other ? 0 : 1; }, same, copy);
    std::vector<std::jthread> threads;
    for (int i = 0; i != 4; ++i) {
        threads.emplace_back([&] {
            for (int run = 0; run != 100; ++run) some.run(workers).get();
        });
    }
    threads.clear();
    EXPECT_EQ(runs, 400);
    EXPECT_EQ(wrong, 0); // each run has its own results
}

TEST(graph, two_pools_may_run_it_at_once) {
    pool one{1};
    pool other{2};
    graph some;
    std::atomic<int> runs{0};
    const auto first = some.add([&] { ++runs; });
    const auto second = some.add([&] { ++runs; }).after(first);
    some.add([&] { ++runs; }).after(first, second);
    for (int i = 0; i != 50; ++i) {
        auto left = some.run(one);
        auto right = some.run(other);
        left.get();
        right.get();
    }
    EXPECT_EQ(runs, 300);
}

TEST(graph, a_worker_may_run_it_and_continue_behind_it) {
    pool workers{1};
    graph some;
    int runs = 0;
    some.add([&] { ++runs; });
    future<int> after = workers.run([&] {
        auto run = some.run();
        EXPECT_EQ(error_of([&] { run.wait(); }), "would_deadlock");
        return std::move(run).then([&](future<void> ended) {
            ended.get();
            return runs;
        });
    });
    EXPECT_EQ(after.get(), 1);
    EXPECT_EQ(error_of([&] { some.run(); }), "outside_pool");
}

TEST(graph, a_graph_may_end_while_it_runs) {
    pool workers{2};
    event begun;
    event over;
    std::atomic<int> runs{0};
    future<void> run = [&] {
        graph some;
        const auto first = some.add([&] {
            begun.happen();
            over.await();
        });
        some.add([&] { ++runs; }).after(first);
        auto started = some.run(workers);
        begun.await();
        return started;
    }();
    over.happen();
    run.get();
    EXPECT_EQ(runs, 1);
}

TEST(graph, a_graph_that_runs_cannot_be_changed) {
    pool workers{1};
    graph some;
    event over;
    const auto first = some.add([&] { over.await(); });
    const auto second = some.add([] {}).after(first);
    auto run = some.run(workers);
    EXPECT_EQ(error_of([&] { some.add([] {}); }), "invalid_argument");
    EXPECT_EQ(error_of([&] { second.after(first); }), "invalid_argument");
    EXPECT_EQ(error_of([&] { second.priority(priority::high); }), "invalid_argument");
    EXPECT_EQ(error_of([&] { some.measure(); }), "invalid_argument");
    over.happen();
    run.get();
    int runs = 0;
    some.add([&] { ++runs; }).after(second); // afterwards it can
    some.run(workers).get();
    EXPECT_EQ(runs, 1);
}

TEST(graph, no_worker_waits_in_a_run) {
    pool workers{1}; // a worker that waited would wait for ever
    graph some;
    std::vector<int> order;
    const auto first = some.add([&] { order.push_back(1); });
    const auto inner = some.add([&](subgraph& made) {
                               const auto two = made.add([&] { order.push_back(2); });
                               made.add([&] { order.push_back(3); }).after(two);
                           })
                           .after(first);
    some.add([&] { order.push_back(4); }).after(inner);
    some.run(workers).get();
    EXPECT_EQ(order, (std::vector{1, 2, 3, 4}));
}

/// A chain is run without a queue, but what is queued meanwhile is run before the chain has ended.
TEST(graph, a_long_chain_keeps_no_other_task_waiting) {
    pool workers{1};
    graph chain;
    std::atomic<int> nodes{0};
    std::atomic<int> nodes_before{-1};
    constexpr int length = 2'000;
    auto last = chain.add([&] {
        ++nodes;
        pool::current()->post([&] { nodes_before = nodes.load(); });
    });
    for (int i = 1; i != length; ++i) last = chain.add([&] { ++nodes; }).after(last);
    chain.run(workers).get();
    workers.wait_idle();
    EXPECT_EQ(nodes, length);
    EXPECT_GE(nodes_before, 1);
    EXPECT_LE(nodes_before, 257); // finder.hpp: 255 tasks at most
}

// Failures

TEST(graph, a_failure_stops_what_is_behind_it_and_names_the_node) {
    pool workers{2};
    graph some;
    std::atomic<int> behind{0};
    std::atomic<int> others{0};
    const auto bad = some.add("parse", [] { throw std::runtime_error{"no such file"}; });
    const auto next = some.add([&] { ++behind; }).after(bad);
    const auto good = some.add([&] { ++others; });
    some.add([&] { ++others; }).after(good);
    some.add([&] { ++behind; }).after(next, good);
    for (int run = 1; run <= 20; ++run) {
        const auto found = failure_of(some.run(workers));
        ASSERT_TRUE(found.has_value());
        EXPECT_EQ(found->code, errc::node_failed);
        EXPECT_EQ(found->text,
                  "weft::graph, node \"parse\", which threw: no such file: a node of the "
                  "graph failed, and its successors were not run (node_failed)");
        EXPECT_EQ(found->cause, "no such file");
        EXPECT_EQ(behind, 0);
        EXPECT_EQ(others, 2 * run);
    }
}

TEST(graph, a_failure_at_any_node_ends_the_run) {
    pool workers{2};
    std::atomic<int> failing{-1};
    std::atomic<int> ran{0};
    graph some;
    std::vector<graph_node<void>> nodes;
    constexpr int count = 40;
    for (int i = 0; i != count; ++i) {
        nodes.push_back(some.add([&, i] {
            ++ran;
            if (i == failing) throw i;
        }));
        for (int before = 1; before <= 3 && before <= i; ++before) {
            nodes[static_cast<std::size_t>(i - before)].before(nodes.back());
        }
    }
    for (int i = 0; i != count; ++i) {
        failing = i;
        ran = 0;
        const auto found = failure_of(some.run(workers));
        ASSERT_TRUE(found.has_value());
        EXPECT_EQ(found->cause, std::to_string(i));
        EXPECT_EQ(ran, i + 1); // all that are behind it
    }
    failing = -1;
    some.run(workers).get();
}

TEST(graph, of_several_failures_the_first_is_reported) {
    pool workers{1};
    graph some;
    const auto first = some.add("first", [] { throw 1; });
    static_cast<void>(first);
    some.add("second", [] { throw 2; });
    const auto found = failure_of(some.run(workers));
    ASSERT_TRUE(found.has_value());
    EXPECT_NE(found->text.find("first"), std::string::npos) << found->text;
}

TEST(graph, the_failure_of_a_dropped_run_goes_to_the_handler) {
    std::atomic<int> failures{0};
    graph some;
    some.add([] { throw 1; });
    {
        pool workers{{.workers = 1, .on_error = [&](const std::exception_ptr&) { ++failures; }}};
        static_cast<void>(some.run(workers));
    }
    EXPECT_EQ(failures, 1);
}

TEST(graph, a_run_can_be_cancelled) {
    pool workers{1};
    graph some;
    std::stop_source stop;
    int ran = 0;
    const auto first = some.add([&] {
        ++ran;
        stop.request_stop();
    });
    const auto second = some.add([&] { ++ran; }).after(first);
    some.add([&] { ++ran; }).after(second);
    auto found = failure_of(some.run(workers, {.stop = stop.get_token()}));
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->code, errc::cancelled);
    EXPECT_EQ(ran, 1);
    found = failure_of(some.run(workers, {.stop = stop.get_token()}));
    EXPECT_EQ(found->code, errc::cancelled);
    EXPECT_EQ(ran, 1);
    stop = std::stop_source{};
    const std::stop_source other;
    some.run(workers, {.stop = other.get_token()}).get();
    EXPECT_EQ(ran, 4);
}

TEST(graph, stop_after_the_last_node_changes_nothing) {
    pool workers{1};
    graph some;
    std::stop_source stop;
    some.add([&] { stop.request_stop(); });
    some.run(workers, {.stop = stop.get_token()}).get();
}

TEST(graph, a_pool_that_stops_ends_the_run_as_not_run) {
    graph some;
    event begun;
    event over;
    int ran = 0;
    const auto first = some.add([&] {
        begun.happen();
        over.await();
    });
    some.add([&] { ++ran; }).after(first);
    pool workers{1};
    auto run = some.run(workers);
    begun.await();
    std::jthread stopping{[&] { workers.stop(on_stop::cancel); }};
    spin_until([&] { return workers.front().cancelling(); });
    over.happen();
    const auto found = failure_of(std::move(run));
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->code, errc::not_run);
    EXPECT_EQ(ran, 0);
    stopping.join();
    EXPECT_EQ(error_of([&] { static_cast<void>(some.run(workers)); }), "stopped");
    pool fresh{1};
    some.run(fresh).get(); // the graph is not affected
    EXPECT_EQ(ran, 1);
}

TEST(graph, a_pool_that_drains_runs_the_whole_graph) {
    graph some;
    std::atomic<int> ran{0};
    auto last = some.add([&] { ++ran; });
    for (int i = 1; i != 300; ++i) last = some.add([&] { ++ran; }).after(last);
    future<void> run;
    {
        pool workers{2};
        run = some.run(workers);
    }
    run.get();
    EXPECT_EQ(ran, 300);
}

// What is refused

TEST(graph, a_cycle_is_refused_and_printed) {
    graph some;
    const auto start = some.add("start", [] {});
    const auto load = some.add("load", [] {}).after(start);
    const auto parse = some.add("parse", [] {}).after(load);
    const auto check = some.add("check", [] {}).after(parse);
    load.after(check);
    const graph_failure found = refusal_of([&] { some.prepare(); });
    EXPECT_EQ(found.code, errc::would_deadlock);
    // From any of its nodes.
    const std::string round =
        "\"load\" -> \"parse\" -> \"check\" -> \"load\" -> \"parse\" -> \"check\"";
    const auto begin = found.text.find("cycle: ") + 7;
    const std::string cycle = found.text.substr(begin, found.text.find(": waiting") - begin);
    EXPECT_NE(round.find(cycle), std::string::npos) << found.text;
    EXPECT_EQ(std::count(cycle.begin(), cycle.end(), '>'), 3) << found.text;
    pool workers{1};
    EXPECT_EQ(error_of([&] { static_cast<void>(some.run(workers)); }), "would_deadlock");
}

TEST(graph, a_node_that_follows_itself_is_a_cycle) {
    graph some;
    const auto node = some.add("itself", [] {});
    node.after(node);
    EXPECT_NE(refusal_of([&] { some.prepare(); }).text.find("\"itself\" -> \"itself\""),
              std::string::npos);
}

TEST(graph, nodes_of_different_graphs_cannot_be_connected) {
    graph one;
    graph other;
    const auto here = one.add([] { return 1; });
    const auto there = other.add([] {});
    EXPECT_EQ(error_of([&] { here.after(there); }), "invalid_argument");
    EXPECT_EQ(error_of([&] { other.add([](int) {}, here); }), "invalid_argument");
    EXPECT_EQ(other.size(), 1U);
}

/// Copying it throws.
struct refuses_copies {
    refuses_copies() = default;
    refuses_copies(const refuses_copies&) { throw 3; }
    refuses_copies& operator=(const refuses_copies&) = delete;
    ~refuses_copies() = default;
    void operator()() const {}
};

TEST(graph, a_callable_that_cannot_be_copied_adds_nothing) {
    graph some;
    some.add([] {});
    EXPECT_THROW(some.add(refuses_copies{}), int);
    EXPECT_EQ(some.size(), 1U);
    pool workers{1};
    some.run(workers).get();
}

TEST(graph, a_moved_graph_is_the_same_graph) {
    pool workers{1};
    graph first;
    int runs = 0;
    const auto node = first.add("node", [&] { ++runs; });
    graph second = std::move(first);
    second.add([&] { ++runs; }).after(node);
    second.run(workers).get();
    EXPECT_EQ(runs, 2);
    EXPECT_EQ(node.name(), "node");
}

} // namespace
} // namespace weft::test
