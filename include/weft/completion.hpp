// Results of operations that call back: IO, timers, other libraries.
#pragma once

#include <weft/detail/resource/completion_task.hpp>
#include <weft/error.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <exception>
#include <type_traits>
#include <utility>

namespace weft::inline v0 {

/// The producer's end of a future, to be passed to an operation that calls back. It is completed
/// once, from any thread, including threads that weft did not create. Continuations run as new
/// tasks on the pool, not on that thread. If it is destroyed without being completed, the future
/// gets `errc::broken`. One thread at a time may use it. It may outlive the pool; continuations
/// then end as `errc::not_run`.
template <class T>
class completion {
public:
    /// Continuations run on the pool of the calling worker; on other threads it throws
    /// `errc::outside_pool`. Throws std::bad_alloc.
    completion() : completion{detail::completion_pool(nullptr)} {}
    /// Continuations run on the given pool.
    explicit completion(pool& target) : completion{detail::completion_pool(&target)} {}
    /// `other` is not valid afterwards.
    completion(completion&& other) noexcept : task_{std::exchange(other.task_, nullptr)} {}
    /// If it was valid before, that future gets `errc::broken`. `other` is not valid afterwards.
    completion& operator=(completion&& other) noexcept {
        if (this != &other) {
            drop();
            task_ = std::exchange(other.task_, nullptr);
        }
        return *this;
    }
    /// If it was not completed, its future gets `errc::broken`.
    ~completion() { drop(); }

    /// The future of the result. May be called once, before the completion is completed; otherwise
    /// it throws `errc::invalid_argument`.
    [[nodiscard]] future<T> get_future() {
        if (task_ == nullptr || !task_->try_give_future()) {
            throw error{errc::invalid_argument, "weft::completion::get_future"};
        }
        return future<T>{*task_};
    }

    /// Sets the result; afterwards the completion is not valid. Throws `errc::invalid_argument` if
    /// it was not valid. If constructing the result throws, the future has that exception.
    template <class... Value>
        requires(std::is_void_v<T> ? sizeof...(Value) == 0 : sizeof...(Value) == 1)
    void complete(Value&&... value) {
        take("weft::completion::complete").fulfil(std::forward<Value>(value)...);
    }
    /// Sets an exception instead; throws `errc::invalid_argument` also if it is null.
    void fail(std::exception_ptr failure) {
        if (failure == nullptr) throw error{errc::invalid_argument, "weft::completion::fail"};
        take("weft::completion::fail").fail_with(std::move(failure));
    }
    /// Whether it can be completed: it was neither completed, nor released, nor moved from.
    [[nodiscard]] bool valid() const noexcept { return task_ != nullptr; }

    /// For interfaces that pass a `void*`: returns a token that `adopt` turns into the completion
    /// again, once.
    [[nodiscard]] void* release() noexcept { return std::exchange(task_, nullptr); }
    /// Makes a completion from a token that `release` has returned.
    [[nodiscard]] static completion adopt(void* released) noexcept {
        return completion{static_cast<detail::completion_task<T>*>(released)};
    }

private:
    template <class, class, class>
    friend class detail::holding_task;

    explicit completion(detail::pool_front& home) : task_{detail::completion_task<T>::make(home)} {}
    explicit completion(detail::completion_task<T>* task) noexcept : task_{task} {}

    detail::completion_task<T>& take(const char* call) {
        if (task_ == nullptr) throw error{errc::invalid_argument, call};
        return *std::exchange(task_, nullptr);
    }
    void drop() noexcept {
        if (task_ != nullptr) std::exchange(task_, nullptr)->break_off();
    }

    detail::completion_task<T>* task_ = nullptr;
};

} // namespace weft::inline v0
