#include "support/sanitizers.h"

#include <weft/detail/pool/block_cache.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

namespace weft::inline v0::detail {
namespace {

constexpr std::size_t chain = task_block_depot::chain_length;

std::vector<void*> blocks_of_the_heap(std::size_t count) {
    std::vector<void*> made(count);
    for (void*& each : made) each = block_cache::heap_allocate();
    return made;
}

TEST(block_cache, gives_different_aligned_blocks_of_full_size) {
    task_block_depot depot;
    block_cache cache{depot};
    std::set<void*> blocks;
    for (int i = 0; i < 100; ++i) {
        void* block = cache.allocate();
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % block_cache::block_alignment, 0U);
        std::memset(block, i, block_cache::block_size);
        blocks.insert(block);
    }
    EXPECT_EQ(blocks.size(), 100U);
    for (void* each : blocks) cache.free(each);
}

TEST(block_cache, gives_again_what_came_last) {
    task_block_depot depot;
    block_cache cache{depot};
    void* first = cache.allocate();
    void* second = cache.allocate();
    cache.free(first);
    cache.free(second);
    EXPECT_EQ(cache.allocate(), second);
    EXPECT_EQ(cache.allocate(), first);
    cache.free(first);
    cache.free(second);
}

#if WEFT_ADDRESS_SANITIZED
TEST(block_cache, a_use_after_free_is_seen_while_the_block_is_in_a_cache) {
    task_block_depot depot;
    block_cache cache{depot};
    void* block = cache.allocate();
    EXPECT_EQ(__asan_region_is_poisoned(block, block_cache::block_size), nullptr);
    cache.free(block);
    EXPECT_EQ(__asan_region_is_poisoned(block, block_cache::block_size), block);
    EXPECT_EQ(cache.allocate(), block);
    EXPECT_EQ(__asan_region_is_poisoned(block, block_cache::block_size), nullptr);
    cache.free(block);
}
#endif

TEST(block_cache, takes_blocks_of_another_and_of_the_heap) {
    task_block_depot depot;
    block_cache first{depot};
    block_cache second{depot};
    void* block = first.allocate();
    second.free(block);
    EXPECT_EQ(second.allocate(), block);
    block_cache::heap_free(block);
    second.free(block_cache::heap_allocate());
}

TEST(block_cache, keeps_two_chains_and_leaves_the_others_to_all) {
    task_block_depot depot;
    block_cache one{depot};
    const std::vector<void*> blocks = blocks_of_the_heap(4 * chain);
    for (void* each : blocks) one.free(each); // the first two chains go to the depot
    block_cache other{depot};
    std::set<void*> taken;
    for (std::size_t i = 0; i != 2 * chain; ++i) taken.insert(other.allocate());
    EXPECT_EQ(taken.size(), 2 * chain);
    for (std::size_t i = 0; i != 2 * chain; ++i) EXPECT_TRUE(taken.contains(blocks[i]));
    EXPECT_EQ(depot.try_take(), nullptr);
    for (void* each : taken) other.free(each);
}

TEST(block_cache, gives_to_the_heap_what_a_full_depot_does_not_take) {
    using small_depot = block_depot<64, 16, 2, 1>;
    small_depot depot;
    basic_block_cache<small_depot> cache{depot};
    // Two chains of two in the cache, one in the depot; the others are freed, as the sanitizers
    // know.
    for (int i = 0; i < 10; ++i) cache.free(small_depot::heap_allocate());
    free_block* kept = depot.try_take();
    EXPECT_NE(kept, nullptr);
    small_depot::heap_free_all(kept);
    EXPECT_EQ(depot.try_take(), nullptr);
}

TEST(block_cache, gives_every_block_once_and_chains_of_full_length_after_a_refill) {
    using small_depot = block_depot<64, 16, 2, 1>;
    small_depot depot;
    basic_block_cache<small_depot> cache{depot};
    for (int i = 0; i < 6; ++i)
        cache.free(small_depot::heap_allocate()); // two in use, two spare, two in the depot
    std::set<void*> taken;
    for (int i = 0; i < 10; ++i) taken.insert(cache.allocate());
    EXPECT_EQ(taken.size(), 10U);
    EXPECT_EQ(depot.try_take(), nullptr);
    for (void* each : taken) cache.free(each);
    free_block* kept = depot.try_take();
    std::size_t length = 0;
    for (free_block* each = kept; each != nullptr; each = each->next.read()) {
        sync::unpoison(each, small_depot::block_size);
        ++length;
    }
    EXPECT_EQ(length, small_depot::chain_length);
    small_depot::heap_free_all(kept);
}

} // namespace
} // namespace weft::inline v0::detail
