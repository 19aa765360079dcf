#include <weft/detail/lockfree/completion_word.hpp>

#include <gtest/gtest.h>

namespace weft::inline v0::detail {
namespace {

using from_queue = completion_word::from_queue;

TEST(completion_word_alone, is_claimed_by_a_thread_that_did_not_take_it_from_the_queue) {
    completion_word joined{completion_word::made_for_queue{}};
    EXPECT_FALSE(joined.is_claimed());
    EXPECT_TRUE(joined.try_claim());
    EXPECT_TRUE(joined.is_claimed());
    EXPECT_EQ(joined.claim_from_queue(), from_queue::drop);
    EXPECT_TRUE(joined.is_claimed()) << "once true, it stays true";

    completion_word taken{completion_word::made_for_queue{}};
    EXPECT_EQ(taken.claim_from_queue(), from_queue::run);
    EXPECT_FALSE(taken.is_claimed());
    EXPECT_FALSE(taken.try_claim());
    EXPECT_FALSE(taken.is_claimed());
}

} // namespace
} // namespace weft::inline v0::detail
