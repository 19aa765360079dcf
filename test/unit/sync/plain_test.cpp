#include <weft/detail/sync/plain.hpp>

#include <gtest/gtest.h>

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace weft::inline v0::sync {
namespace {

static_assert(!std::copyable<plain<int>> && !std::movable<plain<int>>);
static_assert(sizeof(plain<std::uint64_t>) == sizeof(std::uint64_t));
static_assert(std::is_trivially_destructible_v<plain<int*>>);

constinit plain<int> plain_before_main{5};

TEST(plain, is_there_before_anything_runs) { EXPECT_EQ(plain_before_main.read(), 5); }

TEST(plain, is_zero_without_a_value) {
    EXPECT_EQ(plain<int>{}.read(), 0);
    EXPECT_EQ(plain<int*>{}.read(), nullptr);
    EXPECT_EQ(plain<std::string>{}.read(), "");
}

TEST(plain, reads_what_was_written) {
    plain<std::string> text{"first"};
    EXPECT_EQ(text.read(), "first");
    text.write("second");
    EXPECT_EQ(text.read(), "second");
}

TEST(plain, is_modified_in_place) {
    plain<std::string> text{"weft"};
    text.modify() += " and warp";
    EXPECT_EQ(text.read(), "weft and warp");
}

TEST(plain, holds_what_can_only_be_moved) {
    plain<std::unique_ptr<int>> owner{std::make_unique<int>(1)};
    owner.write(std::make_unique<int>(2));
    EXPECT_EQ(*owner.read(), 2);
    const std::unique_ptr<int> taken = std::move(owner.modify());
    EXPECT_EQ(*taken, 2);
}

TEST(plain, a_label_changes_nothing) {
    plain<int> value{7};
    value.label("seven");
    EXPECT_EQ(value.read(), 7);
}

} // namespace
} // namespace weft::inline v0::sync
