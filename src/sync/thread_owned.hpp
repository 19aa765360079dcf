// An object per thread, with a call when its thread ends.
#pragma once

#include <weft/detail/sync/thread_local_value.hpp>

#ifdef WEFT_MODEL
#include <weft/explorer/thread.hpp>
#else
#include <pthread.h>
#endif

#include <new>

namespace weft::inline v0::sync {

/// A thread-local pointer to a `T`, null at a thread's start. When the thread ends,
/// `T::thread_ends(T*)` is called for it, after the thread's other thread-local objects were
/// destroyed, which may use it until then. For the thread that ends the process it is called only
/// in model builds.
template <class T>
class thread_owned {
public:
    [[nodiscard]] static T* get() noexcept { return local::get(); }
    /// Throws std::bad_alloc.
    static void set(T* owned) {
#ifdef WEFT_MODEL
        if (local::get() == nullptr) explorer::at_thread_end(&thread_ends, nullptr);
#else
        static const pthread_key_t key = make_key();
        if (::pthread_setspecific(key, owned) != 0) throw std::bad_alloc{};
#endif
        local::set(owned);
    }

private:
    using local = thread_local_value<thread_owned, T*>;

#ifdef WEFT_MODEL
    static void thread_ends(void* /*unused*/) {
        T* owned = local::get();
        local::set(nullptr);
        if (owned != nullptr) T::thread_ends(owned);
    }
#else
    static pthread_key_t make_key() {
        pthread_key_t made{};
        const auto ends = [](void* owned) {
            local::set(nullptr);
            T::thread_ends(static_cast<T*>(owned));
        };
        if (::pthread_key_create(&made, ends) != 0) throw std::bad_alloc{};
        return made;
    }
#endif
};

} // namespace weft::inline v0::sync
