#include <weft/detail/lockfree/nearest_bit.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>

namespace weft::inline v0::detail {
namespace {

/// The set bit with the least difference, by trying each.
template <class Word>
unsigned nearest_by_trying(Word word, unsigned target) {
    unsigned best = 0;
    unsigned least = std::numeric_limits<unsigned>::max();
    for (unsigned bit = 0; bit < std::numeric_limits<Word>::digits; ++bit) {
        if ((word >> bit & 1) != 0 && (bit ^ target) < least) {
            least = bit ^ target;
            best = bit;
        }
    }
    return best;
}

template <class Word>
void check_all_targets() {
    std::mt19937_64 random{1};
    for (int i = 0; i < 300; ++i) {
        const auto word =
            static_cast<Word>((i % 2 == 0 ? random() : random() & random() & random()) |
                              Word{1} << i % std::numeric_limits<Word>::digits);
        for (unsigned target = 0; target < std::numeric_limits<Word>::digits; ++target) {
            ASSERT_EQ(nearest_bit(word, target), nearest_by_trying(word, target));
        }
    }
}

TEST(nearest_bit, has_the_least_difference_from_the_target) {
    check_all_targets<std::uint32_t>();
    check_all_targets<std::uint64_t>();
}

/// At the root the upper half is wanted, where nothing is set; below it the left quarter.
TEST(nearest_bit, is_where_a_path_through_the_halves_comes_to) {
    EXPECT_EQ(nearest_bit(std::uint32_t{0b0110'1001}, 31U), 6U);
    EXPECT_EQ(nearest_bit(std::uint32_t{0b0110'1001}, 0U), 0U);
    EXPECT_EQ(nearest_bit(std::uint32_t{0b0110'1000}, 0U), 3U);
    EXPECT_EQ(nearest_bit(std::uint32_t{0b0110'1001}, 4U), 5U);
}

} // namespace
} // namespace weft::inline v0::detail
