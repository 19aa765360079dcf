// Whichever thread cannot be had, there is no pool, and nothing is left of it.
#include "fault/failing.hpp"

#include <weft/error.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <threadpool.h>

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <thread>

namespace weft::test {
namespace {

std::ptrdiff_t thread_count() {
    return std::distance(std::filesystem::directory_iterator{"/proc/self/task"}, {});
}

/// A thread that was joined is in the system's list for a moment longer.
bool thread_count_becomes(std::ptrdiff_t wanted) {
    using namespace std::chrono_literals;
    for (int i = 0; i < 30'000; ++i) {
        if (thread_count() == wanted) return true;
        std::this_thread::sleep_for(1ms);
    }
    return false;
}

/// Sanitizers start a thread of their own with the first of ours.
void start_a_first_thread() {
    std::thread{[] {}}.join();
}

class threads : public ::testing::TestWithParam<int> {};

TEST_P(threads, without_one_of_them_thread_pool_new_says_so_and_returns_null) {
    start_a_first_thread();
    const std::ptrdiff_t before = thread_count();
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
        EXPECT_TRUE(thread_count_becomes(before)) << "thread " << which;
    }
    const failing_threads system{static_cast<std::uint64_t>(GetParam()) + 1};
    thread_pool* pool = thread_pool_new(GetParam());
    EXPECT_NE(pool, nullptr);
    thread_pool_shutdown_and_destroy(pool);
}

TEST_P(threads, without_one_of_them_a_pool_throws_no_thread) {
    start_a_first_thread();
    const std::ptrdiff_t before = thread_count();
    for (int which = 1; which <= GetParam(); ++which) {
        const failing_threads system{static_cast<std::uint64_t>(which)};
        std::optional<errc> thrown;
        try {
            const pool where{static_cast<std::size_t>(GetParam())};
        } catch (const error& failed) {
            thrown = failed.code();
        }
        EXPECT_EQ(thrown, errc::no_thread) << "thread " << which;
        EXPECT_TRUE(thread_count_becomes(before)) << "thread " << which;
    }
}

INSTANTIATE_TEST_SUITE_P(pools_of, threads, ::testing::Values(1, 2, 3, 8, 64));

} // namespace
} // namespace weft::test
