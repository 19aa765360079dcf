#include <weft/detail/resource/access.hpp>
#include <weft/error.hpp>
#include <weft/resource.hpp>

#include <gtest/gtest.h>

#include <cstddef>

namespace weft::inline v0::detail {
namespace {

TEST(limit, has_a_largest_capacity) {
    EXPECT_NO_THROW(limit{limit_word::most_capacity});
    EXPECT_THROW(limit{limit_word::most_capacity + 1}, error);
}

TEST(key_words, are_a_power_of_two_up_to_a_largest_number) {
    constexpr std::size_t most = std::size_t{1} << 40U;
    EXPECT_EQ(key_words(1), 1U);
    EXPECT_EQ(key_words(5), 8U);
    EXPECT_EQ(key_words(most), most);
    EXPECT_THROW(static_cast<void>(key_words(most + 1)), error);
    EXPECT_THROW(static_cast<void>(key_words(0)), error);
}

} // namespace
} // namespace weft::inline v0::detail
