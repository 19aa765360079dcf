#include "sync/asymmetric_fence.hpp"

#if !defined(WEFT_MODEL) && !defined(WEFT_SYNC_TSAN) && defined(__linux__)

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

namespace weft::inline v0::sync::asymmetric {

const bool available =
    ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;

namespace {
std::atomic<bool> has_refused{false};
} // namespace

bool refused() noexcept { return has_refused.load(std::memory_order_relaxed); }

bool fence_everywhere() noexcept {
    // pairs with light_fence(), which is one too where the kernel has not agreed [HEAVY-1]
    fence(seq_cst);
    if (!available) return true;
    if (refused()) return false;
    if (::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0) return true;
    has_refused.store(true, std::memory_order_relaxed);
    return false;
}

} // namespace weft::inline v0::sync::asymmetric

#endif
