// Blocks of one size, kept by a worker for the next task.
#pragma once

#include "sync/memory.hpp"

#include <cstddef>

namespace weft::inline v0::detail {

/// Every block is a piece of the global heap of its own, so any thread may free any block: into its
/// own cache if it is a worker, else to the heap. No block belongs to a cache.
template <std::size_t Size, std::size_t Most>
class basic_block_cache {
public:
    static constexpr std::size_t block_size = Size;
    static constexpr std::size_t block_alignment = 64;

    basic_block_cache() noexcept = default;
    ~basic_block_cache() {
        while (first_ != nullptr) heap_free(pop());
    }
    basic_block_cache(const basic_block_cache&) = delete;
    basic_block_cache& operator=(const basic_block_cache&) = delete;

    void* allocate() { return first_ != nullptr ? pop() : heap_allocate(); }
    void free(void* memory) noexcept {
        if (count_ == Most) {
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

    void* pop() noexcept {
        link* taken = first_;
        first_ = taken->next;
        --count_;
        return taken;
    }

    link* first_ = nullptr;
    std::size_t count_ = 0;
};

using block_cache = basic_block_cache<192, 1024>;
/// For tasks on up to four resources with a small body. More of them, for whoever admits a task runs it, and not who submitted it.
using large_block_cache = basic_block_cache<448, 4096>;

} // namespace weft::inline v0::detail
