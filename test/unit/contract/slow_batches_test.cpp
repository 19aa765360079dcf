#include "contract/slow_batches.hpp"

#include "sync/asymmetric_fence.hpp"

#include <weft/detail/sync/clock.hpp>
#include <weft/detail/sync/model_constants.hpp>

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace weft::inline v0::detail {
namespace {

constexpr std::array<char, 2> owners{};

/// A seat with a batch of contracts 0 to 3, which is at contract 1 at first, and another seat.
class slow_batches_alone : public testing::Test {
protected:
    slow_batches_alone() {
        static_cast<void>(table.store.take(std::numeric_limits<std::size_t>::max()));
        for (std::uint32_t bit = 1; bit <= 0b1000; bit *= 2) {
            block().publish(bit, normal_priority);
            static_cast<void>(block().schedule(bit));
        }
        owner.batch.owner_begin();
        EXPECT_EQ(block().claim(0b1111, 4), 0b1111U);
        owner.batch.owner_publish(0, 0b1111, block().take_wanted(0b1111));
        EXPECT_EQ(owner.batch.owner_advance(0b1110, {}), shared_batch::step::next);
    }
    void SetUp() override {
        if (!sync::heavy_fence_works()) GTEST_SKIP() << "nothing is ever freed";
    }

    contract_block& block() const { return table.store.block(0); }
    void advance_to_last(shared_batch::outcome so_far) {
        for (const std::uint32_t left : {0b1100U, 0b1000U}) {
            EXPECT_EQ(owner.batch.owner_advance(left, so_far), shared_batch::step::next);
        }
    }
    /// Looks, and looks again when the batch has been there for long.
    std::optional<shared_batch::freed> free_one() {
        EXPECT_FALSE(slow.try_free_one(other)) << "it has not been watched";
        stay_for_long();
        return slow.try_free_one(other);
    }
    static void stay_for_long() {
        const auto start = sync::clock::now();
        while (sync::clock::now() - start <
               std::chrono::microseconds{2 * constants::slow_batch_microseconds}) {
        }
    }

    contract_table table;
    seat_list seats;
    contract_seat& owner = seats.take(&owners[0]);
    contract_seat& other = seats.take(&owners[1]);
    slow_batches slow{table, seats};
};

TEST_F(slow_batches_alone, all_but_the_current_contract_are_freed) {
    EXPECT_TRUE(slow.may_have_some());
    const auto freed = free_one();
    ASSERT_TRUE(freed);
    EXPECT_EQ(freed->done, 0b0001U);
    EXPECT_EQ(freed->not_begun, 0b1100U);
    EXPECT_EQ(freed->note, 0b1111U);
    EXPECT_FALSE(other.batch.idle_since()) << "until it is given back";
    EXPECT_FALSE(slow.may_have_some() && free_one()) << "it is freed once";
}

TEST_F(slow_batches_alone, a_batch_that_moves_is_not_freed) {
    EXPECT_FALSE(slow.try_free_one(other));
    stay_for_long();
    EXPECT_EQ(owner.batch.owner_advance(0b1100, {}), shared_batch::step::next);
    EXPECT_FALSE(slow.try_free_one(other));
    stay_for_long();
    EXPECT_TRUE(slow.try_free_one(other)) << "it has been watched anew";
}

TEST_F(slow_batches_alone, a_batch_that_has_nothing_for_others_is_not_freed) {
    advance_to_last({});
    EXPECT_FALSE(slow.may_have_some());
    EXPECT_FALSE(free_one());
    EXPECT_TRUE(owner.batch.owner_close()) << "it is all the owner's";
}

TEST_F(slow_batches_alone, a_contract_that_has_run_and_is_due_again_is_freed) {
    advance_to_last({});
    static_cast<void>(block().schedule(0b0010));
    EXPECT_TRUE(slow.may_have_some());
    const auto freed = free_one();
    ASSERT_TRUE(freed);
    EXPECT_EQ(freed->done, 0b0111U);
    EXPECT_EQ(freed->not_begun, 0U);
}

TEST_F(slow_batches_alone, a_contract_that_has_asked_for_another_run_is_freed) {
    advance_to_last({.again = 0b0001, .gone = 0b0010});
    const auto freed = free_one();
    ASSERT_TRUE(freed);
    EXPECT_EQ(freed->of_done.again, 0b0001U);
    EXPECT_EQ(freed->of_done.gone, 0b0010U);
}

/// What is released is not due again, whatever its entry says.
TEST_F(slow_batches_alone, a_contract_that_is_gone_is_nothing_for_others) {
    advance_to_last({.again = 0, .gone = 0b0010});
    static_cast<void>(block().schedule(0b0010));
    EXPECT_FALSE(slow.may_have_some());
    EXPECT_FALSE(free_one());
}

} // namespace
} // namespace weft::inline v0::detail
