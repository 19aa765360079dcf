#include <weft/detail/contract/contract_block.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace weft::inline v0::detail {
namespace {

/// A schedule that meets the release comes too late: it is refused, but has made the entry pending.
TEST(contract_block_alone, an_entry_that_is_used_again_is_idle) {
    contract_block block;
    block.publish(1, high_priority);
    ASSERT_TRUE(block.request_release(1));
    ASSERT_EQ(block.claim(1, 1), 1U);
    EXPECT_FALSE(block.schedule(1).accepted);
    ASSERT_FALSE(block.end_life(1));
    ASSERT_TRUE(block.drop_handle(1));
    ASSERT_EQ(block.look().available(), 0U) << "a free entry";
    block.publish(1, high_priority);
    EXPECT_EQ(block.look().pending() & 1, 0U);
    EXPECT_EQ(block.closing(), 0U);
    EXPECT_EQ(block.take_wanted(1), 0U);
    EXPECT_EQ(block.living(), 1U);
}

/// If not all that are due fit, the next claim goes on behind the last.
TEST(contract_block_alone, claims_take_turns) {
    contract_block block;
    for (std::uint32_t bit = 1; bit <= 0b1000; bit *= 2) {
        block.publish(bit, normal_priority);
        static_cast<void>(block.schedule(bit));
    }
    for (const std::uint32_t expected : {0b0011U, 0b1100U, 0b0011U, 0b1100U}) {
        const std::uint32_t taken = block.claim(0b1111, 2);
        EXPECT_EQ(taken, expected);
        EXPECT_EQ(block.finish(taken, taken, taken), 0b1111U);
    }
    EXPECT_EQ(block.claim(0b1111, 4), 0b1111U);
    EXPECT_EQ(block.claim(0b1111, 4), 0U);
}

TEST(contract_block_alone, a_claim_of_all_that_is_due_takes_no_turn) {
    contract_block block;
    for (std::uint32_t bit = 1; bit <= 0b1000; bit *= 2) {
        block.publish(bit, normal_priority);
        static_cast<void>(block.schedule(bit));
    }
    ASSERT_EQ(block.claim(0b0011, 2), 0b0011U);
    EXPECT_EQ(block.finish(0b0011, 0b0011, 0b0011), 0b1111U);
    EXPECT_EQ(block.claim(0b1111, 2), 0b0011U);
}

} // namespace
} // namespace weft::inline v0::detail
