#include "lockfree/shared_batch.hpp"

#include "support/sanitizers.h"
#include "sync/asymmetric_fence.hpp"
#include "unit/sync/forbidden_fence.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>

namespace weft::inline v0::detail {
namespace {

bool may_have_some(const shared_batch& batch) {
    return batch.may_have([](const shared_batch::view&) { return true; });
}

/// So a thread that has nothing to do may sleep while the item takes long.
TEST(shared_batch_alone, one_item_is_nothing_for_others) {
    shared_batch batch;
    batch.owner_begin();
    EXPECT_TRUE(may_have_some(batch)) << "it may become several";
    batch.owner_single();
    EXPECT_FALSE(may_have_some(batch));
    EXPECT_FALSE(batch.look());
    EXPECT_FALSE(batch.idle_since());
    batch.owner_end();
    EXPECT_TRUE(batch.idle_since());
}

TEST(shared_batch_alone, one_item_is_nothing_for_others_while_it_runs) {
    shared_batch batch;
    batch.owner_begin();
    int runs = 0;
    const auto run = [&](std::uint32_t item) {
        ++runs;
        EXPECT_EQ(item, 0b100U);
        EXPECT_FALSE(may_have_some(batch));
        return shared_batch::outcome{};
    };
    EXPECT_EQ(batch.owner_run(0, 0b100, 0, run), 0b100U);
    EXPECT_EQ(runs, 1);
    batch.owner_end();
}

TEST(shared_batch_alone, several_items_are_something_until_the_last_is_done) {
    shared_batch batch;
    batch.owner_begin();
    batch.owner_publish(0, 0b11, 0);
    EXPECT_TRUE(may_have_some(batch));
    EXPECT_EQ(batch.owner_advance(0b10, {}), shared_batch::step::next);
    EXPECT_TRUE(may_have_some(batch));
    EXPECT_TRUE(batch.owner_close());
    EXPECT_FALSE(may_have_some(batch));
    EXPECT_FALSE(batch.idle_since()) << "they have not been given back";
    batch.owner_end();
    EXPECT_TRUE(batch.idle_since());
}

/// The owner's next batch is a new one: a thread that frees it gives back all that is done.
TEST(shared_batch_alone, what_was_gone_in_one_batch_is_not_gone_in_the_next) {
    shared_batch batch;
    for (const std::uint32_t gone : {0b001U, 0U}) {
        batch.owner_begin();
        batch.owner_publish(0, 0b111, 0);
        EXPECT_EQ(batch.owner_advance(0b110, {.again = 0b001, .gone = gone}),
                  shared_batch::step::next);
        const auto seen = batch.look();
        ASSERT_TRUE(seen);
        EXPECT_EQ(seen->so_far.gone, gone);
        EXPECT_TRUE(batch.owner_close());
        batch.owner_end();
    }
}

/// A process may restrict its own system calls at any time: here a child does.
TEST(shared_batch_alone, nothing_is_freed_without_the_fence) {
    if (WEFT_THREAD_SANITIZED || !sync::heavy_fence_works()) GTEST_SKIP() << "it is another fence";
    const auto free_without = [] {
        shared_batch batch;
        batch.owner_begin();
        batch.owner_publish(0, 0b111, 0);
        const auto seen = batch.look();
        if (!test::forbid_the_fence()) std::_Exit(0);
        const bool freed = batch.try_free(*seen).has_value();
        std::_Exit(freed == sync::heavy_fence_works() ? 0 : 1);
    };
    EXPECT_EXIT(free_without(), testing::ExitedWithCode(0), "");
}

} // namespace
} // namespace weft::inline v0::detail
