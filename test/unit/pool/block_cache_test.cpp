#include "pool/block_cache.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

namespace weft::inline v0::detail {
namespace {

TEST(block_cache, gives_different_aligned_blocks_of_full_size) {
    block_cache cache;
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
    block_cache cache;
    void* first = cache.allocate();
    void* second = cache.allocate();
    cache.free(first);
    cache.free(second);
    EXPECT_EQ(cache.allocate(), second);
    EXPECT_EQ(cache.allocate(), first);
    cache.free(first);
    cache.free(second);
}

TEST(block_cache, takes_blocks_of_another_and_of_the_heap) {
    block_cache first;
    block_cache second;
    void* block = first.allocate();
    second.free(block);
    EXPECT_EQ(second.allocate(), block);
    block_cache::heap_free(block);
    second.free(block_cache::heap_allocate());
}

TEST(block_cache, keeps_a_bounded_number) {
    block_cache cache;
    std::vector<void*> blocks(3'000);
    for (void*& each : blocks) each = block_cache::heap_allocate();
    for (void* each : blocks) cache.free(each); // most go back to the heap at once
    std::set<void*> kept;
    for (int i = 0; i < 1'024; ++i) kept.insert(cache.allocate());
    for (int i = 0; i < 1'024; ++i) EXPECT_TRUE(kept.contains(blocks[static_cast<std::size_t>(i)]));
    for (void* each : kept) block_cache::heap_free(each);
}

} // namespace
} // namespace weft::inline v0::detail
