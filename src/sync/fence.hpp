// Fences.
#pragma once

#include "sync/backend.hpp"
#include "sync/order.hpp"

#if defined(__SANITIZE_THREAD__)
#define WEFT_SYNC_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WEFT_SYNC_TSAN 1
#endif
#endif

namespace weft::sync {

#ifdef WEFT_SYNC_TSAN
/// ThreadSanitizer ignores fences. An update of one word that all fences share says at least as much:
/// each fence synchronises with every earlier one, whether or not a value passed between them. So a
/// race that only a missing value hides from a fence goes unseen here; the explorer finds it.
inline std::atomic<unsigned> all_fences{0};
#endif

inline void fence(fence_order auto order WEFT_SYNC_HERE) noexcept {
#ifdef WEFT_SYNC_TSAN
    all_fences.fetch_add(1, order.value);
#else
    backend::atomic_thread_fence(order.value WEFT_SYNC_AT);
#endif
}

} // namespace weft::sync
