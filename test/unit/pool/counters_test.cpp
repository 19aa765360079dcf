#include <weft/detail/pool/counters.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace weft::inline v0::detail {
namespace {

TEST(counters, count_apart) {
    worker_counters counters;
    counters.tasks.count();
    for (int i = 0; i < 2; ++i) counters.steals_tried.count();
    for (int i = 0; i < 3; ++i) counters.steals_won.count();
    for (int i = 0; i < 4; ++i) counters.parks.count();
    for (int i = 0; i < 5; ++i) counters.helps.count();
    for (int i = 0; i < 6; ++i) counters.waits.count();
    counters.orders_given.count(7);
    for (int i = 0; i < 8; ++i) counters.orders_carried.count();
    const worker_statistics now = counters.read();
    EXPECT_EQ(now.tasks, 1U);
    EXPECT_EQ(now.steals_tried, 2U);
    EXPECT_EQ(now.steals_won, 3U);
    EXPECT_EQ(now.parks, 4U);
    EXPECT_EQ(now.helps, 5U);
    EXPECT_EQ(now.waits, 6U);
    EXPECT_EQ(now.orders_given, 7U);
    EXPECT_EQ(now.orders_carried, 8U);
}

TEST(counters, may_be_read_by_others_and_never_fall) {
    counter counted;
    std::atomic<bool> over{false};
    std::jthread reader{[&] {
        std::uint64_t last = 0;
        while (!over) {
            const std::uint64_t now = counted.read();
            EXPECT_GE(now, last);
            last = now;
        }
    }};
    for (int i = 0; i < 100'000; ++i) counted.count();
    over = true;
    EXPECT_EQ(counted.read(), 100'000U);
}

} // namespace
} // namespace weft::inline v0::detail
