// Fences.
#pragma once

#include <weft/detail/sync/backend.hpp>
#include <weft/detail/sync/order.hpp>
#include <weft/detail/sync/tsan.hpp>

namespace weft::inline v0::sync {

inline void fence(fence_order auto order WEFT_SYNC_HERE) noexcept {
#ifdef WEFT_SYNC_TSAN
    tsan::fence(order.value);
#elif defined(__clang__) && defined(__x86_64__) && !defined(WEFT_MODEL)
    // g++ makes a fence of a locked instruction on the stack, which is several times faster than
    // the mfence of clang; for memory that programs use, both order the same.
    if constexpr (order.value == std::memory_order_seq_cst) {
        asm volatile("lock orq $0, (%%rsp)" ::: "memory", "cc");
    } else {
        backend::atomic_thread_fence(order.value WEFT_SYNC_AT);
    }
#else
    backend::atomic_thread_fence(order.value WEFT_SYNC_AT);
#endif
}

} // namespace weft::inline v0::sync
