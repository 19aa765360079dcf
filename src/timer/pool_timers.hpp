// The timers of a pool.
#pragma once

#include "pool/pool_core.hpp"

#include <weft/detail/pool/sleep.hpp>
#include <weft/detail/pool/time_source.hpp>
#include <weft/detail/timer/timer_queue.hpp>

#include <cstddef>
#include <memory>

namespace weft::inline v0::detail {

/// A queue of timers for each worker, so that workers do not meet when they start and cancel timers
/// of their own. Threads outside the pool use one of these too. Every worker fires the timers of
/// all queues: none is late because its worker is busy. Made when the pool gets its first timer.
///
/// Which timers there are when the pool stops: `start` is called inside the pool's intake, or by a
/// worker of the pool, which ends what it has started before it falls asleep for the last time (E3
/// of pool_end). What was started is pending until it has ended, whichever thread holds the queue
/// (TQ7). So once the pool is over, there are none, and wait_until_unused waits for the last thread
/// that is leaving a queue.
class pool_timers final : public time_source {
public:
    explicit pool_timers(pool_core& pool);

    /// The timers of a pool; the first call makes them. Throws std::bad_alloc.
    [[nodiscard]] static pool_timers& of_pool(pool_core& pool);

    /// The queue that the calling thread should use.
    [[nodiscard]] timer_queue& near_queue() noexcept;
    /// Wakes a worker, if none would wake in time for an alarm of this queue.
    static void notify(timer_queue& queue, alarm_time alarm) noexcept {
        static_cast<own_queue&>(queue).sleep->notify_alarm(alarm);
    }

    [[nodiscard]] alarm_time next_alarm() const noexcept override;
    bool fire_due(worker& caller) noexcept override;
    [[nodiscard]] bool has_pending() const noexcept override;
    void wait_until_unused() noexcept override;

private:
    struct alignas(64) own_queue : timer_queue {
        sleep_control* sleep;
        own_queue(alarm_time now, sleep_control& of_pool) noexcept
            : timer_queue{now}, sleep{&of_pool} {}
    };
    bool fire_all(worker& caller) noexcept;

    pool_core* pool_;
    std::size_t count_;
    std::unique_ptr<std::unique_ptr<own_queue>[]> queues_;
};

} // namespace weft::inline v0::detail
