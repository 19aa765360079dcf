// Memory that lock-free structures hand from thread to thread. In model builds the explorer reports
// uses after free, double frees and leaks.
#pragma once

#include <weft/detail/sync/backend.hpp>

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#define WEFT_SYNC_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEFT_SYNC_ASAN 1
#endif
#endif

#ifdef WEFT_SYNC_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace weft::inline v0::sync {

#ifdef WEFT_MODEL
using explorer::allocate;
using explorer::allocate_permanent;
using explorer::allocator;
using explorer::deallocate;
#else

inline void* allocate(std::size_t size, std::size_t alignment = alignof(std::max_align_t)) {
    return ::operator new(size, std::align_val_t{alignment});
}
inline void deallocate(void* memory, std::size_t alignment = alignof(std::max_align_t)) noexcept {
    ::operator delete(memory, std::align_val_t{alignment});
}

/// For memory that is kept until the process ends: model builds do not report it as a leak.
inline void* allocate_permanent(std::size_t size,
                                std::size_t alignment = alignof(std::max_align_t)) {
    return allocate(size, alignment);
}

template <class T>
using allocator = std::allocator<T>;

#endif

/// Marks memory that is kept for later: until `unpoison`, AddressSanitizer reports every access to
/// it.
inline void poison([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t size) noexcept {
#ifdef WEFT_SYNC_ASAN
    ASAN_POISON_MEMORY_REGION(memory, size);
#endif
}
inline void unpoison([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t size) noexcept {
#ifdef WEFT_SYNC_ASAN
    ASAN_UNPOISON_MEMORY_REGION(memory, size);
#endif
}

/// Tells the CPU that these bytes will be used soon. They need not exist.
inline void prefetch(const void* memory, std::size_t size) noexcept {
    constexpr std::size_t cache_line = 64;
    const auto* bytes = static_cast<const std::byte*>(memory);
    for (std::size_t offset = 0; offset < size; offset += cache_line) {
        __builtin_prefetch(bytes + offset, 1);
    }
}

/// Returns the pointer. If the guess is right, the CPU goes on with it and does not wait until the
/// pointer is loaded: it predicts a comparison, but not what is loaded.
template <class T>
[[nodiscard]] inline T* guessed(T* pointer, T* guess) noexcept {
    T* same = guess; // the compiler must not know that, or it would return the pointer
    asm("" : "+r"(same));
    if (pointer != same) [[unlikely]] {
        asm volatile(""); // a branch, not a conditional move
        return pointer;
    }
    return guess;
}

/// A new T in that memory, which is freed if the constructor throws.
template <class T, class... Arguments>
T* make_in(void* memory, Arguments&&... arguments) {
    struct guard {
        void* memory;
        ~guard() { deallocate(memory, alignof(T)); }
    } unmade{memory};
    T* made = ::new (unmade.memory) T(std::forward<Arguments>(arguments)...);
    unmade.memory = nullptr;
    return made;
}

/// A new T; throws std::bad_alloc, or what its constructor throws.
template <class T, class... Arguments>
T* make(Arguments&&... arguments) {
    return make_in<T>(allocate(sizeof(T), alignof(T)), std::forward<Arguments>(arguments)...);
}

/// The same for an object that is kept until the process ends.
template <class T, class... Arguments>
T* make_permanent(Arguments&&... arguments) {
    return make_in<T>(allocate_permanent(sizeof(T), alignof(T)),
                      std::forward<Arguments>(arguments)...);
}

/// Destroys and frees an object from `make`. Does nothing for null.
template <class T>
void destroy(T* object) noexcept {
    if (object == nullptr) return;
    std::destroy_at(object);
    deallocate(object, alignof(T));
}

} // namespace weft::inline v0::sync
