// Graphs without memory: what is thrown leaves everything as it was.
#include "fault/memory/failing_memory.hpp"

#include <weft/countdown.hpp>
#include <weft/graph.hpp>
#include <weft/pool.hpp>
#include <weft/resource.hpp>
#include <weft/shared_future.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <new>
#include <string>
#include <vector>

namespace weft::test {
namespace {

/// Calls `attempt()` with the first allocation failing, then the second, and so on, until none
/// fails. After a std::bad_alloc nothing may be left behind.
template <class Attempt>
void with_each_allocation_failing(Attempt attempt) {
    for (std::uint64_t number = 1;; ++number) {
        ASSERT_LT(number, 10'000U);
        const failing_memory memory{number};
        try {
            attempt();
        } catch (const std::bad_alloc&) { // NOLINT(bugprone-empty-catch): what is to happen
        }
        if (!memory.failed()) return;
    }
}

TEST(memory_of_graphs, building_leaks_nothing_when_memory_fails) {
    const std::int64_t before = live_allocations();
    with_each_allocation_failing([] {
        graph some;
        auto text = some.add("a name that is too long for a small string",
                             [] { return std::string(40, 'x'); });
        const auto size = some.add([](const std::string& it) { return it.size(); }, text);
        some.add([](std::string, std::size_t) {}, std::move(text), size);
        const auto body = some.add([] {}).after(size);
        some.branch("again?", [] { return 1; }).after(body).chooses(body);
        some.prepare();
    });
    EXPECT_EQ(live_allocations(), before);
}

/// A node that cannot be added was not added, and its edges neither.
TEST(memory_of_graphs, a_node_that_cannot_be_added_leaves_the_graph_as_it_was) {
    pool workers{1};
    for (std::uint64_t number = 1;; ++number) {
        graph some;
        int runs = 0;
        const auto first = some.add([&] {
            ++runs;
            return 1;
        });
        bool failed = false;
        std::size_t added = 0;
        {
            const failing_memory memory{number};
            try {
                for (; added != 20; ++added) some.add([&](int) { ++runs; }, first);
            } catch (const std::bad_alloc&) {
                EXPECT_EQ(some.size(), 1 + added);
            }
            failed = memory.failed();
        }
        some.run(workers).get();
        EXPECT_EQ(runs, 1 + static_cast<int>(added));
        if (!failed) break;
    }
}

/// Either `run` throws, or the run ends: with the failure of a node, or completely. The next run is
/// complete.
TEST(memory_of_graphs, a_run_without_memory_fails_or_ends) {
    pool workers{1};
    workers.run([] {});
    for (std::uint64_t number = 1;; ++number) {
        resource<int> data{0};
        graph inner;
        std::atomic<int> runs{0};
        inner.add([&] { ++runs; });
        graph some;
        const auto value = some.add("value", [] { return 1; });
        const auto many = some.add(
            "many",
            [&](subgraph& made, int) {
                for (int i = 0; i != 5; ++i) made.add([&] { ++runs; });
            },
            value);
        const auto module = some.add("module", inner).after(many);
        some.add("resource", when(data), [&](int&) { ++runs; }).after(module);
        bool failed = false;
        {
            const failing_memory memory{number};
            try {
                future<void> run = some.run(workers);
                try {
                    run.get();
                    EXPECT_EQ(runs, 7);
                } catch (const error& thrown) {
                    EXPECT_EQ(thrown.code(), errc::node_failed);
                }
            } catch (const std::bad_alloc&) { // NOLINT(bugprone-empty-catch): one of the outcomes
            }
            failed = memory.failed();
        }
        workers.wait_idle();
        runs = 0;
        some.run(workers).get();
        EXPECT_EQ(runs, 7);
        if (!failed) break;
    }
}

TEST(memory_of_graphs, runs_use_the_same_memory_again) {
    pool workers{1};
    graph some;
    const auto value = some.add([] { return 1; });
    some.add([](int) {}, value);
    for (int run = 0; run != 3; ++run) some.run(workers).get();
    workers.wait_idle();
    const std::int64_t before = live_allocations();
    for (int run = 0; run != 100; ++run) some.run(workers).get();
    workers.wait_idle();
    EXPECT_LE(live_allocations() - before, 2); // blocks in the worker's cache
}

TEST(memory_of_graphs, countdowns_and_shared_futures_leak_nothing) {
    pool workers{1};
    with_each_allocation_failing([&] {
        countdown some{workers, [] { return 1; }};
        const shared_future<int> result = some.get_future().share();
        auto after = result.then([](const shared_future<int>& ready) { return ready.get(); });
        some.arrive();
        EXPECT_EQ(after.get(), 1);
    });
    workers.wait_idle();
}

} // namespace
} // namespace weft::test
