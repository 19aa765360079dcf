// The identity of the calling thread, to compare with that of others.
#pragma once

#ifdef WEFT_MODEL
#include <weft/explorer/thread.hpp>

#include <cstdint>
#endif

namespace weft::inline v0::sync {

/// Different for all threads that live at the same time; a later thread may get the identity of an
/// earlier one.
[[nodiscard]] inline const void* this_thread() noexcept {
#ifdef WEFT_MODEL
    return reinterpret_cast<const void*>(std::uintptr_t{explorer::current_thread()} + 1);
#else
    static thread_local constinit char place = 0;
    return &place;
#endif
}

} // namespace weft::inline v0::sync
