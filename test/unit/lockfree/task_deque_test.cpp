#include <weft/detail/lockfree/task_deque.hpp>

#include <gtest/gtest.h>

namespace weft::inline v0::detail {
namespace {

TEST(task_deque, shows_what_comes_after_a_number_of_pops) {
    task_deque<int> deque{true, 2};
    int items[5]{};
    EXPECT_EQ(deque.owner_look_ahead(0), nullptr);
    for (int& each : items) deque.owner_push(&each);
    EXPECT_EQ(deque.owner_look_ahead(0), &items[4]);
    EXPECT_EQ(deque.owner_look_ahead(4), &items[0]);
    EXPECT_EQ(deque.owner_look_ahead(5), nullptr);
    EXPECT_EQ(deque.steal(), &items[0]);
    EXPECT_EQ(deque.owner_look_ahead(4), nullptr);
    EXPECT_EQ(deque.owner_pop(), &items[4]);
    EXPECT_EQ(deque.owner_look_ahead(0), &items[3]);
}

} // namespace
} // namespace weft::inline v0::detail
