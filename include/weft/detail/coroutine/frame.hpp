// The frames of coroutines: their memory, and what every promise begins with.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/pool/block_cache.hpp>
#include <weft/detail/pool/worker.hpp>
#include <weft/detail/sync/memory.hpp>

#include <coroutine>
#include <cstddef>
#include <exception>

namespace weft::inline v0::detail {

class chain;

/// Memory of a frame: from the caches of the calling worker if it fits, else from the heap.
inline void* allocate_frame(std::size_t size) {
    worker* caller = worker::current();
    if (size <= block_cache::block_size) [[likely]] {
        return caller != nullptr ? caller->blocks.allocate() : block_cache::heap_allocate();
    }
    if (size <= large_block_cache::block_size) {
        return caller != nullptr ? caller->large_blocks.allocate()
                                 : large_block_cache::heap_allocate();
    }
    return sync::allocate(size);
}
inline void free_frame(void* memory, std::size_t size) noexcept {
    worker* caller = worker::current();
    if (size <= block_cache::block_size) [[likely]] {
        if (caller != nullptr) caller->blocks.free(memory);
        else block_cache::heap_free(memory);
    } else if (size <= large_block_cache::block_size) {
        if (caller != nullptr) caller->large_blocks.free(memory);
        else large_block_cache::heap_free(memory);
    } else {
        sync::deallocate(memory);
    }
}

/// What every promise of a task begins with.
struct frame_head {
    chain* owner = nullptr;       // once it has begun
    frame_head* parent = nullptr; // the frame that awaits this one; null: the root of its chain
    std::coroutine_handle<> self;
    std::exception_ptr failure; // what the body threw

    frame_head() noexcept = default;
    frame_head(const frame_head&) = delete;
    frame_head& operator=(const frame_head&) = delete;

    static void* operator new(std::size_t size) { return allocate_frame(size); }
    static void operator delete(void* memory, std::size_t size) noexcept {
        free_frame(memory, size);
    }
};

/// Destroys a frame that has not begun. Its arguments may own others that have not begun, and those
/// further ones, so that this is a loop.
WEFT_API void destroy_frame(frame_head& unbegun) noexcept;

} // namespace weft::inline v0::detail
