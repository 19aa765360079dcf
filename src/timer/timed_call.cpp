#include <weft/detail/timer/timed_call.hpp>

#include <weft/error.hpp>

#include <algorithm>

namespace weft::inline v0::detail {

timed_call::timed_call(pool_front& home, std::int64_t period) noexcept
    : task{.run = &run_task}, timer_node{&ended_timer}, home_{&home}, period_{period} {}

void timed_call::start(alarm_time alarm, const char* call) {
    struct guard {
        timed_call* unsent;
        ~guard() {
            if (unsent != nullptr) unsent->destroy();
        }
    } undo{this};
    due_ = alarm;
    const timer_start begun = start_timer(*home_, *this, alarm);
    if (begun == timer_start::refused) throw error{errc::stopped, call};
    undo.unsent = nullptr;
    if (begun == timer_start::stopping) { // nobody else knows it yet
        static_cast<void>(cancel_timer(*this));
        static_cast<void>(gate_.try_begin()); // a call of `cancel` comes too late
        end_unrun(*home_);
    }
}

/// The caller drops the callable as soon as it is sure to own it (TC1): not later, by a thread that
/// happens to unlink the timer.
bool timed_call::cancel() noexcept {
    if (!gate_.try_cancel()) return false;
    cancel_timer(*this); // if it is too late, the task will find the gate closed
    drop_callable();
    return true;
}

void timed_call::ended_timer(timer_node& self, timer_end reason) noexcept {
    auto& own = static_cast<timed_call&>(self);
    if (reason == timer_end::cancelled) own.let_go();
    else worker::current()->keep(own); // a worker fires timers; the caller wakes others
}

void timed_call::run_task(task& self, worker& caller) noexcept {
    auto& own = static_cast<timed_call&>(self);
    if (!own.gate_.try_begin()) own.let_go();
    else if (own.reason == timer_end::stopped || caller.pool().cancelling()) {
        own.end_unrun(caller.pool());
    } else {
        own.run_callable(caller);
    }
}

void timed_call::run_callable(worker& caller) noexcept {
    try {
        const worker::running now{caller, nullptr};
        invoke_callable();
    } catch (...) {
        caller.pool().errors->report(std::current_exception());
    }
    if (period_ != 0 && try_arm_again()) return; // it may have begun again by now
    drop_callable();
    let_go();
}

/// It was to run once, and the pool was stopped first. A periodic one has no run that is promised.
void timed_call::end_unrun(const pool_front& pool) noexcept {
    const failure_collection causes;
    drop_callable();
    if (period_ == 0) {
        pool.errors->report(make_error(errc::not_run, "weft::after", causes.first()));
    }
    let_go();
}

/// The next tick is the first that lies ahead; those that have passed are skipped.
bool timed_call::try_arm_again() noexcept {
    const alarm_time late = std::max<alarm_time>(alarm_now() - due_, 0);
    const std::int64_t missed = late / period_;
    const std::uint64_t before = skipped_.load(sync::relaxed); // no other thread writes it
    skipped_.store(before + static_cast<std::uint64_t>(missed), sync::relaxed);
    const std::int64_t step = period_ > last_alarm - late ? last_alarm : (missed + 1) * period_;
    due_ = due_ > last_alarm - step ? last_alarm : due_ + step;
    state.store(timer_state::idle, sync::relaxed);
    if (!gate_.try_end()) return false; // TC3
    // A worker of the pool starts it, and the pool has timers already: it cannot fail.
    switch (start_timer(*home_, *this, due_)) {
    case timer_start::under_way: return true;
    case timer_start::cancelled: break;   // the canceller drops the callable
    default: static_cast<void>(cancel()); // the pool is stopping; or another thread does it
    }
    let_go();
    return true;
}

} // namespace weft::inline v0::detail
