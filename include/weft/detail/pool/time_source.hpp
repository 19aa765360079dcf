// What a pool knows of timers.
#pragma once

#include <weft/detail/pool/alarm_time.hpp>

namespace weft::inline v0::detail {

class worker;

/// The timers of one pool, which its workers look at: at every 64th pick, before they sleep and
/// when their alarm has come. A pool without timers has none of these.
class time_source {
public:
    virtual ~time_source() = default;
    /// No later than the next point in time at which there is something to fire, or `no_alarm`.
    [[nodiscard]] virtual alarm_time next_alarm() const noexcept = 0;
    /// Fires some of what is due: tasks go into the caller's queue. If the pool is stopping,
    /// everything is due. Returns whether it has fired anything.
    virtual bool fire_due(worker& caller) noexcept = 0;
    /// Whether anything was started and has not ended, or a thread is about to change that. False
    /// stays so once the pool accepts nothing from outside and no worker starts a timer.
    [[nodiscard]] virtual bool has_pending() const noexcept = 0;
    /// Called when the workers have ended: returns when no thread uses this any more.
    virtual void wait_until_unused() noexcept = 0;
};

} // namespace weft::inline v0::detail
