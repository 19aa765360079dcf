// Stages without memory.
#include "fault/memory/failing_memory.hpp"

#include <weft/pool.hpp>
#include <weft/stage.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>

namespace weft::test {
namespace {

/// Whichever allocation of a push into a full stage fails: the run goes on, and what was not pushed
/// is reported.
TEST(memory_of_stages, a_push_that_fails_leaves_the_run_as_it_was) {
    for (std::uint64_t number = 1;; ++number) {
        ASSERT_LT(number, 1'000U);
        std::atomic<bool> failed{false};
        std::atomic<int> dead{0};
        pool workers{1};
        stage_group group{workers};
        stage<int> full{group, {.capacity = 1}, [](int) {}};
        stage<int> before{
            group, {.on_error = [&](int&, std::exception_ptr) { ++dead; }}, [&](int i) {
                if (i != 0) return;
                const failing_memory memory{number};
                try {
                    full.push(i);
                } catch (...) {
                    failed = memory.failed();
                    throw;
                }
                failed = memory.failed();
            }};
        full.pause();
        full.push(0);
        for (int i = 0; i < 3; ++i) before.push(i);
        while (before.statistics().done + before.statistics().failed == 0)
            std::this_thread::yield();
        full.resume();
        group.wait();
        EXPECT_EQ(before.statistics().done + before.statistics().failed, 3U);
        EXPECT_EQ(before.statistics().failed, static_cast<std::uint64_t>(dead));
        EXPECT_EQ(full.statistics().done, 2U - dead);
        if (!failed) return;
    }
}

} // namespace
} // namespace weft::test
