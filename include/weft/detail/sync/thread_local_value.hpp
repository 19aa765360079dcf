// One word per thread.
#pragma once

#ifdef WEFT_MODEL
#include <weft/explorer/thread.hpp>

#endif

#include <weft/api.hpp>

#include <type_traits>

namespace weft::inline v0::sync {

#ifdef WEFT_MODEL
using explorer::thread_local_value;
#else

/// A thread-local variable named by `Tag`, zero at a thread's start. Trivial, so that a read is one
/// load without a guard.
template <class Tag, class T>
    requires(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(void*))
struct WEFT_API thread_local_value {
    static T get() noexcept { return value; }
    static void set(T next) noexcept { value = next; }

private:
    static inline thread_local constinit T value{};
};

#endif

} // namespace weft::inline v0::sync
