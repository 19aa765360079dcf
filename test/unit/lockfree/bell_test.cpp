#include <weft/detail/lockfree/bell.hpp>

#include <gtest/gtest.h>

namespace weft::inline v0::detail {
namespace {

struct waiter {};

TEST(bell, has_room_for_one_waiter) {
    bell<waiter> door;
    waiter first;
    waiter second;
    EXPECT_TRUE(door.try_wait(first));
    EXPECT_FALSE(door.try_wait(second));
    EXPECT_EQ(door.ring(), &first);
    EXPECT_TRUE(door.try_wait(second));
}

TEST(bell, calls_a_waiter_once) {
    bell<waiter> door;
    waiter first;
    EXPECT_TRUE(door.try_wait(first));
    EXPECT_EQ(door.ring(), &first);
    EXPECT_EQ(door.ring(), nullptr);
}

TEST(bell, does_not_call_a_waiter_that_has_left) {
    bell<waiter> door;
    waiter first;
    waiter second;
    EXPECT_TRUE(door.try_wait(first));
    door.leave(first);
    EXPECT_EQ(door.ring(), nullptr);
    EXPECT_TRUE(door.try_wait(second));
}

/// The first was called, and another came before it left.
TEST(bell, keeps_the_waiter_that_came_after_the_one_that_leaves) {
    bell<waiter> door;
    waiter first;
    waiter second;
    EXPECT_TRUE(door.try_wait(first));
    EXPECT_EQ(door.ring(), &first);
    EXPECT_TRUE(door.try_wait(second));
    door.leave(first);
    EXPECT_EQ(door.ring(), &second);
}

} // namespace
} // namespace weft::inline v0::detail
