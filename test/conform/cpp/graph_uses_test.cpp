// Everything that graphs offer at once, from several threads; order among ready nodes; what a graph
// shows.
#include "conform/cpp/rendezvous.hpp"
#include "support/scale.hpp"

#include <weft/completion.hpp>
#include <weft/graph.hpp>
#include <weft/pool.hpp>
#include <weft/resource.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace weft::test {
namespace {

TEST(graph_uses, one_graph_with_everything_in_it_runs_on_four_threads) {
    pool workers{2};
    std::atomic<std::uint64_t> turns{0};
    std::atomic<std::uint64_t> ends{0};
    std::atomic<std::uint64_t> inside{0};
    std::atomic<int> limited{0};
    std::atomic<int> wrong{0};
    resource<std::uint64_t> total{std::uint64_t{0}};
    limit two{2};
    graph module;
    const auto one = module.add([] { return 1; });
    module.add([&](int it) { inside += static_cast<std::uint64_t>(it); }, one);
    graph some;
    const auto count = some.add([] { return std::make_shared<int>(0); }); // each run has its own
    const auto body = some.add(
        [&](const std::shared_ptr<int>& it) {
            ++*it;
            ++turns;
        },
        count);
    some.branch(
            "again?", [](const std::shared_ptr<int>& it) { return *it < 3 ? 0 : 1; }, count)
        .after(body)
        .chooses(body, some.add([&] { ++ends; }));
    const auto made = some.add([&](subgraph& inner) {
        for (int i = 0; i != 3; ++i) inner.add([&] { ++inside; });
    });
    const auto part = some.add("module", module).after(made);
    for (int i = 0; i != 3; ++i) {
        some.add(when(two),
                 [&] {
                     if (++limited > 2) ++wrong;
                     --limited;
                 })
            .priority(priority::high);
    }
    some.add(when(total), [](std::uint64_t& sum) { ++sum; }).after(part);
    const std::uint64_t each = scaled(50, 2'000);
    std::vector<std::jthread> threads;
    for (int i = 0; i != 4; ++i) {
        threads.emplace_back([&] {
            for (std::uint64_t run = 0; run != each; ++run) some.run(workers).get();
        });
    }
    threads.clear();
    EXPECT_EQ(turns, 4 * each * 3);
    EXPECT_EQ(ends, 4 * each);
    EXPECT_EQ(inside, 4 * each * 4);
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(when(read(total)).submit(workers, [](std::uint64_t sum) { return sum; }).get(),
              4 * each);
}

/// With priorities all successors are queued: one of them may have run, and its thread of control
/// have ended, before the others are looked at.
TEST(graph_uses, a_part_with_priorities_ends_when_all_of_it_has) {
    pool workers{3};
    graph some;
    std::atomic<std::uint64_t> ran{0};
    std::atomic<std::uint64_t> ends{0};
    const auto first = some.add([&] { ++ran; });
    const auto second = some.add([&] { ++ran; }).after(first).priority(priority::high);
    const auto third = some.add([&] { ++ran; }).after(first, second);
    some.branch("end", [] { return 0; }).after(third).chooses(some.add([&] { ++ends; }));
    const std::uint64_t runs = scaled(2'000, 100'000);
    for (std::uint64_t run = 1; run <= runs; ++run) {
        some.run(workers).get();
        ASSERT_EQ(ran, 3 * run);
        ASSERT_EQ(ends, run);
    }
}

/// Runs of which some fail and some are stopped: each has its own outcome, and none stays behind.
TEST(graph_uses, runs_that_fail_or_are_stopped_disturb_no_others) {
    pool workers{2};
    std::atomic<int> number{0};
    std::atomic<std::uint64_t> behind{0};
    graph some;
    const auto first = some.add([&] { return number++ % 3; });
    const auto maybe = some.add(
        "maybe",
        [](int it) {
            if (it == 0) throw it;
        },
        first);
    some.add([&] { ++behind; }).after(maybe, some.add([] {}));
    std::atomic<std::uint64_t> failed{0};
    std::atomic<std::uint64_t> cancelled{0};
    std::atomic<std::uint64_t> well{0};
    const std::uint64_t each = scaled(150, 3'000);
    std::vector<std::jthread> threads;
    for (int i = 0; i != 4; ++i) {
        threads.emplace_back([&, i] {
            for (std::uint64_t run = 0; run != each; ++run) {
                std::stop_source stop;
                if (i == 0) stop.request_stop();
                const std::string outcome =
                    error_of([&] { some.run(workers, {.stop = stop.get_token()}).get(); });
                if (outcome == "none") ++well;
                if (outcome == "cancelled") ++cancelled;
                if (outcome == "node_failed") ++failed;
            }
        });
    }
    threads.clear();
    EXPECT_EQ(cancelled, each);
    EXPECT_EQ(failed, each);
    EXPECT_EQ(well, 2 * each);
    EXPECT_EQ(behind, well);
}

TEST(graph_uses, priorities_hold_for_nodes_on_resources_too) {
    pool workers{1};
    resource<int> a;
    resource<int> b;
    resource<int> c;
    graph some;
    std::string order;
    const auto first = some.add([] {});
    some.add(when(a), [&](int&) { order += 'l'; }).after(first).priority(priority::low);
    some.add(when(b), [&](int&) { order += 'n'; }).after(first);
    some.add(when(c), [&](int&) { order += 'h'; }).after(first).priority(priority::high);
    for (int run = 0; run != 3; ++run) {
        order.clear();
        some.run(workers).get();
        EXPECT_EQ(order, "hnl");
    }
}

TEST(graph_uses, times_are_those_of_running_and_not_of_waiting) {
    using std::chrono::milliseconds;
    pool workers{1};
    resource<int> data{0};
    std::optional<completion<void>> held;
    auto holding = when(data).hold<void>(
        workers, [&](int&, completion<void> done) { held.emplace(std::move(done)); },
        [](int&, future<void>) {});
    workers.wait_idle(); // it has begun
    graph some;
    some.add("short", when(data), [](int&) {});
    some.add("long", [] {
        const auto begin = std::chrono::steady_clock::now();
        while (std::chrono::steady_clock::now() - begin < milliseconds{200}) {
        }
    });
    some.measure();
    auto run = some.run(workers);
    workers.wait_idle(); // the long one has ended, the short one waits
    held->complete();
    run.get();
    holding.get();
    const auto all = some.statistics();
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].runs, 1U);
    EXPECT_GE(all[1].time, milliseconds{200});
    EXPECT_LT(all[0].time, all[1].time);
}

TEST(graph_uses, what_was_measured_is_counted_since_the_last_change) {
    pool workers{1};
    graph some;
    const auto ask = some.branch("ask", [] { return 1; });
    const auto never = some.add("never", [] {});
    const auto chosen = some.add("some", [](subgraph& made) { made.add([] {}); });
    resource<int> data;
    some.add("held", when(data), [](int&) {}).after(chosen);
    ask.chooses(never, chosen);
    some.measure();
    for (int run = 0; run != 3; ++run) some.run(workers).get();
    EXPECT_EQ(some.statistics()[2].runs, 3U);
    const std::string dot = some.to_dot();
    for (const char* part : {"n1 [label=\"never\\nnot run\"]", "some\\n3 x ", "peripheries=2",
                             "held\\n3 x ", "style=\"rounded,bold\""}) {
        EXPECT_NE(dot.find(part), std::string::npos) << part << " in " << dot;
    }
    some.add("more", [] {}).after(chosen);
    EXPECT_TRUE(some.statistics().empty());
    some.run(workers).get();
    EXPECT_EQ(some.statistics()[2].runs, 1U);
    EXPECT_EQ(some.statistics()[4].name, "more");
}

/// Each error names its call.
TEST(graph_uses, what_is_refused_says_which_call) {
    graph some;
    graph other;
    const auto node = some.add("node", [] {});
    const auto ask = some.branch("ask", [] { return 0; });
    const auto foreign = other.add([] {});
    const auto expect = [](const char* part, auto call) {
        try {
            call();
            ADD_FAILURE() << part;
        } catch (const error& refused) {
            EXPECT_NE(std::string{refused.what()}.find(part), std::string::npos) << refused.what();
        }
    };
    expect("weft::graph_node::after", [&] { node.after(foreign); });
    expect("weft::graph_branch::chooses", [&] { ask.chooses(foreign); });
    expect("weft::graph::run", [&] { some.run(); });
    expect("weft::graph::add", [&] { some.add("itself", some); });
    other.add("part", some);
    expect("weft::graph::measure", [&] { some.measure(); });
    expect("weft::graph_node::priority", [&] { node.priority(priority::low); });
    expect("weft::graph_branch::chooses", [&] { ask.chooses(node); });
    expect("weft::graph::add", [&] { some.add([] {}); });
}

/// Names that Graphviz or the messages could take for something else.
TEST(graph_uses, names_may_have_any_characters) {
    pool workers{1};
    graph some;
    some.add("a \"b\" \\ {c} [d] ; ->", [] { throw 1; });
    const std::string long_name(100'000, 'x');
    const auto node = some.add(long_name, [] {});
    EXPECT_EQ(node.name(), long_name);
    EXPECT_NE(some.to_dot().find(R"(n0 [label="a \"b\" \\ {c} [d] ; ->"])"), std::string::npos);
    try {
        some.run(workers).get();
        ADD_FAILURE();
    } catch (const error& failed) {
        EXPECT_NE(std::string{failed.what()}.find("node \"a \"b\" \\ {c} [d] ; ->\""),
                  std::string::npos);
    }
}

} // namespace
} // namespace weft::test
