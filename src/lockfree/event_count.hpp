// An event count: threads sleep until something may have changed.
#pragma once

#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/clock.hpp>
#include <weft/detail/sync/fence.hpp>
#include <weft/detail/sync/thread.hpp>
#include <weft/detail/sync/waiting.hpp>

#include <cstdint>

namespace weft::inline v0::detail {

/// An event count: any number of threads sleep here until another thread, which has changed
/// something, wakes one or all of them.
///
/// | operation     | caller     | progress                                               |
/// |---------------|------------|--------------------------------------------------------|
/// | notify_one    | any thread | wait-free; a fence and a load if there is no waiter    |
/// | notify_all    | any thread | wait-free                                              |
/// | wait          | any thread | blocks                                                 |
///
/// Invariants
///  E1  A notifier changes something and then looks for waiters. A waiter is counted and then looks
///      for the change. Each has a seq_cst fence between its two steps: either the notifier sees
///      the waiter, or the waiter sees the change.
///  E2  A waiter reads the number of notifications before it looks, and sleeps only while the
///      number is unchanged. So a notification after the look ends the sleep, even if it comes
///      before the sleep.
class event_count {
public:
    /// After a change: wakes one waiter.
    void notify_one() noexcept {
        // E1, pairs with wait() [EVENT-1]
        sync::fence(sync::seq_cst);
        if (waiters_.load(sync::relaxed) == 0) return;
        number_.fetch_add(1, sync::relaxed);
        sync::futex_waiting::wake_one(number_);
    }
    /// After a change: wakes all waiters.
    void notify_all() noexcept {
        // E1, pairs with wait() [EVENT-2]
        sync::fence(sync::seq_cst);
        std::uint32_t waiters = waiters_.load(sync::relaxed);
        if (waiters == 0) return;
        number_.fetch_add(1, sync::relaxed);
        for (; waiters != 0; --waiters) sync::futex_waiting::wake_one(number_);
    }

    /// Returns when `changed()` is true, or after a notification; the caller looks again. False if
    /// the deadline came first.
    template <class Changed>
    bool wait(Changed changed, const sync::clock::time_point* deadline = nullptr) noexcept {
        waiters_.fetch_add(1, sync::relaxed);
        const std::uint32_t number = number_.load(sync::relaxed);
        // E1, pairs with notify_one() and notify_all(). relaxed is enough for the number: if it is
        // one that was written after a notifier's fence, then that fence came first, and the change
        // is seen [EVENT-3]
        sync::fence(sync::seq_cst);
        bool in_time = true;
        if (changed()) {
            sync::pause(); // the caller may come back at once, while another thread is still busy
        } else {
            if (deadline == nullptr) sync::futex_waiting::wait(number_, number);
            else in_time = sync::futex_waiting::wait(number_, number, *deadline);
        }
        waiters_.fetch_sub(1, sync::relaxed);
        return in_time;
    }

private:
    sync::wait_word number_{0};
    sync::atomic<std::uint32_t> waiters_{0};
};

} // namespace weft::inline v0::detail
