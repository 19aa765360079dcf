#include <weft/detail/timer/sleep_operation.hpp>

#include <weft/detail/pool/represented_pool.hpp>
#include <weft/detail/timer/timers.hpp>
#include <weft/error.hpp>

namespace weft::inline v0::detail {

bool sleep_operation::start(completion_node& end) {
    constexpr const char* call = "weft::sleep_for";
    if (measured_ == measure::delay && deadline.load(sync::relaxed) <= 0) {
        reason = cancel_timer(*this) ? timer_end::due : timer_end::cancelled;
        return false;
    }
    auto* named = static_cast<pool_front*>(context_);
    pool_front& home = named != nullptr ? *named : implied_pool(call);
    alarm_time time = deadline.load(sync::relaxed);
    if (measured_ == measure::delay) time = alarm_after(sync::clock::duration{time});
    context_ = &end;
    timer_start begun = timer_start::refused;
    try {
        begun = start_timer(home, *this, time);
    } catch (...) {
        context_ = named;
        throw;
    }
    switch (begun) {
    case timer_start::under_way: return true;
    case timer_start::cancelled: reason = timer_end::cancelled; return false;
    case timer_start::stopping:
        // Whoever cancels it now finds it over.
        reason = cancel_timer(*this) ? timer_end::stopped : timer_end::cancelled;
        return false;
    case timer_start::refused: break;
    }
    context_ = named;
    throw error{errc::stopped, call};
}

void sleep_operation::cancel() noexcept { cancel_timer(*this); }

void sleep_operation::take() const {
    constexpr const char* call = "weft::sleep_for";
    if (reason == timer_end::cancelled) throw error{errc::cancelled, call};
    if (reason == timer_end::stopped) throw error{errc::not_run, call};
}

/// The operation may be gone when its end was notified.
void sleep_operation::ended_sleep(timer_node& self, timer_end /*reason*/) noexcept {
    auto& end = *static_cast<completion_node*>(static_cast<sleep_operation&>(self).context_);
    end.notify(end);
}

} // namespace weft::inline v0::detail
