// Divisions and paces at the ends of what they are asked.
#include <weft/detail/algorithm/division.hpp>
#include <weft/detail/algorithm/index_count.hpp>
#include <weft/detail/algorithm/pace.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace weft::detail {
namespace {

/// Also where it prefers the end of a cache line.
TEST(division_limits, both_parts_have_the_least_size_if_they_can) {
    for (const division shape : {division{}, division{.row = 7, .page = 21}}) {
        for (const std::size_t least : {1U, 63U, 2'048U, 3'000U, 3'001U}) {
            for (const std::size_t first : {0U, 1U, 63U, 100U}) {
                for (std::size_t size = 2 * least; size < 2 * least + 200; ++size) {
                    if (size < 2) continue;
                    const std::size_t middle = shape.middle(first, first + size, least);
                    ASSERT_GE(middle - first, least) << first << " of " << size;
                    ASSERT_GE(first + size - middle, least) << first << " of " << size;
                }
            }
        }
    }
}

TEST(pace_limits, a_step_does_not_wrap_around) {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    pace speed{0};
    speed.begin();
    for (int i = 0; i != 20; ++i) {
        speed.ran(std::size_t{1} << 62U, true);
        // However long this thread was interrupted.
        if (i < 10) continue;
        ASSERT_GT(speed.next(most), std::size_t{1} << 20U) << i;
    }
}

TEST(index_count, is_that_of_the_whole_type) {
    EXPECT_EQ(count_between<std::int8_t>(-128, 127), 255U);
    EXPECT_EQ(count_between<short>(-5, 5), 10U);
    EXPECT_EQ(count_between<char16_t>(u'a', u'c'), 2U);
    EXPECT_EQ(count_between(false, true), 1U);
    constexpr int least = std::numeric_limits<int>::min();
    EXPECT_EQ(count_between(least, std::numeric_limits<int>::max()), 0xFFFF'FFFFU);
    EXPECT_EQ(index_at(least, 0xFFFF'FFFEU), std::numeric_limits<int>::max() - 1);
    EXPECT_EQ(index_at<std::int8_t>(-128, 254), 126);
}

} // namespace
} // namespace weft::detail
