// Memory that the explorer checks: it reports double frees, leaks, and uses of atomic and plain
// objects after their memory was freed.
//
// Freed memory is not given out again before the execution ends, so a dangling pointer never points
// to a new object. The memory of an abandoned execution is reclaimed without calling destructors.
#pragma once

#include <weft/explorer/detail/machine.hpp>

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace weft::inline v0::explorer {

/// Allocates memory for the running execution; outside an execution, from the global heap.
inline void* allocate(std::size_t size, std::size_t alignment = alignof(std::max_align_t),
                      const detail::site& place = detail::site::current()) {
    return detail::heap_allocate(size, alignment, detail::block_lifetime::until_freed, place);
}
/// The same for memory that the program keeps until it ends: it is not reported as a leak.
inline void* allocate_permanent(std::size_t size, std::size_t alignment = alignof(std::max_align_t),
                                const detail::site& place = detail::site::current()) {
    return detail::heap_allocate(size, alignment, detail::block_lifetime::permanent, place);
}
/// Frees memory; `alignment` must be that of the allocation.
inline void deallocate(void* memory, std::size_t alignment = alignof(std::max_align_t),
                       const detail::site& place = detail::site::current()) noexcept {
    detail::heap_free(memory, alignment, place);
}

/// An allocator for containers in a scenario.
template <class T>
struct allocator {
    /// The type of the objects.
    using value_type = T;

    /// All allocators are equal.
    allocator() noexcept = default;
    /// All allocators are equal.
    template <class Other>
    explicit(false) allocator(const allocator<Other>& /*other*/) noexcept {}

    /// Memory for `count` objects.
    T* allocate(std::size_t count) {
        if (count > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length{};
        return static_cast<T*>(explorer::allocate(count * sizeof(T), alignof(T)));
    }
    /// Frees memory from `allocate`.
    void deallocate(T* memory, std::size_t /*count*/) noexcept {
        explorer::deallocate(memory, alignof(T));
    }

    friend bool operator==(const allocator& /*a*/, const allocator& /*b*/) noexcept { return true; }
};

} // namespace weft::inline v0::explorer
