// Deadlines of futures, and sleeping as an operation.
#include <weft/timer.hpp>

#include <weft/completion.hpp>
#include <weft/error.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

namespace weft::timer_timeout_test {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

template <class Call>
std::optional<errc> code_of(Call call) {
    try {
        call();
    } catch (const error& caught) {
        return caught.code();
    }
    return {};
}

TEST(timeout, a_result_that_comes_in_time_is_the_result) {
    pool workers{1};
    EXPECT_EQ(timeout(workers.submit([] { return 7; }), 1h).get(), 7);
    timeout(workers.submit([] {}), clock::now() + 1h).get();
    int object = 0;
    EXPECT_EQ(&timeout(workers.submit([&]() -> int& { return object; }), 1h).get(), &object);
    EXPECT_EQ(*timeout(workers.submit([] { return std::make_unique<int>(3); }), 1h).get(), 3);
    EXPECT_THROW(timeout(workers.submit([]() -> int { throw 1; }), 1h).get(), int);
}

TEST(timeout, a_deadline_that_comes_first_is_an_error_and_not_early) {
    pool workers{1};
    completion<int> never{workers};
    const auto begin = clock::now();
    auto late = timeout(never.get_future(), 2ms);
    EXPECT_EQ(code_of([&] { late.get(); }), errc::timed_out);
    EXPECT_GE(clock::now() - begin, 2ms);
    never.complete(1); // its result is dropped
}

TEST(timeout, may_have_passed) {
    pool workers{1};
    completion<void> never{workers};
    auto late = timeout(never.get_future(), clock::now() - 1h);
    EXPECT_EQ(code_of([&] { late.get(); }), errc::timed_out);
    never.complete();
}

TEST(timeout, requests_a_stop_of_the_task_that_is_late) {
    pool workers{2};
    std::stop_source source;
    std::atomic<bool> stopped{false};
    auto late = timeout(workers.submit([&, stop = source.get_token()] {
        while (!stop.stop_requested()) std::this_thread::yield();
        stopped = true;
    }),
                        1ms, source);
    EXPECT_EQ(code_of([&] { late.get(); }), errc::timed_out);
    workers.wait_idle();
    EXPECT_TRUE(stopped);
    std::stop_source unused;
    timeout(workers.submit([] {}), 1h, unused).get();
    EXPECT_FALSE(unused.stop_requested());
}

TEST(timeout, a_late_exception_goes_to_the_pool) {
    std::atomic<int> seen{0};
    pool workers{pool_options{.workers = 2, .on_error = [&](std::exception_ptr) { ++seen; }}};
    std::atomic<bool> timed_out{false};
    auto late = timeout(workers.submit([&] {
        while (!timed_out) std::this_thread::yield();
        throw 7;
    }),
                        1ms);
    EXPECT_EQ(code_of([&] { late.get(); }), errc::timed_out);
    timed_out = true;
    while (seen == 0) std::this_thread::yield();
}

TEST(timeout, needs_a_task_and_a_pool_that_accepts_timers) {
    future<int> none;
    EXPECT_EQ(code_of([&] { static_cast<void>(timeout(std::move(none), 1ms)); }),
              errc::invalid_argument);
    std::optional<pool> workers{std::in_place, 1};
    completion<int> pending{*workers};
    auto result = pending.get_future();
    workers->stop();
    EXPECT_EQ(code_of([&] { static_cast<void>(timeout(std::move(result), 1ms)); }), errc::stopped);
    EXPECT_TRUE(result.valid());
    workers.reset();
    EXPECT_EQ(code_of([&] { static_cast<void>(timeout(std::move(result), 1ms)); }), errc::stopped);
    EXPECT_TRUE(result.valid());
    pending.complete(1);
    EXPECT_EQ(result.get(), 1);
}

TEST(timeout, ends_with_its_pool) {
    pool workers{1};
    completion<int> never{workers};
    auto late = timeout(never.get_future(), 1h);
    workers.stop();
    EXPECT_EQ(code_of([&] { late.get(); }), errc::not_run);
    never.complete(1);
}

/// Called on a worker of a pool that another thread stops: returns when a new timer would be ended.
void wait_until_stopped() {
    for (;;) {
        std::stop_source end;
        auto probe = after(1h, end.get_token());
        if (probe.ready()) {
            EXPECT_EQ(code_of([&] { probe.get(); }), errc::not_run);
            return;
        }
        end.request_stop(); // else it is reported that it was dropped
    }
}

/// The clock of a timeout is nobody's future: when the pool ends it before the result is looked at,
/// nothing is lost, and nothing is reported.
TEST(timeout, a_result_that_is_there_when_the_pool_stops_is_all_there_is) {
    std::atomic<int> reported{0};
    pool workers{pool_options{.workers = 1, .on_error = [&](std::exception_ptr) { ++reported; }}};
    completion<int> result{workers};
    std::atomic<bool> begun{false};
    std::atomic<bool> stopping{false};
    auto value = timeout(result.get_future(), 1h);
    workers.post([&] {
        begun = true;
        while (!stopping) std::this_thread::yield();
        wait_until_stopped();
        // The oldest task is picked at times; and the youngest ones come before what follows the
        // result, so that the worker looks at the timers first.
        constexpr int older = 16;
        constexpr int younger = 256;
        for (int i = 0; i < older; ++i) workers.post([] {});
        result.complete(7);
        for (int i = 0; i < younger; ++i) workers.post([] {});
    });
    while (!begun) std::this_thread::yield(); // else the pool may end the clock before the result
    std::jthread stopper{[&] {
        stopping = true;
        workers.stop();
    }};
    EXPECT_EQ(value.get(), 7);
    stopper.join();
    EXPECT_EQ(reported, 0);
}

/// What a coroutine has: the call at the end wakes this thread.
struct waiter : detail::completion_node {
    std::atomic<int> calls{0};
    waiter() {
        notify = [](detail::completion_node& self) noexcept { ++static_cast<waiter&>(self).calls; };
    }
    void wait() const {
        while (calls == 0) std::this_thread::yield();
    }
};

TEST(sleep_operation, ends_when_its_time_has_come) {
    pool workers{1};
    waiter end;
    auto nap = sleep_for(workers, 2ms);
    const auto begin = clock::now();
    ASSERT_TRUE(nap.start(end));
    end.wait();
    EXPECT_GE(clock::now() - begin, 2ms);
    nap.take();
    EXPECT_EQ(end.calls, 1);
}

TEST(sleep_operation, ends_at_a_point_in_time) {
    pool workers{1};
    waiter end;
    auto nap = sleep_until(workers, clock::now() - 1h);
    ASSERT_TRUE(nap.start(end));
    end.wait();
    nap.take();
}

TEST(sleep_operation, of_no_time_has_ended_at_once) {
    waiter unused;
    auto nap = sleep_for(0ms);
    EXPECT_FALSE(nap.start(unused));
    nap.take();
    EXPECT_EQ(unused.calls, 0);
}

TEST(sleep_operation, is_cancelled_before_while_and_after_it_sleeps) {
    pool workers{1};
    {
        waiter unused;
        auto nap = sleep_for(workers, 1h);
        nap.cancel();
        EXPECT_FALSE(nap.start(unused));
        EXPECT_EQ(code_of([&] { nap.take(); }), errc::cancelled);
    }
    {
        waiter end;
        auto nap = sleep_for(workers, 1h);
        ASSERT_TRUE(nap.start(end));
        nap.cancel();
        nap.cancel();
        end.wait();
        EXPECT_EQ(code_of([&] { nap.take(); }), errc::cancelled);
        EXPECT_EQ(end.calls, 1);
    }
    {
        waiter end;
        auto nap = sleep_for(workers, 1us);
        ASSERT_TRUE(nap.start(end));
        end.wait();
        nap.cancel();
        nap.take();
    }
}

TEST(sleep_operation, is_of_the_pool_of_the_worker) {
    pool workers{2};
    waiter end;
    auto nap = sleep_for(1ms);
    EXPECT_EQ(code_of([&] { nap.start(end); }), errc::outside_pool);
    EXPECT_TRUE(workers.run([&] { return nap.start(end); }));
    end.wait();
    nap.take();
}

TEST(sleep_operation, ends_when_its_pool_is_stopped) {
    pool workers{1};
    waiter end;
    auto nap = sleep_for(workers, 1h);
    ASSERT_TRUE(nap.start(end));
    workers.stop();
    EXPECT_EQ(end.calls, 1);
    EXPECT_EQ(code_of([&] { nap.take(); }), errc::not_run);
    auto late = sleep_for(workers, 1h);
    EXPECT_EQ(code_of([&] { late.start(end); }), errc::stopped);
}

} // namespace
} // namespace weft::timer_timeout_test
