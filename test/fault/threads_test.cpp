// Whichever thread cannot be had, there is no pool, and nothing is left of it.
#include "conform/cpp/threads.hpp"
#include "fault/failing_affinity.hpp"
#include "fault/failing_threads.hpp"

#include <weft/detail/pool/pool_front.hpp>
#include <weft/detail/pool/worker.hpp>
#include <weft/error.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <threadpool.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <thread>

namespace weft::test {
namespace {

class threads : public ::testing::TestWithParam<int> {};

TEST_P(threads, without_one_of_them_thread_pool_new_says_so_and_returns_null) {
    const std::set<std::string> before = thread_ids();
    for (int failing_thread = 1; failing_thread <= GetParam(); ++failing_thread) {
        ::testing::internal::CaptureStderr();
        thread_pool* pool = nullptr;
        {
            const failing_threads system{static_cast<std::uint64_t>(failing_thread)};
            pool = thread_pool_new(GetParam());
            EXPECT_TRUE(system.failed());
        }
        const std::string said = ::testing::internal::GetCapturedStderr();
        EXPECT_EQ(pool, nullptr) << "thread " << failing_thread;
        EXPECT_TRUE(said.starts_with("thread_pool_new: ")) << said;
        EXPECT_NE(said.find("no_thread"), std::string::npos) << said;
        EXPECT_EQ(thread_ids(), before) << "thread " << failing_thread;
    }
    const failing_threads system{static_cast<std::uint64_t>(GetParam()) + 1};
    thread_pool* pool = thread_pool_new(GetParam());
    EXPECT_NE(pool, nullptr);
    thread_pool_shutdown_and_destroy(pool);
}

TEST_P(threads, without_one_of_them_a_pool_throws_no_thread) {
    const std::set<std::string> before = thread_ids();
    for (int failing_thread = 1; failing_thread <= GetParam(); ++failing_thread) {
        const failing_threads system{static_cast<std::uint64_t>(failing_thread)};
        std::optional<errc> thrown;
        try {
            const pool workers{static_cast<std::size_t>(GetParam())};
        } catch (const error& failed) {
            thrown = failed.code();
        }
        EXPECT_EQ(thrown, errc::no_thread) << "thread " << failing_thread;
        EXPECT_EQ(thread_ids(), before) << "thread " << failing_thread;
    }
}

/// A hook submits a task when the next thread could not be had.
TEST(a_pool_that_could_not_be_made, does_not_run_what_its_hooks_have_submitted) {
    future<void> submitted;
    bool ran = false;
    const auto submit_late = [&](std::size_t) {
        const detail::pool_front& starting = detail::worker::current()->pool();
        while (!starting.stopping()) std::this_thread::yield();
        submitted = starting.public_pool.submit([&] { ran = true; });
    };
    const failing_threads system{2};
    EXPECT_THROW((pool{pool_options{.workers = 2, .on_start = submit_late}}), error);
    std::optional<errc> outcome;
    try {
        submitted.get();
    } catch (const error& failed) {
        outcome = failed.code();
    }
    EXPECT_EQ(outcome, errc::not_run);
    EXPECT_FALSE(ran);
}

TEST(a_pool, works_where_the_system_does_not_say_which_cpus_it_may_use) {
    const failing_affinity system;
    EXPECT_EQ(usable_cpus(), 1U);
    for (const bool pinned : {false, true}) {
        pool unplaced{pool_options{.workers = 2, .pinned = pinned}};
        EXPECT_EQ(unplaced.run([] { return 1; }), 1);
    }
}

INSTANTIATE_TEST_SUITE_P(pools_of, threads, ::testing::Values(1, 2, 3, 8, 64));

} // namespace
} // namespace weft::test
