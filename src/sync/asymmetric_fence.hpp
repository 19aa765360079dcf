// A pair of fences: the light one costs nothing, the heavy one pays for both.
#pragma once

#include <weft/detail/sync/backend.hpp>
#include <weft/detail/sync/fence.hpp>
#include <weft/detail/sync/order.hpp>

#include <atomic>

namespace weft::inline v0::sync {

/// A light and a heavy fence order as two seq_cst fences do; two light ones do not. The heavy one
/// makes the kernel execute a fence on every CPU that runs a thread of this process, which takes
/// about a microsecond; so the light one need only keep the compiler from moving anything. Where
/// the kernel cannot do that, both are seq_cst fences; so they are in model builds and under
/// ThreadSanitizer.
///
/// A kernel that has agreed may still refuse later, without memory or in a process that has
/// restricted its own system calls. From then on the heavy fence returns false and orders nothing:
/// its callers must work without it.
///
/// Use: a frequent path has the light fence, and a rare one the heavy fence.
#if !defined(WEFT_MODEL) && !defined(WEFT_SYNC_TSAN) && defined(__linux__)

namespace asymmetric {
/// Whether the kernel has agreed; asked before main begins, false until then.
extern const bool available;
bool fence_everywhere() noexcept;
[[nodiscard]] bool refused() noexcept;
} // namespace asymmetric

inline void light_fence() noexcept {
    if (asymmetric::available) [[likely]]
        std::atomic_signal_fence(std::memory_order_seq_cst);
    else fence(seq_cst); // pairs with heavy_fence() [LIGHT-1]
}
[[nodiscard]] inline bool heavy_fence() noexcept { return asymmetric::fence_everywhere(); }
/// Whether a heavy fence is worth a try.
[[nodiscard]] inline bool heavy_fence_works() noexcept { return !asymmetric::refused(); }

#elif defined(WEFT_MODEL)

[[nodiscard]] inline bool heavy_fence_works() noexcept { return true; }
inline void
light_fence(const explorer::detail::site& caller = explorer::detail::site::current()) noexcept {
    fence(seq_cst, caller); // pairs with heavy_fence() [LIGHT-1]
}
[[nodiscard]] inline bool
heavy_fence(const explorer::detail::site& caller = explorer::detail::site::current()) noexcept {
    fence(seq_cst, caller); // pairs with light_fence() [HEAVY-1]
    return true;
}

#else

[[nodiscard]] inline bool heavy_fence_works() noexcept { return true; }
inline void light_fence() noexcept {
    fence(seq_cst); // pairs with heavy_fence() [LIGHT-1]
}
[[nodiscard]] inline bool heavy_fence() noexcept {
    fence(seq_cst); // pairs with light_fence() [HEAVY-1]
    return true;
}

#endif

} // namespace weft::inline v0::sync
