// Points in time: futures and callables that wait for them, periods, and deadlines of other
// futures.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/pool/represented_pool.hpp>
#include <weft/detail/timer/sleep_operation.hpp>
#include <weft/detail/timer/timed_call.hpp>
#include <weft/detail/timer/timed_future.hpp>
#include <weft/detail/timer/timer_task.hpp>
#include <weft/detail/timer/timers.hpp>
#include <weft/error.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace weft::inline v0 {

// What holds for all timers
//
// - The clock is std::chrono::steady_clock; time points of other clocks do not compile. It stands
//   still while the machine is suspended, and timers wait that much longer.
// - A timer is never early. On a pool that is not busy it is late by the time it takes to wake a
//   thread, and to sort timers that are due at about the same time, about 50 ns for each: when many
//   thousands of them were started by one thread, that can take milliseconds. No thread is added
//   for it: a worker that sleeps wakes for it, and a busy worker looks at every 64th task. If every
//   worker is in a long task, timers wait for one of these to end.
// - No order is promised between timers that are due when a worker looks.
// - A duration of zero or less, and a point in time that has passed, are due at once. What is later
//   than the clock can say (hours::max()) is the end of the clock: in 292 years.
// - What a timer calls runs as a new task of the pool, never inside the thread that looks at the
//   clock.
// - When the pool is stopped, with either mode, timers that are pending end at once, as
//   `errc::not_run`: `stop` waits for no deadline. Their continuations still run if the pool
//   drains. Tasks of the pool that start timers meanwhile get the same.
// - Starting, moving and cancelling take constant time, however many timers there are, and no lock.
// - A function without a pool as its first argument uses that of the calling worker, and throws
//   `errc::outside_pool` on other threads. With a pool it throws `errc::stopped` if that was
//   stopped, unless the caller is its worker. All throw std::bad_alloc; then nothing was started.

/// Returns a future that is ready after `delay`. If stop is requested before, it ends as
/// `errc::cancelled`. As with `then`, a worker must not wait for it, but may continue it.
template <class Rep, class Period>
[[nodiscard]] future<void> after(pool& target, std::chrono::duration<Rep, Period> delay,
                                 std::stop_token stop = {}) {
    return detail::start_wait(target.front(), detail::alarm_after(delay), std::move(stop),
                              "weft::after");
}
/// The same on the pool of the calling worker.
template <class Rep, class Period>
[[nodiscard]] future<void> after(std::chrono::duration<Rep, Period> delay,
                                 std::stop_token stop = {}) {
    constexpr const char* call = "weft::after";
    return detail::start_wait(detail::implied_pool(call), detail::alarm_after(delay),
                              std::move(stop), call);
}

/// Returns a future that is ready at a point in time, otherwise as `after`.
template <class Duration>
[[nodiscard]] future<void> at(pool& target,
                              std::chrono::time_point<detail::steady_clock, Duration> time,
                              std::stop_token stop = {}) {
    return detail::start_wait(target.front(), detail::alarm_at(time), std::move(stop), "weft::at");
}
/// The same on the pool of the calling worker.
template <class Duration>
[[nodiscard]] future<void> at(std::chrono::time_point<detail::steady_clock, Duration> time,
                              std::stop_token stop = {}) {
    constexpr const char* call = "weft::at";
    return detail::start_wait(detail::implied_pool(call), detail::alarm_at(time), std::move(stop),
                              call);
}

/// The handle of a callable that runs once, later. If the handle is dropped, the callable runs all
/// the same. One thread at a time may use a handle. Without a timer (`valid` is false), the other
/// members throw `errc::invalid_argument`. It may outlive the pool, but not be used by `restart`
/// then.
class timer {
public:
    /// Without a timer.
    timer() noexcept = default;
    /// For weft's own use.
    explicit timer(detail::timed_call& call) noexcept : call_{&call} {}
    /// `other` has no timer afterwards.
    timer(timer&& other) noexcept : call_{std::exchange(other.call_, nullptr)} {}
    /// Drops the timer it had before.
    timer& operator=(timer&& other) noexcept {
        if (this != &other) {
            drop();
            call_ = std::exchange(other.call_, nullptr);
        }
        return *this;
    }
    ~timer() { drop(); }

    /// Whether it has a timer, which may have run.
    [[nodiscard]] bool valid() const noexcept { return call_ != nullptr; }
    /// True if this call has prevented that the callable runs; then it has been destroyed, too.
    /// False if it runs, has run or was cancelled before, or if its pool was stopped.
    bool cancel() { return call("weft::timer::cancel").cancel(); }
    /// The callable will run after `delay` from now instead; false if it is too late for that: it
    /// runs or has run, which may be at the new time already, or it was cancelled, or its pool was
    /// stopped.
    template <class Rep, class Period>
    bool restart(std::chrono::duration<Rep, Period> delay) {
        return call("weft::timer::restart").move(detail::alarm_after(delay));
    }
    /// The same with a point in time.
    template <class Duration>
    bool restart(std::chrono::time_point<detail::steady_clock, Duration> time) {
        return call("weft::timer::restart").move(detail::alarm_at(time));
    }

private:
    [[nodiscard]] detail::timed_call& call(const char* name) const {
        if (call_ == nullptr) throw error{errc::invalid_argument, name};
        return *call_;
    }
    void drop() noexcept {
        if (call_ != nullptr) std::exchange(call_, nullptr)->let_go();
    }

    detail::timed_call* call_ = nullptr;
};

/// Runs `task()` after `delay`, as a task of the pool. Its result is dropped, and an exception goes
/// to the pool's `on_error`; so does `errc::not_run`, if the pool is stopped before.
template <class Rep, class Period, std::invocable Task>
timer after(pool& target, std::chrono::duration<Rep, Period> delay, Task&& task) {
    return detail::start_call<timer>(target.front(), detail::alarm_after(delay), "weft::after",
                                     std::forward<Task>(task));
}
/// The same on the pool of the calling worker.
template <class Rep, class Period, std::invocable Task>
timer after(std::chrono::duration<Rep, Period> delay, Task&& task) {
    constexpr const char* call = "weft::after";
    return detail::start_call<timer>(detail::implied_pool(call), detail::alarm_after(delay), call,
                                     std::forward<Task>(task));
}
/// Runs `task()` at a point in time, otherwise as `after`.
template <class Duration, std::invocable Task>
timer at(pool& target, std::chrono::time_point<detail::steady_clock, Duration> time, Task&& task) {
    return detail::start_call<timer>(target.front(), detail::alarm_at(time), "weft::at",
                                     std::forward<Task>(task));
}
/// The same on the pool of the calling worker.
template <class Duration, std::invocable Task>
timer at(std::chrono::time_point<detail::steady_clock, Duration> time, Task&& task) {
    constexpr const char* call = "weft::at";
    return detail::start_call<timer>(detail::implied_pool(call), detail::alarm_at(time), call,
                                     std::forward<Task>(task));
}

/// The handle of a callable that runs periodically, until the handle is dropped or cancelled, or
/// the pool is stopped. One thread at a time may use a handle. Without a callable (`valid` is
/// false), the other members throw `errc::invalid_argument`. It may outlive the pool.
class ticker {
public:
    /// Without a callable.
    ticker() noexcept = default;
    /// For weft's own use.
    explicit ticker(detail::timed_call& call) noexcept : call_{&call} {}
    /// `other` has no callable afterwards.
    ticker(ticker&& other) noexcept : call_{std::exchange(other.call_, nullptr)} {}
    /// Cancels what it had before.
    ticker& operator=(ticker&& other) noexcept {
        if (this != &other) {
            drop();
            call_ = std::exchange(other.call_, nullptr);
        }
        return *this;
    }
    /// Cancels it. A run that is under way goes on, and what it refers to must live until it ends.
    ~ticker() { drop(); }

    /// Whether it has a callable, which may have been cancelled.
    [[nodiscard]] bool valid() const noexcept { return call_ != nullptr; }
    /// True if no run is under way and none will begin any more; the callable has been destroyed
    /// then. False if a run has begun, which is the last, or if it was cancelled before. A run may
    /// cancel its own ticker. If the pool was stopped, no run will begin, whatever is returned.
    bool cancel() { return call("weft::ticker::cancel").cancel(); }
    /// How many ticks came while the callable was still running, or before it could begin, and
    /// were skipped.
    [[nodiscard]] std::uint64_t skipped() const { return call("weft::ticker::skipped").skipped(); }

private:
    [[nodiscard]] detail::timed_call& call(const char* name) const {
        if (call_ == nullptr) throw error{errc::invalid_argument, name};
        return *call_;
    }
    void drop() noexcept {
        if (call_ == nullptr) return;
        static_cast<void>(call_->cancel());
        std::exchange(call_, nullptr)->let_go();
    }

    detail::timed_call* call_ = nullptr;
};

/// Runs `task()` again and again as a task of the pool: the first time after one period, and then
/// at multiples of the period from the beginning, so that delays do not add up. It never runs
/// concurrently with itself: a tick that comes while it runs is skipped and counted. An exception
/// goes to the pool's `on_error`, and the ticks go on. Throws `errc::invalid_argument` unless the
/// period is above zero.
template <class Rep, class Period, std::invocable Task>
[[nodiscard]] ticker every(pool& target, std::chrono::duration<Rep, Period> period, Task&& task) {
    return detail::start_ticks<ticker>(target.front(), period, std::forward<Task>(task));
}
/// The same on the pool of the calling worker.
template <class Rep, class Period, std::invocable Task>
[[nodiscard]] ticker every(std::chrono::duration<Rep, Period> period, Task&& task) {
    return detail::start_ticks<ticker>(detail::implied_pool("weft::every"), period,
                                       std::forward<Task>(task));
}

/// Returns a future of the same result, which ends as `errc::timed_out` if the result is not there
/// after `delay`. Then stop is requested of `stop_late`: give the task its token, if it should end
/// early. The task is not ended otherwise; what it returns later is dropped, and what it throws
/// goes to `on_error`, as for any future that is dropped. If both are there when it is looked at,
/// the result wins. The timer belongs to the pool of the future, which must not be stopped: else
/// it throws `errc::stopped`, and `result` is unchanged; or, if the caller is a worker of that
/// pool, it ends as `errc::not_run` unless the result is there. If the pool is stopped later and
/// neither has come, it ends as `errc::not_run`. If std::bad_alloc is thrown, `result` may have
/// been dropped. Throws `errc::invalid_argument` if the future has no task.
/// A worker must not wait for the new future, as with `then`.
template <class T, class Rep, class Period>
[[nodiscard]] future<T> timeout(future<T>&& result, std::chrono::duration<Rep, Period> delay,
                                std::stop_source stop_late = std::stop_source{std::nostopstate}) {
    return detail::end_by(std::move(result), detail::alarm_after(delay), std::move(stop_late));
}
/// The same with a point in time.
template <class T, class Duration>
[[nodiscard]] future<T> timeout(future<T>&& result,
                                std::chrono::time_point<detail::steady_clock, Duration> deadline,
                                std::stop_source stop_late = std::stop_source{std::nostopstate}) {
    return detail::end_by(std::move(result), detail::alarm_at(deadline), std::move(stop_late));
}

/// An operation that ends after `delay`, counted from its start: for coroutines and other code that
/// waits for operations. It allocates nothing. A stop of what waits ends it as `errc::cancelled`.
template <class Rep, class Period>
[[nodiscard]] detail::sleep_operation sleep_for(std::chrono::duration<Rep, Period> delay) {
    return {nullptr, detail::delay_of(delay), detail::sleep_operation::measure::delay};
}
/// The same on a given pool.
template <class Rep, class Period>
[[nodiscard]] detail::sleep_operation sleep_for(pool& target,
                                                std::chrono::duration<Rep, Period> delay) {
    return {&target.front(), detail::delay_of(delay), detail::sleep_operation::measure::delay};
}
/// An operation that ends at a point in time, otherwise as `sleep_for`.
template <class Duration>
[[nodiscard]] detail::sleep_operation
sleep_until(std::chrono::time_point<detail::steady_clock, Duration> time) {
    return {nullptr, detail::alarm_at(time), detail::sleep_operation::measure::deadline};
}
/// The same on a given pool.
template <class Duration>
[[nodiscard]] detail::sleep_operation
sleep_until(pool& target, std::chrono::time_point<detail::steady_clock, Duration> time) {
    return {&target.front(), detail::alarm_at(time), detail::sleep_operation::measure::deadline};
}

} // namespace weft::inline v0
