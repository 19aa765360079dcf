// What becomes of tasks, and of threads, when a pool is stopped.
#include "conform/cpp/occupation.hpp"
#include "conform/cpp/rendezvous.hpp"
#include "conform/cpp/stopping.hpp"
#include "support/patience.hpp"

#include <weft/blocking.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

namespace weft {
namespace {

using namespace test;
using namespace std::chrono_literals;

class stopping_pool_of : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(workers, stopping_pool_of, testing::Values(1, 2, 3, 8, 64));

TEST_P(stopping_pool_of, stop_runs_all_that_is_queued) {
    std::atomic<int> ran{0};
    pool workers{GetParam()};
    std::vector<future<void>> queued;
    std::thread stopper;
    {
        const occupation all{workers};
        for (int i = 0; i < 1000; ++i) queued.push_back(workers.submit([&] { ++ran; }));
        stopper = std::thread{[&] { workers.stop(); }};
        spin_until([&] { return error_of([&] { workers.submit([] {}); }) == "stopped"; });
        EXPECT_EQ(ran, 0);
    }
    stopper.join();
    EXPECT_EQ(ran, 1000);
    for (future<void>& each : queued) EXPECT_EQ(error_of([&] { each.get(); }), "none");
}

TEST_P(stopping_pool_of, stop_on_request_ends_all_that_is_queued_as_not_run) {
    std::atomic<int> reported{0};
    pool workers{pool_options{.workers = GetParam(), .on_error = [&](const std::exception_ptr& e) {
                                  EXPECT_EQ(error_of([&] { std::rethrow_exception(e); }),
                                            "not_run");
                                  ++reported;
                              }}};
    std::atomic<int> ran{0};
    std::vector<future<void>> queued;
    std::thread stopper;
    {
        const occupation all{workers};
        for (int i = 0; i < 500; ++i) queued.push_back(workers.submit([&] { ++ran; }));
        for (int i = 0; i < 500; ++i) workers.submit([&] { ++ran; });
        stopper = std::thread{[&] { workers.stop(on_stop::cancel); }};
        spin_until([&] { return error_of([&] { workers.submit([] {}); }) == "stopped"; });
    }
    stopper.join();
    EXPECT_EQ(ran, 0);
    for (future<void>& each : queued) EXPECT_EQ(error_of([&] { each.get(); }), "not_run");
    EXPECT_GE(reported, 500) << "what nobody asks for is not lost in silence";
}

TEST_P(stopping_pool_of, may_be_stopped_again_and_by_several_threads) {
    std::atomic<int> ran{0};
    pool workers{GetParam()};
    for (int i = 0; i < 100; ++i) workers.submit([&] { ++ran; });
    {
        std::jthread one{[&] { workers.stop(); }};
        std::jthread other{[&] { workers.stop(); }};
    }
    EXPECT_EQ(ran, 100);
    workers.stop();
    workers.stop(on_stop::cancel);
}

/// One task is always queued, for it submits itself; so stopping takes long unless it is cancelled.
TEST_P(stopping_pool_of, may_cancel_while_it_runs_what_is_queued) {
    std::atomic<int> reported{0};
    std::atomic<bool> expired{false};
    patience left;
    struct respawner {
        pool& workers;
        std::atomic<bool>& expired;
        patience& left;
        void operator()() const {
            if (left.is_over()) expired = true;
            else workers.submit(*this);
        }
    };
    pool workers{pool_options{.workers = GetParam(), .on_error = [&](const std::exception_ptr& e) {
                                  EXPECT_EQ(error_of([&] { std::rethrow_exception(e); }),
                                            "not_run");
                                  ++reported;
                              }}};
    workers.submit(respawner{workers, expired, left});
    const std::jthread drainer{[&] { workers.stop(); }};
    spin_until([&] { return error_of([&] { workers.submit([] {}); }) == "stopped"; });
    workers.stop(on_stop::cancel);
    EXPECT_FALSE(expired);
    EXPECT_GE(reported, 1);
}

TEST_P(stopping_pool_of, takes_nothing_from_outside_once_stopped) {
    pool workers{GetParam()};
    workers.stop();
    auto held = std::make_shared<int>(0);
    EXPECT_EQ(error_of([&] { workers.submit([held] {}); }), "stopped");
    EXPECT_EQ(error_of([&] { workers.run([held] {}); }), "stopped");
    EXPECT_EQ(held.use_count(), 1);
}

TEST_P(stopping_pool_of, running_tasks_may_submit_while_it_stops) {
    std::atomic<int> ran{0};
    pool workers{GetParam()};
    struct chain {
        pool& workers;
        std::atomic<int>& ran;
        int left;
        void operator()() const {
            ++ran;
            if (left > 0) workers.submit(chain{workers, ran, left - 1});
        }
    };
    for (int i = 0; i < 10; ++i) workers.submit(chain{workers, ran, 99});
    workers.stop();
    EXPECT_EQ(ran, 1000);
}

/// The other workers have nothing to do for a while, but they may not go before the last task has
/// ended: it may yet have work for them.
TEST(stopping_pool, keeps_its_workers_until_the_last_task_has_ended) {
    for (int round = 0; round < 20; ++round) {
        event other_ran;
        pool workers{2};
        auto kept = workers.submit([&] {
            await_stop(workers);
            workers.submit([&] { other_ran.happen(); });
            return blocking([&] { return has_soon(other_ran); });
        });
        workers.stop();
        ASSERT_TRUE(kept.get());
    }
}

TEST_P(stopping_pool_of, cannot_be_stopped_by_its_own_worker) {
    pool workers{GetParam()};
    EXPECT_EQ(workers.run([&] { return error_of([&] { workers.stop(); }); }), "would_deadlock");
    EXPECT_EQ(workers.run([] { return 1; }), 1);
    pool other{1};
    EXPECT_EQ(other.run([&] { return error_of([&] { workers.stop(); }); }), "none");
}

TEST_P(stopping_pool_of, runs_what_is_queued_before_it_is_destroyed) {
    std::atomic<int> ran{0};
    {
        pool workers{GetParam()};
        for (int i = 0; i < 1000; ++i) workers.submit([&] { ++ran; });
    }
    EXPECT_EQ(ran, 1000);
}

} // namespace
} // namespace weft
