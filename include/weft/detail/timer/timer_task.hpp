// The task behind the future of a timer: it is never run, only completed.
#pragma once

#include <weft/detail/timer/timers.hpp>
#include <weft/error.hpp>
#include <weft/future.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <stop_token>
#include <utility>

namespace weft::inline v0::detail {

/// Ends without a result when the time has come, as `cancelled` or as `not_run`. Held by the timer
/// until it has ended, and by the handle of the future.
class WEFT_API timer_task : public result_task<void>, public timer_node {
public:
    /// What becomes of a failure whose future is dropped.
    enum class unread : std::uint8_t { reported, dropped };

    /// A new task of this pool, which must exist. Throws std::bad_alloc.
    [[nodiscard]] static timer_task* make(pool_front& home, unread untaken = unread::reported);
    /// The same for a timer that ends as `cancelled` when stop is requested.
    [[nodiscard]] static timer_task* make(pool_front& home, std::stop_token stop);
    /// Starts it, once. If that fails, the task is destroyed, and it throws `stopped` or
    /// std::bad_alloc.
    void start(alarm_time alarm, const char* call);

    ~timer_task() override = default;

protected:
    explicit timer_task(pool_front& home, unread untaken = unread::reported) noexcept;

private:
    static void ended_wait(timer_node& self, timer_end reason) noexcept;
    void end_wait(timer_end ending) noexcept;
    void execute(worker& /*caller*/) noexcept override {}
    void destroy() noexcept override;

    const unread unread_;
};

/// Returns a future of a timer of this pool.
[[nodiscard]] WEFT_API future<void> start_wait(pool_front& home, alarm_time deadline,
                                               std::stop_token stop, const char* call);

} // namespace weft::inline v0::detail
