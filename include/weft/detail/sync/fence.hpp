// Fences.
#pragma once

#include <weft/detail/sync/backend.hpp>
#include <weft/detail/sync/order.hpp>
#include <weft/detail/sync/tsan.hpp>

namespace weft::inline v0::sync {

inline void fence(fence_order auto order WEFT_SYNC_HERE) noexcept {
#ifdef WEFT_SYNC_TSAN
    tsan::fence(order.value);
#else
    backend::atomic_thread_fence(order.value WEFT_SYNC_AT);
#endif
}

} // namespace weft::inline v0::sync
