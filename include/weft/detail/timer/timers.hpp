// Starting, moving and cancelling the timers of a pool.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/pool/alarm_time.hpp>
#include <weft/detail/pool/pool_front.hpp>
#include <weft/detail/sync/clock.hpp>
#include <weft/detail/timer/timer_node.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <type_traits>

namespace weft::inline v0::detail {

enum class timer_start : std::uint8_t {
    under_way, ///< `ended` will be called once
    cancelled, ///< it was cancelled before; `ended` is not called
    stopping,  ///< the pool is stopping, and the caller is its worker; `ended` is not called
    refused,   ///< the pool accepts nothing from outside; `ended` is not called
};

/// Starts a timer that is idle, in a pool that must exist. Throws std::bad_alloc; then it is idle
/// as before.
[[nodiscard]] WEFT_API timer_start start_timer(pool_front& home, timer_node& timer,
                                               alarm_time deadline);
/// Moves a timer that was started; false if it is over. One thread at a time, while the pool
/// exists.
[[nodiscard]] WEFT_API bool move_timer(timer_node& timer, alarm_time deadline) noexcept;
/// True if the caller has prevented that the timer fires. Any thread, while the node exists; the
/// pool may have ended.
WEFT_API bool cancel_timer(timer_node& timer) noexcept;

/// Nanoseconds, rounded up: 0 for what is due at once, which includes what is no number, and
/// `last_alarm` for what is too far.
template <class Rep, class Period>
[[nodiscard]] alarm_time delay_of(std::chrono::duration<Rep, Period> delay) {
    if constexpr (std::is_same_v<std::chrono::duration<Rep, Period>, sync::clock::duration>) {
        return std::clamp<alarm_time>(delay.count(), 0, last_alarm);
    } else {
        using seconds = std::chrono::duration<double>;
        if (!(seconds{delay} > seconds::zero())) return 0;
        if (seconds{delay} >= seconds{sync::clock::duration{last_alarm}}) return last_alarm;
        if constexpr (std::chrono::treat_as_floating_point_v<Rep>) {
            return std::chrono::ceil<sync::clock::duration>(seconds{delay}).count(); // exact enough
        } else {
            return std::chrono::ceil<sync::clock::duration>(delay).count();
        }
    }
}
/// The alarm for a duration from now.
template <class Rep, class Period>
[[nodiscard]] alarm_time alarm_after(std::chrono::duration<Rep, Period> delay) {
    const alarm_time count = delay_of(delay);
    if (count == 0) return 0;
    const alarm_time now = alarm_now();
    return count < last_alarm - now ? now + count : last_alarm;
}
/// The alarm for a point in time, rounded up to nanoseconds.
template <class Duration>
[[nodiscard]] alarm_time alarm_at(std::chrono::time_point<sync::clock, Duration> time) {
    using seconds = std::chrono::duration<double>;
    const auto since = time.time_since_epoch();
    if (!(seconds{since} > seconds::zero())) return 0;
    if (seconds{since} >= seconds{sync::clock::duration{last_alarm}}) return last_alarm;
    return alarm_of(sync::clock::time_point{std::chrono::ceil<sync::clock::duration>(since)});
}

} // namespace weft::inline v0::detail
