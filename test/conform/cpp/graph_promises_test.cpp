// Promises of graphs about what ends, fails, moves or is stopped while they run.
#include "conform/cpp/rendezvous.hpp"
#include "support/scale.hpp"

#include <weft/completion.hpp>
#include <weft/graph.hpp>
#include <weft/pool.hpp>
#include <weft/resource.hpp>
#include <weft/waits.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace weft::test {
namespace {

/// The message of what a run or another call throws.
std::string thrown_text(const std::function<void()>& call) {
    try {
        call();
    } catch (const error& thrown) {
        return thrown.what();
    }
    return "none";
}
bool has_part(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// Lifetimes

/// Others may end what a node has made, and with it the run, before its worker has gone on.
TEST(graph_promises, a_measured_graph_may_be_destroyed_as_soon_as_its_run_has_ended) {
    pool workers{3};
    for (std::uint64_t i = 0; i != scaled(1'000, 50'000); ++i) {
        graph inner;
        inner.add([] {}).priority(priority::high);
        graph some;
        if (i % 2 == 0) some.add("module", inner);
        else some.add([](subgraph& made) { made.add([] {}).priority(priority::high); });
        some.measure();
        some.run(workers).get();
    }
}

TEST(graph_promises, a_graph_may_be_moved_and_replaced_while_it_runs) {
    pool workers{2};
    event begun;
    event over;
    std::atomic<int> runs{0};
    graph some;
    const auto first = some.add("first", [&] {
        begun.happen();
        over.await();
    });
    some.add([&] { ++runs; }).after(first);
    auto run = some.run(workers);
    begun.await();
    graph moved = std::move(some);
    EXPECT_EQ(error_of([&] { moved.add([] {}); }), "invalid_argument"); // it still runs
    graph replaced;
    replaced.add([&] { runs += 10; });
    auto other = replaced.run(workers);
    moved = std::move(replaced); // the graph that runs has no handle any more
    over.happen();
    run.get();
    other.get();
    EXPECT_EQ(runs, 11);
    moved.run(workers).get();
    EXPECT_EQ(runs, 21);
}

TEST(graph_promises, modules_may_end_while_they_run) {
    pool workers{2};
    event begun;
    event over;
    std::atomic<int> runs{0};
    future<void> run;
    {
        graph outer;
        {
            graph inner;
            const auto first = inner.add([&] {
                begun.happen();
                over.await();
            });
            inner.add([&] { ++runs; }).after(first);
            outer.add("module", inner);
        }
        run = outer.run(workers);
        begun.await();
    }
    over.happen();
    run.get();
    EXPECT_EQ(runs, 1);
}

/// Its callables are destroyed, and graphs that it has added are free again.
TEST(graph_promises, of_a_builder_that_throws_nothing_is_left) {
    pool workers{1};
    const auto token = std::make_shared<int>(1);
    graph module;
    int runs = 0;
    module.add([&] { ++runs; });
    graph some;
    some.add("outer", [&](subgraph& made) {
        made.add([token] {});
        made.add("module", module);
        throw std::runtime_error{"no more"};
    });
    EXPECT_EQ(error_of([&] { some.run(workers).get(); }), "node_failed");
    EXPECT_EQ(token.use_count(), 1);
    EXPECT_EQ(error_of([&] { module.add([&] { ++runs; }); }), "none");
    module.run(workers).get();
    EXPECT_EQ(runs, 2);
}

TEST(graph_promises, a_run_that_is_refused_leaves_the_graph_free) {
    graph some;
    int runs = 0;
    some.add([&] { ++runs; });
    {
        pool stopped{1};
        stopped.stop();
        EXPECT_EQ(error_of([&] { static_cast<void>(some.run(stopped)); }), "stopped");
    }
    some.add([&] { ++runs; });
    pool workers{1};
    some.run(workers).get();
    EXPECT_EQ(runs, 2);
}

// Graphs in graphs

TEST(graph_promises, a_graph_cannot_be_part_of_itself_through_another) {
    graph one;
    graph other;
    one.add("other", other);
    EXPECT_EQ(error_of([&] { other.add("one", one); }), "invalid_argument");
    graph third;
    third.add("one", one);
    EXPECT_EQ(error_of([&] { other.add("third", third); }), "invalid_argument");
    EXPECT_EQ(other.size(), 0U);
}

/// A graph may run itself again from a subgraph: each run has its own memory.
TEST(graph_promises, a_graph_may_recur_through_a_subgraph) {
    pool workers{2};
    graph some;
    std::atomic<int> depth{0};
    const auto first = some.add("first", [&](subgraph& made) {
        if (++depth < 5) made.add("again", some);
    });
    some.add([&] { depth += 100; }).after(first);
    some.run(workers).get();
    EXPECT_EQ(depth, 505);
    EXPECT_EQ(error_of([&] { some.add([] {}); }), "none"); // no part of anything
}

TEST(graph_promises, subgraphs_may_be_nested_deeply) {
    pool workers{2};
    const int most = 1'000;
    std::atomic<int> depth{0};
    std::function<void(subgraph&)> descend = [&](subgraph& made) {
        if (++depth < most) made.add(std::ref(descend));
    };
    graph some;
    some.add(std::ref(descend));
    some.run(workers).get();
    EXPECT_EQ(depth, most);
}

TEST(graph_promises, a_node_of_another_graph_fails_the_builder_which_may_go_on) {
    pool workers{1};
    graph some;
    int ran = 0;
    bool catches = true;
    const auto outside = some.add([] { return 1; });
    some.add("outer",
             [&](subgraph& made) {
                 made.add([&] { ++ran; });
                 if (catches) {
                     EXPECT_EQ(error_of([&] { made.add([](int) {}, outside); }),
                               "invalid_argument");
                     EXPECT_EQ(error_of([&] { made.add([] {}).after(outside); }),
                               "invalid_argument");
                 } else {
                     made.add([](int) {}, outside);
                 }
                 made.add([&] { ++ran; });
             })
        .after(outside);
    some.run(workers).get();
    EXPECT_EQ(ran, 2);
    catches = false;
    const std::string text = thrown_text([&] { some.run(workers).get(); });
    EXPECT_TRUE(has_part(text, "node \"outer\"") && has_part(text, "weft::graph::add")) << text;
    EXPECT_EQ(ran, 2);
}

TEST(graph_promises, the_path_of_a_failed_node_goes_through_modules_and_subgraphs) {
    pool workers{2};
    graph inner;
    inner.add([] {});
    inner.add([](subgraph& made) { made.add("deep", [] { throw std::runtime_error{"no"}; }); });
    graph outer;
    std::atomic<int> behind{0};
    const auto part = outer.add("the module", inner);
    outer.add([&] { ++behind; }).after(part);
    for (int run = 0; run != 3; ++run) {
        const std::string text = thrown_text([&] { outer.run(workers).get(); });
        EXPECT_TRUE(has_part(text, "node \"the module/#1/deep\", which threw: no")) << text;
    }
    EXPECT_EQ(behind, 0);
}

// Stop

TEST(graph_promises, stop_reaches_modules_subgraphs_and_nodes_that_wait_for_resources) {
    pool workers{1};
    resource<int> data{0};
    std::optional<completion<void>> held;
    auto holding = when(data).hold<void>(
        workers, [&](int&, completion<void> done) { held.emplace(std::move(done)); },
        [](int&, future<void>) {});
    workers.wait_idle(); // it has begun
    std::stop_source stop;
    int ran = 0;
    graph inner;
    const auto first = inner.add([&] { stop.request_stop(); });
    inner.add([&] { ++ran; }).after(first);
    graph some;
    some.add("waits", when(data), [&](int&) { ++ran; });
    some.add("module", inner).before(some.add([&](subgraph&) { ++ran; }));
    auto run = some.run(workers, {.stop = stop.get_token()});
    workers.wait_idle();
    held->complete();
    EXPECT_EQ(error_of([&] { run.get(); }), "cancelled");
    EXPECT_EQ(ran, 0);
    holding.get();
}

/// Callables see the stop of their run, as tasks see theirs.
TEST(graph_promises, a_branch_that_fails_chooses_nothing) {
    pool workers{1};
    graph some;
    int ran = 0;
    bool fails = true;
    const auto ask = some.branch("ask", [&] {
        if (fails) throw std::runtime_error{"do not know"};
        return 0;
    });
    ask.chooses(some.add([&] { ++ran; }));
    const auto text = thrown_text([&] { some.run(workers).get(); });
    EXPECT_TRUE(has_part(text, "node \"ask\", which threw: do not know")) << text;
    EXPECT_EQ(ran, 0);
    fails = false;
    some.run(workers).get(); // nothing is left of the failed run
    EXPECT_EQ(ran, 1);
}

// Adding

/// Throws when it is copied for the second time: into the graph.
struct copied_once {
    explicit copied_once(int& count) : copies{&count} {}
    copied_once(const copied_once& other) : copies{other.copies} {
        if (++*copies > 0) throw std::runtime_error{"copied"};
    }
    copied_once& operator=(const copied_once&) = delete;
    ~copied_once() = default;
    int operator()(int it) const { return it; }
    int* copies;
};

TEST(graph_promises, what_cannot_be_added_leaves_neither_edges_nor_inputs) {
    pool workers{1};
    graph some;
    limit small{2};
    int copies = 0;
    int sum = 0;
    auto value = some.add([] { return 20; });
    const copied_once throwing{copies};
    EXPECT_THROW(some.add("named", throwing, std::move(value)), std::runtime_error);
    EXPECT_THROW(some.branch("branch", throwing, value), std::runtime_error);
    EXPECT_THROW(some.add(when(small), throwing, value), std::runtime_error);
    EXPECT_EQ(error_of([&] { some.add(when(take(small, 3)), [](int) {}, value); }), "overweight");
    EXPECT_EQ(some.size(), 1U);
    EXPECT_EQ(some.to_dot().find("->"), std::string::npos);
    some.add([&](int it) { sum += it; }, std::move(value)); // nobody else takes it
    some.run(workers).get();
    EXPECT_EQ(sum, 20);
}

TEST(graph_promises, a_node_may_not_read_and_take_one_result) {
    graph some;
    auto value = some.add("value", [] { return std::string{"text"}; });
    auto same = value;
    some.add("both", [](const std::string&, std::string) {}, value, std::move(same));
    EXPECT_TRUE(has_part(thrown_text([&] { some.prepare(); }), "\"both\" -> \"both\""));
    graph well;
    const auto kept = well.add([] { return std::string{"text"}; });
    std::string read;
    well.add([&](const std::string& it) { read += it; }, std::move(kept)); // const: only read
    well.add([&](const std::string& it) { read += it; }, kept);
    pool workers{1};
    well.run(workers).get();
    EXPECT_EQ(read, "texttext");
}

} // namespace
} // namespace weft::test
