// Callables that run again and again.
#include <weft/timer.hpp>

#include <weft/error.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

namespace weft::timer_ticks_test {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

void wait_for_runs(const std::atomic<int>& runs, int count) {
    while (runs < count) std::this_thread::yield();
}

TEST(ticker, runs_at_multiples_of_its_period_and_never_early) {
    pool workers{2};
    std::atomic<int> runs{0};
    std::atomic<bool> early{false};
    const auto begin = clock::now();
    ticker ticks;
    ticks = every(workers, 1ms, [&] {
        const int run = ++runs;
        if (clock::now() - begin < run * 1ms) early = true;
    });
    wait_for_runs(runs, 5);
    ticks.cancel();
    EXPECT_FALSE(early);
}

TEST(ticker, never_runs_concurrently_with_itself_and_counts_what_it_skips) {
    pool workers{2};
    std::atomic<int> runs{0};
    std::atomic<int> inside{0};
    std::atomic<bool> twice{false};
    ticker ticks = every(workers, 100us, [&] {
        if (++inside > 1) twice = true;
        const auto begin = clock::now();
        while (clock::now() - begin < 350us) std::this_thread::yield();
        --inside;
        ++runs;
    });
    wait_for_runs(runs, 5);
    ticks.cancel();
    while (inside != 0) std::this_thread::yield();
    EXPECT_FALSE(twice);
    EXPECT_GE(ticks.skipped(), 3U * 4);
}

TEST(ticker, a_cancelled_one_runs_no_more_and_its_callable_is_destroyed) {
    pool workers{2};
    for (int i = 0; i < 200; ++i) {
        auto owned = std::make_shared<std::atomic<int>>(0);
        std::atomic<int>& runs = *owned;
        std::atomic<bool> inside{false};
        ticker ticks = every(workers, 10us, [owned, &inside] {
            inside = true;
            ++*owned;
            inside = false;
        });
        if (i % 2 == 0) wait_for_runs(runs, 1);
        if (ticks.cancel()) {
            EXPECT_FALSE(inside);
            const int before = runs;
            EXPECT_EQ(owned.use_count(), 1);
            std::this_thread::yield();
            EXPECT_EQ(runs, before);
        }
        workers.wait_idle(); // the last run has ended
        EXPECT_EQ(owned.use_count(), 1);
        EXPECT_FALSE(ticks.cancel());
    }
}

TEST(ticker, ends_with_its_handle) {
    pool workers{1};
    auto owned = std::make_shared<int>(0);
    {
        const ticker ticks = every(workers, 1h, [owned] {});
    }
    EXPECT_EQ(owned.use_count(), 1);
}

TEST(ticker, a_run_may_cancel_it) {
    pool workers{1};
    std::atomic<int> runs{0};
    std::atomic<bool> answer{true};
    std::atomic<bool> ready{false};
    ticker ticks;
    ticks = every(workers, 100us, [&] {
        if (!ready) return;
        answer = ticks.cancel();
        ++runs;
    });
    ready = true;
    wait_for_runs(runs, 1);
    after(workers, 1ms).get();
    EXPECT_EQ(runs, 1);
    EXPECT_FALSE(answer) << "a run was under way";
}

TEST(ticker, goes_on_after_an_exception) {
    std::atomic<int> seen{0};
    pool workers{pool_options{.workers = 1, .on_error = [&](std::exception_ptr) { ++seen; }}};
    const ticker ticks = every(workers, 100us, [] { throw 7; });
    wait_for_runs(seen, 3);
}

TEST(ticker, needs_a_period_above_zero) {
    pool workers{1};
    for (const auto period : {0ns, -1ns}) {
        try {
            static_cast<void>(every(workers, period, [] {}));
            FAIL();
        } catch (const error& refused) {
            EXPECT_EQ(refused.code(), errc::invalid_argument);
        }
    }
    const ticker far = every(workers, std::chrono::hours::max(), [] { FAIL(); });
    after(workers, 1ms).get();
}

TEST(ticker, ends_while_it_runs_when_its_pool_is_stopped) {
    for (const on_stop mode : {on_stop::drain, on_stop::cancel}) {
        auto owned = std::make_shared<std::atomic<int>>(0);
        ticker ticks;
        {
            pool workers{2};
            ticks = every(workers, 1us, [owned] { ++*owned; });
            wait_for_runs(*owned, 2);
            workers.stop(mode);
        }
        EXPECT_EQ(owned.use_count(), 1);
        ticks.cancel();
    }
}

} // namespace
} // namespace weft::timer_ticks_test
