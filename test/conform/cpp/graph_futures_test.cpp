// Promises of countdowns, shared futures, when_all and when_any about what is kept, dropped or
// lost.
#include "conform/cpp/rendezvous.hpp"

#include <weft/completion.hpp>
#include <weft/countdown.hpp>
#include <weft/pool.hpp>
#include <weft/shared_future.hpp>
#include <weft/when_all.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <concepts>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft::test {
namespace {

// Countdowns

/// Nothing is swallowed: that the pool has ended as well is the smaller part of the story.
TEST(graph_futures, a_failed_dependency_is_the_outcome_also_if_the_pool_has_ended) {
    auto workers = std::make_unique<pool>(1U);
    const auto token = std::make_shared<int>(1);
    countdown some{*workers, [token] {}};
    countdown other = some;
    future<void> result = some.get_future();
    some.fail(std::make_exception_ptr(7));
    workers.reset();
    other.arrive();
    EXPECT_THROW(result.get(), int);
    EXPECT_EQ(token.use_count(), 1); // the body was destroyed
}

TEST(graph_futures, what_is_assigned_to_a_countdown_ends_its_dependency) {
    std::atomic<int> ran{0}; // the second task runs at the end
    pool workers{1};
    countdown one{workers, [&] { ran += 1; }};
    const countdown<void> two{workers, [&] { ran += 10; }};
    future<void> first = one.get_future();
    future<void> second = two.get_future();
    one = two; // a copy: one more dependency of the second, and the end of the first
    first.get();
    EXPECT_EQ(ran, 1);
    countdown<void>& same = one;
    one = same; // nothing ends
    EXPECT_TRUE(one.valid());
    countdown<void> last = two;
    one.arrive();
    EXPECT_FALSE(second.ready());
    last = std::move(one); // not valid: only ends what it was
    EXPECT_FALSE(last.valid());
    EXPECT_FALSE(second.ready()); // `two` is left
}

TEST(graph_futures, a_countdown_may_be_part_of_another) {
    pool workers{2};
    std::atomic<int> order{0};
    int inner_at = 0;
    int outer_at = 0;
    countdown outer{workers, [&] { outer_at = ++order; }};
    future<void> all = outer.get_future();
    {
        const countdown inner{workers, [&, outer] { inner_at = ++order; }};
        for (int i = 0; i != 10; ++i) workers.post([inner] {});
    }
    outer.arrive();
    all.get();
    EXPECT_EQ(inner_at, 1);
    EXPECT_EQ(outer_at, 2);
}

/// Whichever thread ends the last dependency, and whether the future was asked for or not.
TEST(graph_futures, dependencies_end_on_any_thread_in_any_order) {
    pool workers{2};
    for (int round = 0; round != 200; ++round) {
        std::atomic<int> ran{0};
        std::optional<future<void>> asked;
        {
            std::optional<countdown<void>> total;
            total.emplace(workers, [&] { ++ran; });
            if (round % 2 == 0) asked = total->get_future();
            for (int i = 0; i != 4; ++i) {
                workers.post([copy = *total]() mutable { copy.arrive(); });
            }
        }
        if (asked) asked->get();
        else workers.wait_idle();
        ASSERT_EQ(ran, 1);
    }
}

// Shared futures

template <class Future>
concept gets_from_temporary = requires { std::declval<Future>().get(); };
static_assert(!gets_from_temporary<shared_future<std::string>>); // it might refer to nothing
static_assert(gets_from_temporary<shared_future<void>>);
static_assert(gets_from_temporary<const shared_future<int>&>);
static_assert(std::convertible_to<future<int>&&, shared_future<int>>);

TEST(graph_futures, a_shared_result_lives_as_long_as_any_copy) {
    pool workers{1};
    const auto token = std::make_shared<int>(3);
    {
        shared_future<std::shared_ptr<int>> last;
        {
            const auto first = workers.submit([token] { return token; }).share();
            last = first;
            const auto after = first.then([](const auto& ready) { return *ready.get(); }).share();
            EXPECT_EQ(after.get(), 3);
        }
        workers.wait_idle();
        EXPECT_EQ(*last.get(), 3);
        EXPECT_EQ(token.use_count(), 2);
    }
    EXPECT_EQ(token.use_count(), 1);
}

TEST(graph_futures, continuations_of_a_shared_future_get_its_exception_each) {
    pool workers{2};
    completion<int> open{workers};
    const shared_future<int> value = open.get_future().share();
    EXPECT_FALSE(value.wait_for(std::chrono::milliseconds{1}));
    std::vector<future<bool>> after;
    for (int i = 0; i != 5; ++i) {
        after.push_back(value.then([](const shared_future<int>& ready) {
            try {
                static_cast<void>(ready.get());
            } catch (const std::runtime_error&) {
                return true;
            }
            return false;
        }));
    }
    open.fail(std::make_exception_ptr(std::runtime_error{"no"}));
    for (future<bool>& each : after) EXPECT_TRUE(each.get());
    EXPECT_TRUE(value.wait_for(std::chrono::seconds{1}));
}

// when_all and when_any

TEST(graph_futures, the_future_of_all_belongs_to_the_pool_of_the_first) {
    pool one{1};
    pool other{1};
    const auto where = [](auto all) {
        return std::move(all).then([](auto ready) {
            static_cast<void>(ready.get());
            return pool::current();
        });
    };
    EXPECT_EQ(where(when_all(one.submit([] {}), other.submit([] {}))).get(), &one);
    EXPECT_EQ(where(when_all(other.submit([] {}), one.submit([] {}))).get(), &other);
    EXPECT_EQ(where(when_any(other.submit([] {}), one.submit([] {}))).get(), &other);
}

TEST(graph_futures, a_failure_counts_as_ready_for_any) {
    pool workers{2};
    completion<int> open{workers};
    completion<int> failing{workers};
    auto any = when_any(open.get_future(), failing.get_future());
    failing.fail(std::make_exception_ptr(std::runtime_error{"no"}));
    auto [index, futures] = any.get();
    EXPECT_EQ(index, 1U);
    EXPECT_THROW(std::get<1>(futures).get(), std::runtime_error);
    open.complete(1);
    EXPECT_EQ(std::get<0>(futures).get(), 1);
}

TEST(graph_futures, a_vector_with_a_future_without_a_task_is_unchanged) {
    pool workers{1};
    std::vector<future<int>> futures;
    futures.push_back(workers.submit([] { return 1; }));
    futures.emplace_back();
    EXPECT_EQ(error_of([&] { static_cast<void>(when_all(std::move(futures))); }),
              "invalid_argument");
    ASSERT_EQ(futures.size(), 2U); // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(error_of([&] { static_cast<void>(when_any(std::move(futures))); }),
              "invalid_argument");
    EXPECT_EQ(futures[0].get(), 1); // NOLINT(bugprone-use-after-move)
}

/// Failures of futures that a dropped `when_all` owned go to the handler.
TEST(graph_futures, failures_in_a_dropped_when_all_go_to_the_handler) {
    std::atomic<int> failures{0};
    {
        pool workers{{.workers = 1, .on_error = [&](const std::exception_ptr&) { ++failures; }}};
        static_cast<void>(when_all(workers.submit([] { throw 1; }), workers.submit([] {}),
                                   workers.submit([] { throw 2; })));
    }
    EXPECT_EQ(failures, 2);
}

} // namespace
} // namespace weft::test
