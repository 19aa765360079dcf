#include "contract/slow_batches.hpp"

#include "support/sanitizers.h"
#include "sync/asymmetric_fence.hpp"
#include "unit/sync/forbidden_fence.hpp"

#include <weft/detail/sync/clock.hpp>
#include <weft/detail/sync/model_constants.hpp>

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>

namespace weft::inline v0::detail {
namespace {

constexpr std::array<char, 3> owners{};

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
    EXPECT_EQ(other.watched, 0U) << "it watches nothing";
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

TEST_F(slow_batches_alone, a_batch_that_has_been_watched_for_too_short_a_time_is_not_freed) {
    const auto before = sync::clock::now();
    EXPECT_FALSE(slow.try_free_one(other));
    EXPECT_GE(other.watched_since, before);
    other.watched_since += std::chrono::hours{1};
    EXPECT_FALSE(slow.try_free_one(other));
}

/// While a batch is watched, there is something to free in another one too.
TEST_F(slow_batches_alone, the_batch_that_was_watched_is_freed) {
    contract_seat& third = seats.take(&owners[2]);
    for (const std::uint32_t bit : {0b01'0000U, 0b10'0000U}) {
        block().publish(bit, normal_priority);
        static_cast<void>(block().schedule(bit));
    }
    third.batch.owner_begin();
    ASSERT_EQ(block().claim(0b11'0000, 2), 0b11'0000U);
    third.batch.owner_publish(0, 0b11'0000, block().take_wanted(0b11'0000));
    advance_to_last({});
    EXPECT_FALSE(slow.try_free_one(other));
    static_cast<void>(block().schedule(0b0010));
    stay_for_long();
    const auto freed = slow.try_free_one(other);
    ASSERT_TRUE(freed);
    EXPECT_EQ(freed->not_begun, 0b10'0000U);
}

/// A process may restrict its own system calls at any time: here a child does.
TEST_F(slow_batches_alone, nothing_is_freed_without_the_fence) {
    if (WEFT_THREAD_SANITIZED) GTEST_SKIP() << "it is another fence";
    const auto free_without = [this] {
        if (!test::forbid_the_fence()) std::_Exit(0);
        const bool freed = free_one().has_value();
        if (sync::heavy_fence_works()) std::_Exit(0);
        const bool idle = other.batch.idle_since().has_value();
        std::_Exit(!freed && idle && !slow.may_have_some() ? 0 : 1);
    };
    EXPECT_EXIT(free_without(), testing::ExitedWithCode(0), "");
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
