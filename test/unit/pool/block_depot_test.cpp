#include <weft/detail/pool/block_depot.hpp>

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace weft::inline v0::detail {
namespace {

using depot = block_depot<64, 16, 2, 3>;

free_block* chain_of_two() {
    auto* last = ::new (depot::heap_allocate()) free_block{nullptr};
    return ::new (depot::heap_allocate()) free_block{last};
}

TEST(block_depot, gives_back_what_it_was_given) {
    depot shared;
    EXPECT_EQ(shared.try_take(), nullptr);
    free_block* blocks = chain_of_two();
    ASSERT_TRUE(shared.try_give(*blocks));
    EXPECT_EQ(shared.try_take(), blocks);
    EXPECT_EQ(shared.try_take(), nullptr);
    depot::heap_free_all(blocks);
}

TEST(block_depot, has_room_for_a_fixed_number_of_chains) {
    depot shared;
    std::set<free_block*> given;
    for (int i = 0; i < 3; ++i) {
        free_block* blocks = chain_of_two();
        ASSERT_TRUE(shared.try_give(*blocks));
        given.insert(blocks);
    }
    free_block* more = chain_of_two();
    EXPECT_FALSE(shared.try_give(*more));
    free_block* taken = shared.try_take();
    EXPECT_TRUE(given.contains(taken));
    EXPECT_TRUE(shared.try_give(*more)); // the others are freed with the depot
    depot::heap_free_all(taken);
}

/// It is likely to be in a cache.
TEST(block_depot, gives_the_chain_that_came_last) {
    depot shared;
    std::vector<free_block*> given;
    for (int i = 0; i < 3; ++i) {
        given.push_back(chain_of_two());
        ASSERT_TRUE(shared.try_give(*given.back()));
    }
    for (; !given.empty(); given.pop_back()) {
        EXPECT_EQ(shared.try_take(), given.back());
        depot::heap_free_all(given.back());
    }
}

} // namespace
} // namespace weft::inline v0::detail
