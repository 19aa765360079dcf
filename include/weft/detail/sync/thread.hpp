// Threads.
#pragma once

#ifdef WEFT_MODEL
#include <weft/explorer/thread.hpp>

#else
#include <pthread.h>
#include <sched.h>

#include <memory>
#endif

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace weft::inline v0::sync {

struct thread_options {
    std::string name = {};      ///< what debuggers show; the system keeps 15 characters of it
    std::size_t stack_size = 0; ///< in bytes, rounded up to what the system takes; 0: its default
};

#ifdef WEFT_MODEL

class thread : public explorer::thread {
public:
    thread() noexcept = default;
    template <class Body>
    thread(const thread_options& options, Body body)
        : explorer::thread{options.name.c_str(), std::move(body)} {}
};

inline void
yield(const explorer::detail::site& caller = explorer::detail::site::current()) noexcept {
    explorer::yield(caller);
}
inline void
pause(const explorer::detail::site& caller = explorer::detail::site::current()) noexcept {
    explorer::yield(caller);
}

#else

/// A thread that runs `body` and is joined on destruction. An exception that leaves the body ends
/// the program.
class thread {
public:
    thread() noexcept = default;

    /// Throws `error` with `errc::no_thread` if the system provides no thread, or
    /// `errc::invalid_argument` for an impossible stack size; then nothing is left behind.
    template <class Body>
    thread(const thread_options& options, Body body) {
        auto state = std::make_unique<Body>(std::move(body));
        start(options, &run<Body>, state.get());
        static_cast<void>(state.release()); // it is the new thread's now
    }

    thread(thread&& other) noexcept
        : id_{other.id_}, joinable_{std::exchange(other.joinable_, false)} {}
    thread& operator=(thread&& other) noexcept;
    ~thread();

    [[nodiscard]] bool joinable() const noexcept { return joinable_; }
    void join() noexcept;

private:
    template <class Body>
    static void* run(void* state) noexcept {
        const std::unique_ptr<Body> body{static_cast<Body*>(state)};
        (*body)();
        return nullptr;
    }

    void start(const thread_options& options, void* (*entry)(void*), void* state);

    pthread_t id_{};
    bool joinable_ = false;
};

/// Lets another thread have this CPU.
inline void yield() noexcept { ::sched_yield(); }

/// Tells the CPU that this is a waiting loop.
inline void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

#endif

/// The lowest address of the calling thread's stack that may be used.
[[nodiscard]] std::uintptr_t stack_bottom() noexcept;

/// The current position in the caller's stack; stacks grow downwards.
[[gnu::always_inline]] inline std::uintptr_t stack_position() noexcept {
#if defined(__x86_64__)
    std::uintptr_t position; // NOLINT(cppcoreguidelines-init-variables): the assembly writes it
    asm("movq %%rsp, %0" : "=r"(position));
    return position;
#else
    return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
#endif
}

/// Occupies its size in the caller's stack while it lives, even where calls are inlined into one
/// frame.
struct stack_mark {
    [[gnu::always_inline]] stack_mark() noexcept { asm volatile("" : "=m"(space_)); }
    ~stack_mark() = default;
    stack_mark(const stack_mark&) = delete;
    stack_mark& operator=(const stack_mark&) = delete;

private:
    std::uintptr_t space_;
};

/// Pins the calling thread to one CPU; returns false if that is not possible.
bool stay_on_cpu(std::size_t cpu) noexcept;

/// Moves the calling thread to this CPU if it may run there, without pinning it.
void move_to_cpu(std::size_t cpu) noexcept;

/// From now on the timed sleeps of the calling thread end when they should. Otherwise the kernel
/// may add 50 us, to end several at once.
void wake_on_time() noexcept;

/// The CPU of the calling thread.
[[nodiscard]] std::size_t current_cpu() noexcept;

/// The CPUs that the calling thread may run on.
[[nodiscard]] std::vector<std::size_t> allowed_cpus();

} // namespace weft::inline v0::sync
