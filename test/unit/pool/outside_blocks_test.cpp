#include "pool/outside_blocks.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <set>

namespace weft::inline v0::detail {
namespace {

constexpr std::size_t chain_length = 3;
using small_depot = block_depot<64, 16, chain_length, 4>;
using blocks = outside_blocks<small_depot, 2>;

/// The blocks of the chain.
std::set<void*> give_chain(small_depot& freed) {
    std::set<void*> made;
    free_block* first = nullptr;
    for (std::size_t i = 0; i < chain_length; ++i) {
        first = ::new (small_depot::heap_allocate()) free_block{first};
        sync::poison(first, small_depot::block_size);
        made.insert(first);
    }
    EXPECT_TRUE(freed.try_give(*first));
    return made;
}

TEST(outside_blocks, gives_what_workers_have_freed) {
    small_depot freed;
    blocks outside{freed};
    const std::set<void*> given = give_chain(freed);
    std::set<void*> taken;
    for (std::size_t i = 0; i < chain_length; ++i) taken.insert(outside.allocate(7));
    EXPECT_EQ(taken, given);
    for (void* each : taken) small_depot::heap_free(each);
}

TEST(outside_blocks, goes_to_the_heap_when_nothing_was_freed) {
    small_depot freed;
    blocks outside{freed};
    void* one = outside.allocate(0);
    void* other = outside.allocate(0);
    EXPECT_NE(one, other);
    small_depot::heap_free(one);
    small_depot::heap_free(other);
}

TEST(outside_blocks, threads_with_different_numbers_have_chains_of_their_own) {
    small_depot freed;
    blocks outside{freed};
    const std::set<void*> last = give_chain(freed);
    const std::set<void*> first = give_chain(freed); // taken first: the depot is a stack
    std::set<void*> of_zero;
    std::set<void*> of_one;
    for (std::size_t i = 0; i < chain_length; ++i) {
        of_zero.insert(outside.allocate(0));
        of_one.insert(outside.allocate(1));
    }
    EXPECT_EQ(of_zero, first);
    EXPECT_EQ(of_one, last);
    for (void* each : of_zero) small_depot::heap_free(each);
    for (void* each : of_one) small_depot::heap_free(each);
}

TEST(outside_blocks, what_is_left_is_freed_with_it) { // the address sanitizer sees leaks
    small_depot freed;
    blocks outside{freed};
    give_chain(freed);
    small_depot::heap_free(outside.allocate(0));
}

} // namespace
} // namespace weft::inline v0::detail
