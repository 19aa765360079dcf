// Threads of a scenario.
#pragma once

#include <weft/explorer/detail/machine.hpp>

#include <memory>
#include <new>
#include <utility>

namespace weft::inline v0::explorer {

/// A callable with the name that traces give to its thread.
template <class Body>
struct named {
    /// A literal.
    const char* name;
    /// The callable that the thread runs.
    Body body;

    /// The name is a literal.
    named(const char* thread_name, Body thread_body)
        : name{thread_name}, body{std::move(thread_body)} {}
    /// Runs the callable.
    void operator()() { body(); }
};

/// A thread that starts at once and is joined on destruction.
class thread {
    using site = detail::site;

public:
    /// No thread.
    thread() noexcept = default;

    /// Starts a thread; traces show its number.
    template <class Body>
    explicit thread(Body body, const site& place = site::current())
        : thread("", std::move(body), place) {}

    /// Starts a thread of that name.
    template <class Body>
    explicit thread(named<Body> body, const site& place = site::current())
        : thread(body.name, std::move(body.body), place) {}

    /// Starts a thread of that name.
    template <class Body>
    thread(const char* name, Body body, const site& place = site::current()) : joinable_{true} {
        const auto made = detail::thread_reserve(sizeof(Body), alignof(Body));
        index_ = made.index;
        auto* callable = ::new (made.storage) Body(std::move(body));
        detail::thread_start(index_, name, &run<Body>, callable, place);
    }

    /// Moves the thread; `other` has none afterwards.
    thread(thread&& other) noexcept
        : index_{other.index_}, joinable_{std::exchange(other.joinable_, false)} {}
    /// Joins the thread of this object first, if there is one.
    thread& operator=(thread&& other) noexcept {
        if (this != &other) {
            if (joinable_) join();
            index_ = other.index_;
            joinable_ = std::exchange(other.joinable_, false);
        }
        return *this;
    }
    ~thread() {
        if (joinable_) join();
    }

    /// Whether there is a thread that has not been joined.
    [[nodiscard]] bool joinable() const noexcept { return joinable_; }
    /// Waits for the end of the thread. May be called once.
    void join(const site& place = site::current()) noexcept {
        detail::threads_join(std::uint32_t{1} << index_, place);
        joinable_ = false;
    }

private:
    template <class... Bodies>
    friend void together(Bodies&&... bodies);

    template <class Body>
    static void run(void* callable) {
        struct destroyer {
            void operator()(Body* body) const noexcept { std::destroy_at(body); }
        };
        const std::unique_ptr<Body, destroyer> body{static_cast<Body*>(callable)};
        (*body)();
    }

    std::uint32_t index_ = 0;
    bool joinable_ = false;
};

/// Runs the callables as concurrent threads and returns when all have ended. The caller does
/// nothing meanwhile, so that no interleavings are spent on it.
template <class... Bodies>
void together(Bodies&&... bodies) {
    constexpr detail::site nowhere; // the threads' own source lines are more helpful
    thread threads[] = {thread{std::forward<Bodies>(bodies), nowhere}...};
    std::uint32_t all = 0;
    for (thread& each : threads) {
        all |= std::uint32_t{1} << each.index_;
        each.joinable_ = false;
    }
    detail::threads_join(all, nowhere);
}

/// For loops that wait for another thread: the other threads run first, and the caller then sees
/// every store made before the call. A waiting loop without it is reported as a livelock.
inline void yield(const detail::site& place = detail::site::current()) noexcept {
    if (detail::exploring()) detail::thread_yield(place);
}

/// The number of the calling thread; the scenario itself is thread 0.
[[nodiscard]] inline std::uint32_t current_thread() noexcept { return detail::thread_current(); }

/// The lowest address of the calling thread's stack, which has 256 KiB. Below it is a page that
/// faults.
[[nodiscard]] inline std::uintptr_t stack_bottom() noexcept {
    return detail::thread_stack_bottom();
}

/// Calls `end(owned)` on the calling thread when it ends; calls are made in reverse order of
/// registration.
inline void at_thread_end(void (*end)(void*), void* owned) { detail::thread_at_end(end, owned); }

/// A thread-local word, zero when the thread starts.
template <class Tag, class T>
    requires(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t))
struct thread_local_value {
    /// The calling thread's word.
    static T get() noexcept { return detail::from_bits<T>(detail::thread_word(&key)); }
    /// Changes the calling thread's word.
    static void set(T value) noexcept { detail::thread_word(&key) = detail::to_bits(value); }

private:
    static constexpr char key = 0;
};

} // namespace weft::inline v0::explorer
