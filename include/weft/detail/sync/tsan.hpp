// Fences for ThreadSanitizer, which ignores them.
#pragma once

#if defined(__SANITIZE_THREAD__)
#define WEFT_SYNC_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WEFT_SYNC_TSAN 1
#endif
#endif

#ifdef WEFT_SYNC_TSAN

#include <atomic>

namespace weft::inline v0::sync::tsan {

/// All fences update one shared word, which orders at least as much as the fences themselves: each
/// synchronises with every earlier one, whether or not a value passed between them.
inline std::atomic<unsigned> all_fences{0};
/// This thread has executed a fence that releases.
inline thread_local constinit bool releases = false;

inline void fence(std::memory_order order) noexcept {
    if (order != std::memory_order_acquire) releases = true;
    all_fences.fetch_add(1, order);
}

/// What a store behind a fence passes on to an acquiring load, it passes on itself.
inline std::memory_order behind_fence(std::memory_order order) noexcept {
    if (!releases) return order;
    if (order == std::memory_order_relaxed) return std::memory_order_release;
    return order == std::memory_order_acquire ? std::memory_order_acq_rel : order;
}

} // namespace weft::inline v0::sync::tsan

#define WEFT_SYNC_WRITES(order) ::weft::sync::tsan::behind_fence((order).value)
#else
#define WEFT_SYNC_WRITES(order) (order).value
#endif
