// What the functions of weft/timer.hpp do.
#pragma once

#include <weft/detail/fork_join/predecessors.hpp>
#include <weft/detail/timer/timed_call.hpp>
#include <weft/detail/timer/timer_task.hpp>
#include <weft/error.hpp>
#include <weft/future.hpp>
#include <weft/when_all.hpp>

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>

namespace weft::inline v0::detail {

using steady_clock = sync::clock;

template <class Handle, class Task>
[[nodiscard]] Handle start_call(pool_front& home, alarm_time deadline, const char* call,
                                Task&& task) {
    auto* made = timed_callable<std::decay_t<Task>>::make(home, 0, std::forward<Task>(task));
    made->start(deadline, call);
    return Handle{*made};
}

template <class Handle, class Rep, class Period, class Task>
[[nodiscard]] Handle start_ticks(pool_front& home, std::chrono::duration<Rep, Period> period,
                                 Task&& task) {
    constexpr const char* call = "weft::every";
    const std::int64_t step = delay_of(period);
    if (step == 0) throw error{errc::invalid_argument, call};
    auto* made = timed_callable<std::decay_t<Task>>::make(home, step, std::forward<Task>(task));
    made->start(alarm_after(sync::clock::duration{step}), call);
    return Handle{*made};
}

/// A timer of the pool that a task belongs to, if that exists. Throws `stopped` if not. Nobody but
/// the caller knows of it: if its future is dropped, its failure is not reported.
[[nodiscard]] WEFT_API timer_task& start_beside(const joinable_task& other, alarm_time deadline,
                                                const char* call);

/// The future of such a timer, which is cancelled when nobody needs it any more.
class deadline_of_future {
public:
    explicit deadline_of_future(timer_task& clock) noexcept : clock_{&clock}, time_{clock} {}
    deadline_of_future(deadline_of_future&& other) noexcept = default;
    deadline_of_future& operator=(deadline_of_future&&) = delete;
    ~deadline_of_future() {
        if (time_.valid()) cancel_timer(*clock_); // before the future is dropped, which keeps it
    }
    [[nodiscard]] future<void>& time() noexcept { return time_; }

private:
    timer_task* clock_;
    future<void> time_;
};

template <class T>
[[nodiscard]] future<T> end_by(future<T>&& result, alarm_time deadline,
                               std::stop_source stop_late) {
    constexpr const char* call = "weft::timeout";
    deadline_of_future clock{start_beside(future_access::task(result, call), deadline, call)};
    const auto tasks = tasks_of(call, result, clock.time());
    using both = std::tuple<future<T>, deadline_of_future>;
    auto finish = [stop_late = std::move(stop_late)](both ends, const predecessors&) mutable -> T {
        auto& [value, late] = ends;
        if (!value.ready()) {
            late.time().get(); // unless the pool was stopped
            stop_late.request_stop();
            throw error{errc::timed_out, call};
        }
        return value.get();
    };
    return follow(both{std::move(result), std::move(clock)}, tasks, predecessors::mode::any,
                  std::move(finish));
}

} // namespace weft::inline v0::detail
