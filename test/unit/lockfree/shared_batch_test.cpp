#include "lockfree/shared_batch.hpp"

#include <gtest/gtest.h>

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

} // namespace
} // namespace weft::inline v0::detail
