#include "timer/pool_timers.hpp"

#include <weft/detail/pool/worker.hpp>
#include <weft/detail/sync/thread.hpp>

#include <algorithm>
#include <cstdint>

namespace weft::inline v0::detail {

pool_timers::pool_timers(pool_core& pool)
    : pool_{&pool}, count_{pool.workers.size()},
      queues_{std::make_unique<std::unique_ptr<own_queue>[]>(count_)} {
    const alarm_time now = alarm_now();
    for (std::size_t i = 0; i < count_; ++i)
        queues_[i] = std::make_unique<own_queue>(now, pool.sleep);
}

pool_timers& pool_timers::of_pool(pool_core& pool) {
    // The layer below knows timers only as a time source; there is no other kind.
    return static_cast<pool_timers&>(
        pool.time([&] { return std::make_unique<pool_timers>(pool); }));
}

/// A thread from outside is known by its stack, as in pool_front::allocate_outside.
timer_queue& pool_timers::near_queue() noexcept {
    const worker* caller = worker::current();
    if (caller != nullptr && &caller->pool() == pool_) return *queues_[caller->index()];
    constexpr unsigned page_bits = 12;
    constexpr std::uint64_t golden_ratio = 0x9e37'79b9'7f4a'7c15;
    const std::uint64_t mixed = (sync::stack_position() >> page_bits) * golden_ratio;
    return *queues_[(mixed >> 32U) % count_];
}

alarm_time pool_timers::next_alarm() const noexcept {
    alarm_time next = no_alarm;
    for (std::size_t i = 0; i < count_; ++i) next = std::min(next, queues_[i]->next_alarm());
    return next;
}

/// The clock is read only if there is a timer. Each queue fires some; what is left is due at the
/// next look, and a worker does not sleep before that.
bool pool_timers::fire_due(worker& caller) noexcept {
    if (pool_->stopping()) return fire_all(caller);
    alarm_time now = -1;
    bool fired = false;
    for (std::size_t i = 0; i < count_; ++i) {
        timer_queue& each = *queues_[(caller.index() + i) % count_];
        const alarm_time next = each.next_alarm();
        if (next == no_alarm) continue;
        if (now < 0) now = alarm_now();
        if (next <= now && each.fire(now, notify)) fired = true;
    }
    if (fired && caller.has_siblings()) pool_->sleep.notify();
    return fired;
}

bool pool_timers::fire_all(worker& caller) noexcept {
    bool fired = false;
    for (std::size_t i = 0; i < count_; ++i) {
        if (queues_[i]->has_pending() && queues_[i]->fire_all(notify)) fired = true;
    }
    if (fired && caller.has_siblings()) pool_->sleep.notify();
    return fired;
}

bool pool_timers::has_pending() const noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
        if (queues_[i]->has_pending()) return true;
    }
    return false;
}

void pool_timers::wait_until_unused() noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
        while (!queues_[i]->is_unused()) sync::yield();
    }
}

} // namespace weft::inline v0::detail
