// Points in time at which a worker has to look.
#pragma once

#include <weft/detail/sync/clock.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace weft::inline v0::detail {

/// Nanoseconds of the clock, as a number, so that an atomic can hold it.
using alarm_time = std::int64_t;

/// Later than every alarm.
inline constexpr alarm_time no_alarm = std::numeric_limits<alarm_time>::max();
/// The last alarm there can be: in 292 years.
inline constexpr alarm_time last_alarm = no_alarm - 1;

[[nodiscard]] inline sync::clock::time_point time_of(alarm_time alarm) noexcept {
    return sync::clock::time_point{sync::clock::duration{alarm}};
}
/// The alarm for a point in time.
[[nodiscard]] inline alarm_time alarm_of(sync::clock::time_point time) noexcept {
    return std::clamp<alarm_time>(time.time_since_epoch().count(), 0, last_alarm);
}
[[nodiscard]] inline alarm_time alarm_now() noexcept { return alarm_of(sync::clock::now()); }

} // namespace weft::inline v0::detail
