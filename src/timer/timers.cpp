#include <weft/detail/timer/timers.hpp>

#include "timer/pool_timers.hpp"

#include <weft/detail/pool/represented_pool.hpp>
#include <weft/detail/pool/worker.hpp>
#include <weft/detail/timer/timer_queue.hpp>

namespace weft::inline v0::detail {

timer_start start_timer(pool_front& home, timer_node& timer, alarm_time deadline) {
    auto& core = static_cast<pool_core&>(home);
    const worker* caller = worker::current();
    const bool of_this_pool = caller != nullptr && &caller->pool() == &home;
    struct visit {
        intake* entered;
        ~visit() {
            if (entered != nullptr) entered->leave();
        }
    } inside{nullptr};
    if (!of_this_pool) {
        if (!core.intake.try_enter()) return timer_start::refused;
        inside.entered = &core.intake;
    } else if (core.stopping()) {
        return timer_start::stopping;
    }
    pool_timers& timers = pool_timers::of_pool(core);
    return timers.near_queue().start(timer, deadline, &pool_timers::notify)
               ? timer_start::under_way
               : timer_start::cancelled;
}

bool move_timer(timer_node& timer, alarm_time deadline) noexcept {
    // The owner has started it, so the queue may be read. Once it is over, the pool may have ended.
    if (timer.state.load(sync::relaxed) == timer_state::over) return false;
    return timer.queue.read()->move(timer, deadline, &pool_timers::notify);
}

bool cancel_timer(timer_node& timer) noexcept {
    return timer_queue::cancel(timer, &pool_timers::notify);
}

} // namespace weft::inline v0::detail
