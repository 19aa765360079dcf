// An object per thread that is told of its thread's end.
#pragma once

#include "sync/thread_slot.hpp"

namespace weft::sync {

/// A thread-local pointer to a `T`, null at a thread's start. When the thread ends, `T::thread_ends(T*)` is
/// called for what is there. Explored threads tell nothing at their end.
template <class T>
class thread_owned {
public:
    [[nodiscard]] static T* get() noexcept { return slot::get(); }
    static void set(T* owned) noexcept {
        slot::set(owned);
#ifndef WEFT_MODEL
        static_cast<void>(&at_end); // to be used is to be made, and so to be ended
#endif
    }

private:
    using slot = thread_slot<thread_owned, T*>;

#ifndef WEFT_MODEL
    struct ending {
        ~ending() {
            T* owned = slot::get();
            slot::set(nullptr);
            if (owned != nullptr) T::thread_ends(owned);
        }
    };
    static inline thread_local ending at_end{};
#endif
};

} // namespace weft::sync
