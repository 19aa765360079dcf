// Futures that any number of readers may have.
#pragma once

#include <weft/detail/fork_join/shared_result.hpp>
#include <weft/error.hpp>
#include <weft/future.hpp>

#include <chrono>
#include <functional>
#include <type_traits>
#include <utility>

namespace weft::inline v0 {

namespace detail {
/// Access to the task of a shared future; throws if it has none.
struct shared_future_access {
    template <class T>
    static joinable_task& task(const shared_future<T>& owner, const char* call) {
        return owner.shared_.task(call);
    }
};
} // namespace detail

/// A future that may be copied: each copy refers to the same result, which stays where it is until
/// the last copy is gone. So it may have any number of readers, and any number of continuations.
///
/// Different threads may use different copies at the same time. If no copy has requested the
/// result, an exception goes to the pool's `on_error`, as with `future`. Without a task, every
/// member except `valid` throws `errc::invalid_argument`.
template <class T>
class shared_future {
public:
    /// What `get` returns: a reference to the result.
    using reference = std::conditional_t<std::is_void_v<T> || std::is_reference_v<T>, T,
                                         std::add_lvalue_reference_t<const T>>;

    /// Without a task: `valid` is false.
    shared_future() noexcept = default;
    /// Takes over the result, as `future::share` does; throws std::bad_alloc, and then `single` is
    /// dropped.
    explicit(false) shared_future(future<T>&& single) : shared_{std::move(single)} {}

    /// Whether it has a task.
    [[nodiscard]] bool valid() const noexcept { return shared_.valid(); }
    /// Whether the task has ended, so that `get` returns at once.
    [[nodiscard]] bool ready() const { return shared_.task("weft::shared_future::ready").ready(); }

    /// Waits for the task as `future::get` does, and returns a reference to its result, which lives
    /// as long as any copy; or throws its exception. May be called any number of times.
    reference get() const& {
        wait_for_task("weft::shared_future::get");
        return shared_.read();
    }
    /// The reference might refer to nothing.
    reference get() const&&
        requires(!std::is_void_v<T> && !std::is_reference_v<T>)
    = delete;
    /// Returns when the task has ended, without throwing its exception; otherwise as `get`.
    void wait() const { wait_for_task("weft::shared_future::wait"); }
    /// As `future::wait_for`.
    template <class Rep, class Period>
    bool wait_for(std::chrono::duration<Rep, Period> timeout) const {
        constexpr const char* call = "weft::shared_future::wait_for";
        return shared_.task(call).wait_until(sync::deadline_after(timeout), call);
    }

    /// Returns a future of `next(shared_future)`, which runs as a task when this one is ready; no
    /// thread waits for that. May be called any number of times. Otherwise as `future::then`, but
    /// if std::bad_alloc is thrown, this object is unchanged.
    template <class Next>
    auto then(Next&& next) const {
        detail::joinable_task& before = shared_.task("weft::shared_future::then");
        return detail::continue_after(before,
                                      [next = std::decay_t<Next>(std::forward<Next>(next)),
                                       first = *this]() mutable -> decltype(auto) {
                                          return std::invoke(next, std::move(first));
                                      });
    }

private:
    friend detail::shared_future_access;

    void wait_for_task(const char* call) const { shared_.task(call).wait(call); }

    detail::shared_result<T> shared_;
};

template <class T>
shared_future<T> future<T>::share() && {
    static_cast<void>(task("weft::future::share"));
    return shared_future<T>{std::move(*this)};
}

} // namespace weft::inline v0
