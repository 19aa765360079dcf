// Timers: when they fire, what they call, and what becomes of them.
#include <weft/timer.hpp>

#include <weft/completion.hpp>
#include <weft/error.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

namespace weft::timer_test {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

template <class Call>
std::optional<errc> error_of(Call call) {
    try {
        call();
    } catch (const error& caught) {
        return caught.code();
    }
    return {};
}

TEST(timer, a_future_is_ready_after_its_delay_and_never_before) {
    pool workers{2};
    for (const auto delay : {0us, 1us, 70us, 1'000us, 5'000us}) {
        const auto begin = clock::now();
        after(workers, delay).get();
        EXPECT_GE(clock::now() - begin, delay);
    }
}

TEST(timer, a_future_is_ready_at_a_point_in_time) {
    pool workers{1};
    const auto time = clock::now() + 2ms;
    at(workers, time).get();
    EXPECT_GE(clock::now(), time);
    at(workers, clock::time_point::min()).get();
    at(workers, clock::now() - 1h).get();
}

TEST(timer, what_is_not_above_zero_is_due_at_once) {
    pool workers{1};
    after(workers, 0s).get();
    after(workers, -1h).get();
    after(workers, std::chrono::hours::min()).get();
    after(workers, std::chrono::duration<double>{-1e300}).get();
    after(workers, std::chrono::duration<double>{std::numeric_limits<double>::quiet_NaN()}).get();
}

TEST(timer, what_is_too_far_for_the_clock_is_pending) {
    pool workers{1};
    std::vector<future<void>> far;
    far.push_back(after(workers, std::chrono::hours::max()));
    far.push_back(after(workers, clock::duration::max()));
    far.push_back(after(workers, std::chrono::duration<float>{9'223'371'776.F})); // just before
    far.push_back(after(workers, std::chrono::duration<double>{1e300}));
    far.push_back(at(workers, clock::time_point::max()));
    far.push_back(at(workers, std::chrono::time_point<clock, std::chrono::hours>::max()));
    after(workers, 1ms).get();
    for (const auto& each : far) EXPECT_FALSE(each.ready());
    workers.stop();
    for (auto& each : far) EXPECT_EQ(error_of([&] { each.get(); }), errc::not_run);
}

TEST(timer, a_continuation_runs_on_the_pool) {
    pool workers{1};
    EXPECT_TRUE(after(workers, 1ms)
                    .then([&](future<void> done) {
                        done.get();
                        return pool::current() == &workers;
                    })
                    .get());
}

TEST(timer, a_worker_needs_no_pool_and_others_do) {
    pool workers{1};
    workers.run([] { return after(1ms); }).get();
    EXPECT_EQ(error_of([] { static_cast<void>(after(1ms)); }), errc::outside_pool);
    EXPECT_EQ(error_of([] { static_cast<void>(at(clock::now())); }), errc::outside_pool);
    EXPECT_EQ(error_of([] { after(1ms, [] {}); }), errc::outside_pool);
    EXPECT_EQ(error_of([] { static_cast<void>(every(1ms, [] {})); }), errc::outside_pool);
}

TEST(timer, a_worker_must_not_wait_for_one) {
    pool workers{1};
    EXPECT_EQ(workers.run([] { return error_of([] { after(1h).get(); }); }), errc::would_deadlock);
}

TEST(timer, a_stop_token_ends_it) {
    pool workers{1};
    std::stop_source source;
    auto pending = after(workers, 1h, source.get_token());
    EXPECT_FALSE(pending.ready());
    source.request_stop();
    EXPECT_EQ(error_of([&] { pending.get(); }), errc::cancelled);
    auto late = after(workers, 1h, source.get_token());
    EXPECT_EQ(error_of([&] { late.get(); }), errc::cancelled);
    std::stop_source unused;
    after(workers, 0s, unused.get_token()).get();
}

TEST(timer, its_callable_runs_once_on_the_pool) {
    pool workers{2};
    std::atomic<int> runs{0};
    completion<bool> ran{workers};
    auto result = ran.get_future();
    const auto begin = clock::now();
    after(workers, 1ms, [&, ran = std::move(ran)]() mutable {
        ++runs;
        ran.complete(pool::current() == &workers && clock::now() - begin >= 1ms);
    });
    EXPECT_TRUE(result.get());
    after(workers, 2ms).get();
    EXPECT_EQ(runs, 1);
}

TEST(timer, a_cancelled_callable_does_not_run_and_is_destroyed) {
    pool workers{2};
    auto owned = std::make_shared<int>(7);
    timer pending = after(workers, 1h, [owned] { FAIL(); });
    EXPECT_EQ(owned.use_count(), 2);
    EXPECT_TRUE(pending.cancel());
    EXPECT_EQ(owned.use_count(), 1);
    EXPECT_FALSE(pending.cancel());
    EXPECT_FALSE(pending.restart(1ms));
}

TEST(timer, cancel_says_truthfully_whether_it_will_run) {
    pool workers{2};
    for (int i = 0; i < 500; ++i) {
        std::atomic<int> runs{0};
        timer pending = after(workers, std::chrono::microseconds{i % 20}, [&] { ++runs; });
        if (i % 3 == 0) std::this_thread::yield();
        const bool cancelled = pending.cancel();
        if (cancelled) {
            ASSERT_EQ(runs, 0);
        } else {
            while (runs == 0) std::this_thread::yield();
        }
        workers.wait_idle();
        ASSERT_EQ(runs, cancelled ? 0 : 1);
    }
}

TEST(timer, can_be_restarted_until_its_time_has_come) {
    pool workers{1};
    std::atomic<bool> ran{false};
    timer pending = after(workers, 1h, [&] { ran = true; });
    EXPECT_TRUE(pending.restart(2h));
    EXPECT_TRUE(pending.restart(clock::now() + 3h));
    const auto begin = clock::now();
    EXPECT_TRUE(pending.restart(1ms));
    while (!ran) std::this_thread::yield();
    EXPECT_GE(clock::now() - begin, 1ms);
    EXPECT_FALSE(pending.restart(1ms));
    EXPECT_FALSE(pending.cancel());
}

TEST(timer, a_handle_without_a_timer_says_so) {
    timer none;
    EXPECT_FALSE(none.valid());
    EXPECT_EQ(error_of([&] { none.cancel(); }), errc::invalid_argument);
    EXPECT_EQ(error_of([&] { none.restart(1ms); }), errc::invalid_argument);
    ticker neither;
    EXPECT_FALSE(neither.valid());
    EXPECT_EQ(error_of([&] { neither.cancel(); }), errc::invalid_argument);
    EXPECT_EQ(error_of([&] { static_cast<void>(neither.skipped()); }), errc::invalid_argument);
}

TEST(timer, a_handle_may_outlive_its_pool) {
    timer once;
    ticker ticks;
    {
        pool workers{1};
        once = after(workers, 1h, [] {});
        ticks = every(workers, 1h, [] {});
    }
    EXPECT_FALSE(once.cancel());
    EXPECT_FALSE(once.restart(1ms));
    EXPECT_FALSE(ticks.cancel());
}

TEST(timer, an_exception_of_its_callable_goes_to_the_pool) {
    std::atomic<int> seen{0};
    pool workers{pool_options{.workers = 1, .on_error = [&](std::exception_ptr) { ++seen; }}};
    after(workers, 0s, [] { throw 7; });
    while (seen == 0) std::this_thread::yield();
    EXPECT_EQ(seen, 1);
}

TEST(timer, a_pool_that_is_stopped_does_not_wait_for_deadlines) {
    for (const on_stop mode : {on_stop::drain, on_stop::cancel}) {
        std::vector<errc> reported;
        pool workers{pool_options{.workers = 2, .on_error = [&](std::exception_ptr failure) {
                                      reported.push_back(
                                          *error_of([&] { std::rethrow_exception(failure); }));
                                  }}};
        auto pending = after(workers, 10h);
        auto owned = std::make_shared<int>(1);
        after(workers, 10h, [owned] { FAIL(); });
        const ticker ticks = every(workers, 10h, [owned] { FAIL(); });
        auto next = after(workers, 20h).then([](future<void> ended) {
            return error_of([&] { ended.get(); });
        });
        workers.stop(mode);
        EXPECT_EQ(error_of([&] { pending.get(); }), errc::not_run);
        EXPECT_EQ(owned.use_count(), 1) << "callables are destroyed";
        EXPECT_EQ(reported, std::vector<errc>{errc::not_run})
            << "the callable that was to run once";
        if (mode == on_stop::drain) EXPECT_EQ(next.get(), errc::not_run) << "what follows runs";
        else EXPECT_EQ(error_of([&] { next.get(); }), errc::not_run);
        EXPECT_EQ(error_of([&] { static_cast<void>(after(workers, 1ms)); }), errc::stopped);
        EXPECT_EQ(error_of([&] { after(workers, 1ms, [] {}); }), errc::stopped);
    }
}

TEST(timer, tasks_that_a_stopped_pool_drains_get_timers_that_have_ended) {
    pool workers{1};
    std::atomic<bool> stopping{false};
    auto inner = workers.submit([&] {
        while (!stopping) std::this_thread::yield();
        std::this_thread::yield();
        for (;;) { // until the pool has seen the stop
            auto pending = after(1h);
            if (pending.ready()) return error_of([&] { pending.get(); });
        }
    });
    std::jthread stopper{[&] {
        stopping = true;
        workers.stop();
    }};
    EXPECT_EQ(inner.get(), errc::not_run);
}

/// Called on a worker of a pool that another thread stops: returns when a new timer would be ended.
void wait_until_stopped() {
    for (;;) {
        std::stop_source end;
        auto probe = after(1h, end.get_token());
        if (probe.ready()) {
            EXPECT_EQ(error_of([&] { probe.get(); }), errc::not_run);
            return;
        }
        end.request_stop(); // else it is reported that it was dropped
    }
}

TEST(timer, a_callable_that_a_stopped_pool_refuses_is_reported_and_not_cancelled) {
    std::atomic<int> reported{0};
    std::optional<bool> cancelled;
    auto owned = std::make_shared<int>(1);
    std::atomic<bool> stopping{false};
    {
        pool workers{
            pool_options{.workers = 1, .on_error = [&](std::exception_ptr) { ++reported; }}};
        workers.post([&] {
            while (!stopping) std::this_thread::yield();
            wait_until_stopped();
            timer late = after(1h, [owned] { FAIL(); });
            cancelled = late.cancel();
        });
        stopping = true;
    }
    EXPECT_EQ(cancelled, false) << "it was not this call that has prevented the run";
    EXPECT_EQ(owned.use_count(), 1);
    EXPECT_EQ(reported, 1);
}

TEST(timer, a_pool_is_idle_while_timers_are_pending) {
    pool workers{2};
    const auto far = after(workers, 1h);
    workers.wait_idle();
    EXPECT_FALSE(far.ready());
}

TEST(timer, may_be_of_another_pool) {
    pool first{1};
    pool second{1};
    auto home = first.run([&] {
        return after(second, 1ms).then([&](future<void>) { return pool::current() == &second; });
    });
    EXPECT_TRUE(home.get());
}

TEST(timer, many_threads_start_and_cancel) {
    pool workers{2};
    std::atomic<int> runs{0};
    std::atomic<int> cancelled{0};
    constexpr int each_thread = 1'500;
    const auto use = [&](int seed) {
        std::vector<timer> timers;
        for (int i = 0; i < each_thread; ++i) {
            timers.push_back(
                after(workers, std::chrono::microseconds{(i * 37 + seed) % 900}, [&] { ++runs; }));
            if (i % 2 == 0) continue;
            timer& chosen = timers[static_cast<std::size_t>(i) / 2];
            if (i % 3 == 0) chosen.restart(std::chrono::microseconds{i % 700});
            else if (chosen.cancel()) ++cancelled;
        }
    };
    {
        std::jthread one{[&] { use(1); }};
        std::jthread other{[&] { use(2); }};
        workers.run([&] { use(3); });
    }
    after(workers, 2ms).get();
    while (runs + cancelled < 3 * each_thread) std::this_thread::yield();
    workers.wait_idle();
    EXPECT_EQ(runs + cancelled, 3 * each_thread);
}

} // namespace
} // namespace weft::timer_test
