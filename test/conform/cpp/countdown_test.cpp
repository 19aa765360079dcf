#include "conform/cpp/rendezvous.hpp"

#include <weft/countdown.hpp>
#include <weft/pool.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace weft::test {
namespace {

TEST(countdown, the_task_runs_when_every_copy_has_arrived) {
    pool workers{2};
    std::atomic<int> sum{0};
    countdown total{workers, [&] { return sum.load(); }};
    future<int> result = total.get_future();
    for (int i = 1; i <= 100; ++i) workers.post([total, i, &sum] { sum += i; });
    EXPECT_FALSE(result.ready()); // `total` itself has not arrived
    total.arrive();
    EXPECT_FALSE(total.valid());
    EXPECT_EQ(result.get(), 5'050);
}

TEST(countdown, a_copy_arrives_when_it_is_destroyed) {
    pool workers{1};
    future<void> result;
    {
        const countdown one{workers, [] {}};
        const countdown other = one; // NOLINT(performance-unnecessary-copy-initialization)
        result = one.get_future();
    }
    result.get();
}

/// A sum over a tree: nothing is joined, and no worker waits.
void add_up(pool& workers, const std::vector<int>& numbers, std::size_t first, std::size_t last,
            const std::function<void(std::int64_t)>& give) {
    if (last - first <= 10) {
        std::int64_t sum = 0;
        for (std::size_t i = first; i != last; ++i) sum += numbers[i];
        give(sum);
        return;
    }
    const std::size_t middle = first + (last - first) / 2;
    auto sums = std::make_shared<std::pair<std::int64_t, std::int64_t>>();
    const countdown both{workers, [sums, give] { give(sums->first + sums->second); }};
    workers.post([&workers, &numbers, first, middle, sums, both] {
        add_up(workers, numbers, first, middle,
               [sums, both](std::int64_t sum) { sums->first = sum; });
    });
    workers.post([&workers, &numbers, middle, last, sums, both] {
        add_up(workers, numbers, middle, last,
               [sums, both](std::int64_t sum) { sums->second = sum; });
    });
}

TEST(countdown, a_tree_of_callbacks_is_completed_from_its_leaves) {
    for (const std::size_t threads : {1U, 2U}) {
        pool workers{threads};
        const std::vector<int> numbers(20'000, 3);
        std::atomic<std::int64_t> total{0};
        countdown all{workers, [&] { return total.load(); }};
        future<std::int64_t> result = all.get_future();
        workers.post([&, all] {
            add_up(workers, numbers, 0, numbers.size(),
                   [&, all](std::int64_t sum) { total = sum; });
        });
        all.arrive();
        EXPECT_EQ(result.get(), 60'000);
    }
}

TEST(countdown, a_failure_is_the_outcome) {
    pool workers{1};
    bool ran = false;
    countdown first{workers, [&] { ran = true; }};
    countdown second = first;
    future<void> result = first.get_future();
    EXPECT_EQ(error_of([&] { second.fail(nullptr); }), "invalid_argument");
    first.fail(std::make_exception_ptr(std::runtime_error{"no"}));
    second.fail(std::make_exception_ptr(3)); // of several the first
    EXPECT_THROW(result.get(), std::runtime_error);
    EXPECT_FALSE(ran);
}

TEST(countdown, without_a_future_a_failure_goes_to_the_handler) {
    std::atomic<int> failures{0};
    {
        pool workers{{.workers = 1, .on_error = [&](const std::exception_ptr&) { ++failures; }}};
        const countdown some{workers, [] { throw 1; }};
    }
    EXPECT_EQ(failures, 1);
}

TEST(countdown, the_future_is_given_once) {
    pool workers{1};
    const countdown some{workers, [] { return 1; }};
    future<int> result = some.get_future();
    EXPECT_EQ(error_of([&] { static_cast<void>(some.get_future()); }), "invalid_argument");
}

TEST(countdown, it_may_be_made_on_a_worker_and_only_there_without_a_pool) {
    pool workers{1};
    future<int> result = workers.run([] {
        countdown some{[] { return 4; }};
        return some.get_future();
    });
    EXPECT_EQ(result.get(), 4);
    EXPECT_EQ(error_of([] { const countdown some{[] {}}; }), "outside_pool");
}

TEST(countdown, what_has_arrived_or_was_moved_from_is_not_valid) {
    pool workers{1};
    countdown one{workers, [] {}};
    countdown other = std::move(one);
    EXPECT_FALSE(one.valid()); // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(error_of([&] { one.arrive(); }), "invalid_argument");
    EXPECT_EQ(error_of([&] { static_cast<void>(one.get_future()); }), "invalid_argument");
    one = std::move(other);
    EXPECT_TRUE(one.valid());
}

TEST(countdown, a_pool_that_has_ended_does_not_run_it) {
    auto workers = std::make_unique<pool>(1U);
    countdown some{*workers, [] {}};
    future<void> result = some.get_future();
    workers.reset();
    some.arrive();
    EXPECT_EQ(error_of([&] { result.get(); }), "not_run");
}

} // namespace
} // namespace weft::test
