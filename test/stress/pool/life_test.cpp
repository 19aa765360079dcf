// Pools that come and go.
#include "conform/cpp/rendezvous.hpp"
#include "support/scale.hpp"

#include <weft/future.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace weft {
namespace {

using namespace test;

std::uint64_t fibonacci(unsigned n) {
    if (n < 2) return n;
    const auto [a, b] =
        fork_join([n] { return fibonacci(n - 1); }, [n] { return fibonacci(n - 2); });
    return a + b;
}

class lives_of : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(workers, lives_of, testing::Values(1, 2, 3, 8, 64));

TEST_P(lives_of, idle_pools_end) {
    for (std::uint64_t i = 0; i < scaled(sanitized ? 20 : 200, 5'000); ++i) {
        const pool workers{GetParam()};
    }
}

TEST_P(lives_of, pools_end_with_work_under_way) {
    for (std::uint64_t i = 0; i < scaled(sanitized ? 20 : 100, 5'000); ++i) {
        std::atomic<int> ran{0};
        std::vector<future<std::uint64_t>> kept;
        {
            pool workers{GetParam()};
            for (int task = 0; task < 50; ++task) {
                workers.submit([&] {
                    workers.submit([&] { ++ran; });
                    ++ran;
                });
            }
            kept.push_back(workers.submit([] { return fibonacci(8); }));
        }
        ASSERT_EQ(ran, 100);
        ASSERT_EQ(kept.back().get(), 21U);
    }
}

TEST_P(lives_of, every_task_of_a_pool_that_is_cancelled_runs_or_is_reported) {
    for (std::uint64_t i = 0; i < scaled(sanitized ? 20 : 100, 5'000); ++i) {
        std::atomic<int> ran{0};
        std::atomic<int> reported{0};
        std::atomic<int> refused{0};
        constexpr int each = 200;
        {
            pool workers{pool_options{
                .workers = GetParam(), .on_error = [&](const auto& thrown) {
                    EXPECT_EQ(error_of([&] { std::rethrow_exception(thrown); }), "not_run");
                    ++reported;
                }}};
            std::jthread submitter{[&] {
                for (int task = 0; task < each; ++task) {
                    if (error_of([&] { workers.submit([&] { ++ran; }); }) != "none") ++refused;
                }
            }};
            for (int task = 0; task < each; ++task) workers.submit([&] { ++ran; });
            workers.stop(on_stop::cancel);
        }
        ASSERT_EQ(ran + reported + refused, 2 * each);
    }
}

/// `then` by one thread while another ends the pool: each continuation is run or ends as
/// `not_run`.
TEST_P(lives_of, continuations_of_ready_futures_are_made_while_the_pool_ends) {
    for (std::uint64_t i = 0; i < scaled(sanitized ? 20 : 100, 5'000); ++i) {
        auto workers = std::make_unique<pool>(GetParam());
        std::vector<future<int>> ready;
        for (int task = 0; task < 100; ++task) ready.push_back(workers->submit([] { return 1; }));
        for (future<int>& each : ready) each.wait();
        event begun;
        const std::jthread ender{[&] {
            begun.await();
            workers.reset();
        }};
        for (std::size_t each = 0; each < ready.size(); ++each) {
            if (each == 10) begun.happen();
            auto next =
                std::move(ready[each]).then([](future<int> before) { return before.get(); });
            const std::string ended = error_of([&] { ASSERT_EQ(next.get(), 1); });
            ASSERT_TRUE(ended == "none" || ended == "not_run") << ended;
        }
    }
}

} // namespace
} // namespace weft
