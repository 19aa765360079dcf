// Whichever thread cannot be had, there is no pool, and nothing is left of it.
#include "conform/cpp/threads.hpp"
#include "fault/failing_threads.hpp"

#include <weft/error.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <threadpool.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <set>
#include <string>

namespace weft::test {
namespace {

class threads : public ::testing::TestWithParam<int> {};

TEST_P(threads, without_one_of_them_thread_pool_new_says_so_and_returns_null) {
    const std::set<std::string> before = thread_ids();
    for (int which = 1; which <= GetParam(); ++which) {
        ::testing::internal::CaptureStderr();
        thread_pool* pool = nullptr;
        {
            const failing_threads system{static_cast<std::uint64_t>(which)};
            pool = thread_pool_new(GetParam());
            EXPECT_TRUE(system.failed());
        }
        const std::string said = ::testing::internal::GetCapturedStderr();
        EXPECT_EQ(pool, nullptr) << "thread " << which;
        EXPECT_TRUE(said.starts_with("thread_pool_new: ")) << said;
        EXPECT_NE(said.find("no_thread"), std::string::npos) << said;
        EXPECT_EQ(thread_ids(), before) << "thread " << which;
    }
    const failing_threads system{static_cast<std::uint64_t>(GetParam()) + 1};
    thread_pool* pool = thread_pool_new(GetParam());
    EXPECT_NE(pool, nullptr);
    thread_pool_shutdown_and_destroy(pool);
}

TEST_P(threads, without_one_of_them_a_pool_throws_no_thread) {
    const std::set<std::string> before = thread_ids();
    for (int which = 1; which <= GetParam(); ++which) {
        const failing_threads system{static_cast<std::uint64_t>(which)};
        std::optional<errc> thrown;
        try {
            const pool where{static_cast<std::size_t>(GetParam())};
        } catch (const error& failed) {
            thrown = failed.code();
        }
        EXPECT_EQ(thrown, errc::no_thread) << "thread " << which;
        EXPECT_EQ(thread_ids(), before) << "thread " << which;
    }
}

INSTANTIATE_TEST_SUITE_P(pools_of, threads, ::testing::Values(1, 2, 3, 8, 64));

} // namespace
} // namespace weft::test
