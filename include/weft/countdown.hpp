// A task that runs when everything it depends on has ended.
#pragma once

#include <weft/detail/graph/counted_task.hpp>
#include <weft/error.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <exception>
#include <type_traits>
#include <utility>

namespace weft::inline v0 {

/// A dependency of a task that is still to run. Every copy is one more dependency of the same task;
/// it ends with `arrive`, or when the copy is destroyed. When the last one has ended, the task
/// runs: no thread waits for that, and no task has to be joined.
///
///     countdown total{pool, [&] { return left + right; }};   // one dependency: `total` itself
///     future<int> result = total.get_future();
///     pool.post([total, &left] { left = ...; });             // one more
///     pool.post([total, &right] { right = ...; });           // one more
///     total.arrive();
///
/// A task that depends on others may itself be what another depends on, if its callable has a copy
/// of the other's countdown: so a tree of tasks is completed from its leaves. This is what
/// `CountedCompleter` is for in Java.
///
/// One thread at a time may use a copy; different copies may be used at the same time. A copy that
/// was moved from or has arrived is not valid: every member except `valid` then throws
/// `errc::invalid_argument`.
template <class T>
class countdown {
public:
    /// The task will run `body()` on this pool. If the pool no longer accepts it by then, it is not
    /// run, and the future has `errc::not_run`, or the failure of a dependency (`fail`). Throws
    /// std::bad_alloc, and what copying the body throws.
    template <class Body>
    countdown(pool& target, Body&& body)
        : task_{&detail::countdown_call<std::decay_t<Body>>::make(target.front(),
                                                                  std::forward<Body>(body))} {}
    /// The same on the pool of the calling worker; on other threads it throws `errc::outside_pool`.
    template <class Body>
        requires(!std::is_same_v<std::remove_cvref_t<Body>, countdown>)
    explicit countdown(Body&& body)
        : task_{&detail::countdown_call<std::decay_t<Body>>::make(detail::countdown_pool(),
                                                                  std::forward<Body>(body))} {}
    /// One more dependency.
    countdown(const countdown& other) noexcept : task_{other.task_} {
        if (task_ != nullptr) task_->add();
    }
    /// `other` is not valid afterwards.
    countdown(countdown&& other) noexcept : task_{std::exchange(other.task_, nullptr)} {}
    /// The dependency that it was ends.
    countdown& operator=(countdown other) noexcept {
        std::swap(task_, other.task_);
        return *this;
    }
    /// If it has not arrived, the dependency ends here.
    ~countdown() {
        if (task_ != nullptr) task_->arrive();
    }

    /// Whether it is a dependency that has not ended.
    [[nodiscard]] bool valid() const noexcept { return task_ != nullptr; }
    /// The future of the task's result. May be called once for all copies; a second call throws
    /// `errc::invalid_argument`.
    [[nodiscard]] future<T> get_future() const {
        constexpr const char* call = "weft::countdown::get_future";
        detail::counted_task<T>& own = task(call);
        if (!own.try_give_future()) throw error{errc::invalid_argument, call};
        return future<T>{own};
    }
    /// This dependency has ended. The task may have run when this returns.
    void arrive() {
        task("weft::countdown::arrive").arrive();
        task_ = nullptr;
    }
    /// This dependency has failed: the body will not be run, and the future gets the exception; of
    /// several the first. Throws `errc::invalid_argument` if the pointer is null.
    void fail(std::exception_ptr failure) {
        constexpr const char* call = "weft::countdown::fail";
        detail::counted_task<T>& own = task(call);
        if (!failure) throw error{errc::invalid_argument, call};
        own.note_failure(std::move(failure));
        arrive();
    }

private:
    detail::counted_task<T>& task(const char* call) const {
        if (task_ == nullptr) throw error{errc::invalid_argument, call};
        return *task_;
    }

    detail::counted_task<T>* task_;
};

/// The result of a task is that of its body.
template <class Body>
countdown(pool&, Body) -> countdown<std::invoke_result_t<std::decay_t<Body>&>>;
/// The same on the pool of the calling worker.
template <class Body>
explicit countdown(Body) -> countdown<std::invoke_result_t<std::decay_t<Body>&>>;
/// A copy.
template <class T>
countdown(countdown<T>) -> countdown<T>;

} // namespace weft::inline v0
