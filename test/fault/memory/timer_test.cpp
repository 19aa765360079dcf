// Timers without memory: a call that throws has started nothing.
#include "fault/memory/failing_memory.hpp"
#include "pool/pool_core.hpp"

#include <weft/detail/pool/alarm_time.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>
#include <weft/timer.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <new>
#include <stop_token>
#include <utility>

namespace weft::test {
namespace {

using namespace std::chrono_literals;

/// Calls `start(pool)` with the first allocation failing, then the second, and so on, until none
/// fails, each time with a new pool, which must still have working timers then. A call that throws
/// leaves no timer behind, not even until its pool is stopped. An allocation of the worker may fail
/// instead, which the call does not notice.
template <class Start>
void start_with_each_allocation_failing(Start start) {
    const std::int64_t before = live_allocations();
    for (std::uint64_t number = 1;; ++number) {
        ASSERT_LT(number, 1'000U);
        bool reached = false;
        {
            pool workers{1};
            bool thrown = false;
            {
                const failing_memory memory{number};
                try {
                    start(workers);
                } catch (const std::bad_alloc&) {
                    thrown = true;
                }
                reached = memory.failed();
            }
            after(workers, 10us).get();
            const auto& core = static_cast<detail::pool_core&>(workers.front());
            EXPECT_TRUE(!thrown || core.next_alarm() == detail::no_alarm) << number;
        }
        EXPECT_EQ(live_allocations(), before) << number;
        if (!reached) return;
    }
}

TEST(memory_of_timers, a_future_that_cannot_be_made_leaves_nothing) {
    start_with_each_allocation_failing([](pool& workers) {
        const std::stop_token never;
        static_cast<void>(after(workers, 1h, never));
    });
}

TEST(memory_of_timers, a_stop_token_that_cannot_be_watched_leaves_nothing) {
    const std::stop_source source;
    start_with_each_allocation_failing(
        [&](pool& workers) { static_cast<void>(after(workers, 1h, source.get_token())); });
}

TEST(memory_of_timers, a_callable_that_cannot_be_started_is_destroyed) {
    const auto owned = std::make_shared<int>(0);
    start_with_each_allocation_failing([&](pool& workers) { after(workers, 1h, [owned] {}); });
    EXPECT_EQ(owned.use_count(), 1);
    start_with_each_allocation_failing(
        [&](pool& workers) { static_cast<void>(every(workers, 1h, [owned] {})); });
    EXPECT_EQ(owned.use_count(), 1);
}

TEST(memory_of_timers, a_timeout_that_cannot_be_made_leaves_nothing) {
    start_with_each_allocation_failing([](pool& workers) {
        auto result = workers.submit([] { return 1; });
        static_cast<void>(timeout(std::move(result), 1h));
    });
}

} // namespace
} // namespace weft::test
