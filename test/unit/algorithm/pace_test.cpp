#include <weft/detail/algorithm/pace.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace weft::detail {
namespace {

void spend(std::uint64_t ticks) {
    const std::uint64_t begin = sync::tick_counter::now();
    while (sync::tick_counter::now() - begin < ticks) {
    }
}

TEST(pace, begins_with_one_element) {
    pace speed{0};
    EXPECT_EQ(speed.next(1000), 1);
    EXPECT_FALSE(speed.is_known());
}

TEST(pace, grows_while_elements_are_cheap) {
    pace speed{0};
    speed.begin();
    std::size_t rounds = 0;
    // A billion elements a round: each is cheap, however slow this build and machine are.
    for (; speed.next(1'000'000) < 500; ++rounds) speed.ran(1'000'000'000, false);
    EXPECT_LT(rounds, 100);
}

TEST(pace, stays_at_one_element_if_that_takes_long) {
    pace speed{0};
    speed.begin();
    for (int i = 0; i != 3; ++i) {
        spend(10 * sync::tick_counter::in_microsecond);
        speed.ran(1, false);
        EXPECT_EQ(speed.next(1000), 1);
        EXPECT_TRUE(speed.is_known());
        EXPECT_GE(speed.estimate(2), 20 * sync::tick_counter::in_microsecond);
    }
}

TEST(pace, shrinks_when_elements_become_dear) {
    pace speed{0};
    speed.begin();
    while (speed.next(1'000'000) < 64) speed.ran(speed.next(1'000'000), false);
    const std::size_t step = speed.next(1'000'000);
    spend(100 * sync::tick_counter::in_microsecond);
    speed.ran(step, true);
    EXPECT_LT(speed.next(1'000'000), step);
}

TEST(pace, of_a_grain_leaves_no_part_below_it) {
    const pace speed{10};
    EXPECT_EQ(speed.next(100), 10);
    EXPECT_EQ(speed.next(20), 10);
    EXPECT_EQ(speed.next(19), 19);
    EXPECT_EQ(speed.next(3), 3);
    EXPECT_EQ(pace{std::numeric_limits<std::size_t>::max()}.next(5), 5);
}

} // namespace
} // namespace weft::detail
