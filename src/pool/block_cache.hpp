// Blocks of one size, kept by a worker for the next task.
#pragma once

#include "sync/memory.hpp"

#include <cstddef>

namespace weft::detail {

/// Every block is a piece of the global heap of its own, so any thread may free any block: into its
/// own cache if it is a worker, else to the heap. No block belongs to a cache.
class block_cache {
public:
    static constexpr std::size_t block_size = 192;
    static constexpr std::size_t block_alignment = 64;

    block_cache() noexcept = default;
    ~block_cache() {
        while (first_ != nullptr) heap_free(pop());
    }
    block_cache(const block_cache&) = delete;
    block_cache& operator=(const block_cache&) = delete;

    void* allocate() { return first_ != nullptr ? pop() : heap_allocate(); }
    void free(void* memory) noexcept {
        if (count_ == most) {
            heap_free(memory);
            return;
        }
        first_ = ::new (memory) link{first_};
        ++count_;
    }

    static void* heap_allocate() { return sync::allocate(block_size, block_alignment); }
    static void heap_free(void* memory) noexcept { sync::deallocate(memory, block_alignment); }

private:
    struct link {
        link* next;
    };
    static constexpr std::size_t most = 1024;

    void* pop() noexcept {
        link* taken = first_;
        first_ = taken->next;
        --count_;
        return taken;
    }

    link* first_ = nullptr;
    std::size_t count_ = 0;
};

} // namespace weft::detail
