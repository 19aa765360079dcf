// What is promised of algorithms, graphs and futures when memory fails: which calls need none, what
// they leave behind, and what is unchanged.
#include "fault/memory/failing_memory.hpp"

#include <weft/algorithm.hpp>
#include <weft/countdown.hpp>
#include <weft/graph.hpp>
#include <weft/pool.hpp>
#include <weft/resource.hpp>
#include <weft/shared_future.hpp>
#include <weft/when_all.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace weft::test {
namespace {

/// Calls `attempt(number)` with the number of the allocation that is to fail, until it returns that
/// none has failed.
template <class Attempt>
void until_nothing_fails(Attempt attempt) {
    for (std::uint64_t number = 1; attempt(number); ++number) ASSERT_LT(number, 10'000U);
}

/// Runs `action` with that allocation failing; whether std::bad_alloc was thrown, and whether an
/// allocation has failed.
struct attempt_result {
    bool thrown = false;
    bool failed = false;
};
template <class Action>
attempt_result attempt_with(std::uint64_t number, Action action) {
    attempt_result result;
    const failing_memory missing{number};
    try {
        action();
    } catch (const std::bad_alloc&) {
        result.thrown = true;
    }
    result.failed = missing.failed();
    return result;
}

// Algorithms

TEST(memory_promises, searches_filters_merges_and_partitions_need_none_on_workers) {
    pool workers{2};
    std::vector<int> numbers(20'000);
    for (std::size_t i = 0; i != numbers.size(); ++i) numbers[i] = static_cast<int>(i);
    std::vector<int> output(2 * numbers.size());
    std::vector<std::string> words(3'000, "a string that is too long to be kept in place");
    const auto is_even = [](int each) { return each % 2 == 0; };
    workers.run([&] {
        const failing_memory none{1, failing::for_good};
        for (const std::size_t grain : {0U, 10U}) {
            const parallel_options options{.grain = grain, .reproducible = true};
            EXPECT_EQ(*parallel_find(numbers, 19'000, {}, options), 19'000);
            EXPECT_EQ(parallel_count_if(numbers, is_even, {}, options), 10'000U);
            EXPECT_EQ(*parallel_min_max(numbers, {}, {}, options).max, 19'999);
            EXPECT_EQ(parallel_copy_if(numbers, output.begin(), is_even, {}, options),
                      output.begin() + 10'000);
            parallel_merge(numbers, numbers, output.begin(), {}, {}, {}, options);
            EXPECT_TRUE(std::ranges::is_sorted(output));
            parallel_partition(output, is_even, {}, options);
            EXPECT_TRUE(std::ranges::is_partitioned(output, is_even));
            parallel_sort(words, {}, {}, options);
            parallel_for(block_2d{{0, 50}, {0, 50}}, [](std::size_t, std::size_t) {}, options);
            parallel_invoke([] {}, [] {}, [] {});
        }
    });
}

/// A number that can only be moved, and is lost if a sort loses it.
using moved_only = std::unique_ptr<int>;

TEST(memory_promises, a_stable_sort_loses_nothing_that_can_only_be_moved) {
    pool workers{2};
    until_nothing_fails([&](std::uint64_t number) {
        std::vector<moved_only> numbers;
        for (int i = 0; i != 3'000; ++i) numbers.push_back(std::make_unique<int>(i * 37 % 100));
        const auto key = [](const moved_only& each) { return *each; };
        attempt_result result;
        workers.run([&] {
            result = attempt_with(number, [&] { parallel_stable_sort(numbers, {}, key); });
        });
        EXPECT_FALSE(result.thrown);
        EXPECT_TRUE(std::ranges::is_sorted(numbers, {}, key));
        return result.failed;
    });
}

/// From outside a sort is given to a worker, which needs memory; without it nothing was done.
TEST(memory_promises, a_sort_from_outside_is_done_or_not_begun) {
    pool workers{2};
    until_nothing_fails([&](std::uint64_t number) {
        std::vector<int> numbers(5'000);
        for (int i = 0; i != 5'000; ++i) numbers[static_cast<std::size_t>(i)] = i * 37 % 5'000;
        const std::vector<int> before = numbers;
        const attempt_result result =
            attempt_with(number, [&] { parallel_sort(workers, numbers); });
        EXPECT_TRUE(result.thrown ? numbers == before : std::ranges::is_sorted(numbers));
        return result.failed;
    });
}

// Graphs

TEST(memory_promises, a_module_that_cannot_be_added_is_free) {
    until_nothing_fails([&](std::uint64_t number) {
        graph inner;
        graph outer;
        const attempt_result result =
            attempt_with(number, [&] { outer.add("a name that is not short at all", inner); });
        EXPECT_EQ(outer.size(), result.thrown ? 0U : 1U);
        if (result.thrown) inner.add([] {});
        return result.failed;
    });
}

TEST(memory_promises, a_run_or_preparation_that_fails_leaves_the_graph_free) {
    pool workers{1};
    workers.run([] {});
    for (const bool only_prepared : {false, true}) {
        until_nothing_fails([&](std::uint64_t number) {
            std::atomic<int> ran{0};
            graph some;
            const auto start = some.add("start", [] { return 1; });
            const auto body = some.add([&](int) { ++ran; }, start).priority(priority::high);
            const auto end = some.add("end", [&] { ++ran; });
            some.branch("which?", [] { return 1; }).after(body).chooses(body, end);
            some.measure();
            future<void> run;
            const attempt_result result = attempt_with(number, [&] {
                if (only_prepared) some.prepare();
                else run = some.run(workers);
                if (run.valid()) run.get();
                static_cast<void>(some.statistics());
                static_cast<void>(some.to_dot());
            });
            workers.wait_idle();
            some.add("more", [&] { ++ran; }); // it can be changed
            ran = 0;
            some.run(workers).get();
            EXPECT_EQ(ran, 3);
            return result.failed;
        });
    }
}

/// In any depth: each failure is that of a node, or of the run if not even that can be said.
TEST(memory_promises, a_run_with_graphs_in_graphs_ends_whichever_allocation_fails) {
    pool workers{2};
    workers.run([] {});
    until_nothing_fails([&](std::uint64_t number) {
        std::atomic<int> ran{0};
        resource<int> data{0};
        graph module;
        const auto text = module.add([] { return std::string(100, 'x'); });
        module.add([&](const std::string& it) { ran += it.size() == 100 ? 1 : 0; }, text);
        graph some;
        const auto outer = some.add("outer", [&](subgraph& made) {
            const auto first = made.add("first", [&](subgraph& inner) {
                const auto left = inner.add([] { return std::make_shared<int>(3); });
                const auto turn = inner.add([&](const std::shared_ptr<int>&) { ++ran; }, left);
                inner
                    .branch(
                        "again?", [](const std::shared_ptr<int>& it) { return --*it > 0 ? 0 : 1; },
                        left)
                    .after(turn)
                    .chooses(turn);
            });
            made.add("part", module).after(first);
            made.add(when(data), [&](int&) { ++ran; });
        });
        some.add("beside", module);
        some.add([&] { ++ran; }).after(outer);
        const attempt_result result = attempt_with(number, [&] {
            try {
                some.run(workers).get();
                EXPECT_EQ(ran, 7);
            } catch (const error& failed) {
                EXPECT_EQ(failed.code(), errc::node_failed);
                EXPECT_THROW(std::rethrow_if_nested(failed), std::bad_alloc);
            }
        });
        workers.wait_idle();
        ran = 0;
        some.run(workers).get();
        EXPECT_EQ(ran, 7);
        return result.failed;
    });
}

// Futures

TEST(memory_promises, when_all_and_when_any_drop_their_futures) {
    pool workers{1};
    for (const bool all : {false, true}) {
        until_nothing_fails([&](std::uint64_t number) {
            future<int> one = workers.submit([] { return 1; });
            future<int> other = workers.submit([] { return 2; });
            std::vector<future<int>> more;
            more.push_back(workers.submit([] { return 3; }));
            const attempt_result result = attempt_with(number, [&] {
                if (all) {
                    EXPECT_EQ(std::get<1>(when_all(std::move(one), std::move(other)).get()).get(),
                              2);
                    EXPECT_EQ(when_all(std::move(more)).get()[0].get(), 3);
                } else {
                    when_any(std::move(one), std::move(other)).wait();
                    when_any(std::move(more)).wait();
                }
            });
            EXPECT_FALSE(one.valid() || other.valid());
            return result.failed;
        });
    }
    workers.wait_idle();
}

TEST(memory_promises, a_shared_future_stays_valid_if_it_cannot_be_continued) {
    pool workers{1};
    until_nothing_fails([&](std::uint64_t number) {
        const shared_future<int> value = workers.submit([] { return 4; }).share();
        int continued = 0;
        const attempt_result result = attempt_with(number, [&] {
            auto after = value.then([](const shared_future<int>& ready) { return ready.get(); });
            continued = after.get();
        });
        EXPECT_EQ(value.get(), 4);
        EXPECT_EQ(continued, result.thrown ? 0 : 4);
        return result.failed;
    });
}

TEST(memory_promises, a_countdown_that_cannot_be_made_keeps_nothing) {
    pool workers{1};
    until_nothing_fails([&](std::uint64_t number) {
        const auto token = std::make_shared<int>(1);
        bool ran = false;
        const attempt_result result = attempt_with(number, [&] {
            countdown some{workers, [&ran, token] { ran = true; }};
            future<void> done = some.get_future();
            some.arrive();
            done.get();
        });
        EXPECT_EQ(ran, !result.thrown);
        workers.wait_idle();
        EXPECT_EQ(token.use_count(), 1);
        return result.failed;
    });
}

} // namespace
} // namespace weft::test
