// Memory whose double free and leak the explorer reports, and the use of atomic and plain objects
// in it after it was freed.
//
// Freed memory is not given out again before the execution ends, so a dangling pointer never
// points to a new object. Memory of an execution that was abandoned is reclaimed without
// destructors.
#pragma once

#include <weft/explorer/detail/machine.hpp>

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace weft::inline v0::explorer {

/// Bytes for the running execution; outside of one, from the global heap.
inline void* allocate(std::size_t size, std::size_t alignment = alignof(std::max_align_t),
                      const detail::site& place = detail::site::current()) {
    return detail::heap_allocate(size, alignment, detail::block_lifetime::until_freed, place);
}
/// The same for memory that the program keeps until it ends: not freeing it is no leak.
inline void* allocate_permanent(std::size_t size, std::size_t alignment = alignof(std::max_align_t),
                                const detail::site& place = detail::site::current()) {
    return detail::heap_allocate(size, alignment, detail::block_lifetime::permanent, place);
}
/// Frees memory; the alignment is that of the allocation.
inline void deallocate(void* memory, std::size_t alignment = alignof(std::max_align_t),
                       const detail::site& place = detail::site::current()) noexcept {
    detail::heap_free(memory, alignment, place);
}

/// For containers inside a scenario.
template <class T>
struct allocator {
    /// The type of the objects.
    using value_type = T;

    /// All are equal.
    allocator() noexcept = default;
    /// All are equal.
    template <class Other>
    explicit(false) allocator(const allocator<Other>& /*other*/) noexcept {}

    /// Memory for `count` objects.
    T* allocate(std::size_t count) {
        if (count > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length{};
        return static_cast<T*>(explorer::allocate(count * sizeof(T), alignof(T)));
    }
    /// Memory from `allocate`.
    void deallocate(T* memory, std::size_t /*count*/) noexcept {
        explorer::deallocate(memory, alignof(T));
    }

    friend bool operator==(const allocator& /*a*/, const allocator& /*b*/) noexcept { return true; }
};

} // namespace weft::inline v0::explorer
