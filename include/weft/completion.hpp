// Results of operations that call back: of IO, of a timer, of another library.
#pragma once

#include <weft/detail/resource/completion_task.hpp>
#include <weft/error.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <exception>
#include <type_traits>
#include <utility>

namespace weft::inline v0 {

/// The producer's end of a future, to be handed to an operation that calls back. Completed once, from any thread, also
/// one that weft does not know; continuations run as new tasks on the pool, not on that thread. A completion that is
/// dropped leaves `errc::broken` in the future. Used by one thread at a time. It may outlive the pool; continuations end
/// as `errc::not_run` then.
template <class T>
class completion {
public:
    /// Continuations run on the pool of the calling worker; elsewhere `errc::outside_pool`. Throws std::bad_alloc.
    completion() : completion{detail::completion_pool(nullptr)} {}
    /// Continuations run on the given pool.
    explicit completion(pool& target) : completion{detail::completion_pool(&target)} {}
    /// The other one is no longer valid.
    completion(completion&& other) noexcept : task_{std::exchange(other.task_, nullptr)} {}
    /// The future that this one belonged to before is `errc::broken`.
    completion& operator=(completion&& other) noexcept {
        if (this != &other) {
            drop();
            task_ = std::exchange(other.task_, nullptr);
        }
        return *this;
    }
    /// If it was not completed, it leaves `errc::broken` in its future.
    ~completion() { drop(); }

    /// The future of the result. Once, before it is completed; else `errc::invalid_argument`.
    [[nodiscard]] future<T> get_future() {
        if (task_ == nullptr || !task_->try_give_future()) {
            throw error{errc::invalid_argument, "weft::completion::get_future"};
        }
        return future<T>{*task_};
    }

    /// Sets the result; the completion is no longer valid then. If it is not valid, `errc::invalid_argument`. If
    /// constructing the result throws, the future has that exception.
    template <class... Value>
        requires(std::is_void_v<T> ? sizeof...(Value) == 0 : sizeof...(Value) == 1)
    void complete(Value&&... value) {
        take("weft::completion::complete").fulfil(std::forward<Value>(value)...);
    }
    /// Sets an exception instead; null is `errc::invalid_argument`.
    void fail(std::exception_ptr failure) {
        if (failure == nullptr) throw error{errc::invalid_argument, "weft::completion::fail"};
        take("weft::completion::fail").fail_with(std::move(failure));
    }
    /// Whether it can be completed: it was neither completed, nor released, nor moved from.
    [[nodiscard]] bool valid() const noexcept { return task_ != nullptr; }

    /// For interfaces that carry one pointer: a token from which `adopt` makes the completion again, once.
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
