// Who the calling thread is, for those who only ask whether it is the same.
#pragma once

namespace weft::inline v0::sync {

/// Differs between threads that live at the same time; a later thread may get the one of an earlier.
[[nodiscard]] inline const void* this_thread() noexcept {
    static thread_local constinit char place = 0;
    return &place;
}

} // namespace weft::inline v0::sync
