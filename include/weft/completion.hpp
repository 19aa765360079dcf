// Results that come by a call from elsewhere: from IO, from a timer, from another library.
#pragma once

#include <weft/detail/resource/completion_task.hpp>
#include <weft/error.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <exception>
#include <type_traits>
#include <utility>

namespace weft::inline v0 {

/// The other end of a future, to be given to whatever calls back. Completed once, from any thread, also one
/// that weft knows nothing of; that thread runs nothing of what follows, which is a fresh task of the pool. One
/// that is dropped leaves `errc::broken` in the future. Used by one thread at a time; it may outlive the pool, and what
/// follows is `errc::not_run` then.
template <class T>
class completion {
public:
    /// On a worker: of its pool. Elsewhere `errc::outside_pool`. Throws std::bad_alloc too.
    completion() : completion{detail::completion_pool(nullptr)} {}
    /// What follows the future runs there.
    explicit completion(pool& where) : completion{detail::completion_pool(&where)} {}
    /// The other one is not valid any more.
    completion(completion&& other) noexcept : task_{std::exchange(other.task_, nullptr)} {}
    /// What this was the end of before is broken.
    completion& operator=(completion&& other) noexcept {
        if (this != &other) {
            drop();
            task_ = std::exchange(other.task_, nullptr);
        }
        return *this;
    }
    /// One that was not completed leaves `errc::broken` in its future.
    ~completion() { drop(); }

    /// Once, before it is completed; else `errc::invalid_argument`.
    [[nodiscard]] future<T> get_future() {
        if (task_ == nullptr || !task_->try_give_future()) {
            throw error{errc::invalid_argument, "weft::completion::get_future"};
        }
        return future<T>{*task_};
    }

    /// The result is there, and this is not valid any more; if it was not, `errc::invalid_argument`. What making the
    /// result of the value throws is what the future has.
    template <class... Value>
        requires(std::is_void_v<T> ? sizeof...(Value) == 0 : sizeof...(Value) == 1)
    void complete(Value&&... value) {
        take("weft::completion::complete").fulfil(std::forward<Value>(value)...);
    }
    /// The same for a failure, which must be one.
    void fail(std::exception_ptr why) {
        if (why == nullptr) throw error{errc::invalid_argument, "weft::completion::fail"};
        take("weft::completion::fail").fail_with(std::move(why));
    }
    /// It was neither completed, nor released, nor moved from.
    [[nodiscard]] bool valid() const noexcept { return task_ != nullptr; }

    /// For interfaces that carry one pointer: what `adopt` makes a completion of again, once.
    [[nodiscard]] void* release() noexcept { return std::exchange(task_, nullptr); }
    /// What `release` gave, as a completion again.
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
