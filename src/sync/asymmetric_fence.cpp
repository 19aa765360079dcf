#include "sync/asymmetric_fence.hpp"

#if !defined(WEFT_MODEL) && !defined(WEFT_SYNC_TSAN) && defined(__linux__)

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weft::sync::asymmetric {

const bool available =
    ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;

bool fence_everywhere() noexcept {
    // As light_fence() is where the kernel has not agreed; pairs with it [HEAVY-1]
    fence(seq_cst);
    return !available || ::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

} // namespace weft::sync::asymmetric

#endif
