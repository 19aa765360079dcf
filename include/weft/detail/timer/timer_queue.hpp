// A wheel of timers that any thread may use, without waiting for another.
#pragma once

#include <weft/detail/pool/alarm_time.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/model_constants.hpp>
#include <weft/detail/timer/timer_node.hpp>
#include <weft/detail/timer/timer_wheel.hpp>

#include <cstddef>
#include <cstdint>

namespace weft::inline v0::detail {

/// One word says whether a thread holds the wheel, and lists requests for it. A thread that finds
/// the wheel free takes it, does what it came for, and lets go. A thread that finds it held leaves
/// a request; the holder cannot let go while there is one, but does what it asks for. So nobody
/// waits, and most operations are two updates of a word that is in the cache.
///
/// | operation             | caller                                        | progress            |
/// |-----------------------|-----------------------------------------------|---------------------|
/// | start                 | the owner of a node that is idle              | lock-free (1)       |
/// | move                  | the owner of a node that was started, one thread at a time | lock-free (1) |
/// | cancel                | any thread, while the node exists             | lock-free (1)       |
/// | fire, fire_all        | any thread                                    | wait-free but for the requests of others |
/// | next_alarm, has_pending | any thread                                  | wait-free           |
/// | is_unused             | any thread                                    | wait-free           |
///
/// (1) A thread may do the work of others before it returns. What has been requested of a holder
/// that the system has suspended takes effect when the holder goes on; the callers do not wait for
/// that.
///
/// States of a node, and which thread makes the transitions
///   idle       --start--> arming      the owner, which then makes a request
///   arming     ---------> armed       the holder, when it serves the request: links the node
///   armed      --move---> arming      the owner, which then makes a request
///   arming     --move---> arming      the owner: the request that is under way will do
///   armed      --move---> armed       the owner, as the holder: links the node anew
///   armed      --cancel-> cancelling  any thread, which then makes a request
///   arming     --cancel-> cancelling  any thread: the request that is under way will do
///   cancelling ---------> over        the holder, when it serves the request: unlinks the node
///   armed      --fire---> over        the holder, when the node is due
///   idle       --cancel-> over        any thread; start will return false
///
/// Invariants
///  TQ1  One thread at a time holds the wheel; what it did there, the next one sees.
///  TQ2  Only the holder links and unlinks. A node has at most one request, made by the thread that
///       took it out of idle or armed.
///  TQ3  A node goes from armed to over, or to cancelling, by one update: so either it fires, or
///       the one call of cancel that returns true has prevented that.
///  TQ4  `ended` is called once for each start that returned true, when the node is over and
///       nothing points at it, after the wheel was released: the queue is not accessed
///       afterwards by that call, so it may be the last thing that keeps the queue alive.
///  TQ5  While a node is armed, next_alarm is not later than its deadline. A holder that makes it
///       earlier calls `earlier(queue, alarm)` before it lets go: it wakes a thread that would
///       sleep until a later time.
///  TQ6  A node that is due, and that a thread has claimed, is put aside until the request comes,
///       and next_alarm is not no_alarm meanwhile.
///  TQ7  What has been started and has not ended is seen by has_pending: its request is in the
///       word, or it was served and next_alarm says so. What a holder has published, it publishes
///       before it releases the word; so the word is read first, and next_alarm behind it.
class timer_queue {
public:
    explicit timer_queue(alarm_time now) noexcept : wheel_{now} {}

    /// Starts an idle node. False, and `ended` is not called, if it was cancelled before. The node
    /// may be gone when this returns true.
    template <class Earlier>
    [[nodiscard]] bool start(timer_node& timer, alarm_time deadline, Earlier earlier) noexcept {
        timer.deadline.store(deadline, sync::relaxed);
        timer.queue.write(this);
        timer_state before = timer_state::idle;
        // Relaxed: a thread that cancels it before the request is served uses nothing of it.
        if (!timer.state.compare_exchange_strong(before, timer_state::arming, sync::relaxed,
                                                 sync::relaxed)) {
            return false;
        }
        request(timer, earlier);
        return true;
    }

    /// Moves a node to another deadline; false if it is over or cancelled. A holder may have fired
    /// it by the new deadline, if it was linking it anew meanwhile.
    template <class Earlier>
    [[nodiscard]] bool move(timer_node& timer, alarm_time deadline, Earlier earlier) noexcept {
        if (!try_hold()) return move_by_request(timer, deadline, earlier);
        timer_node* ended = nullptr;
        // All requests have been served, so it is not arming. If it is claimed now, the claimant's
        // request will find it where it is.
        const bool moved = timer.state.load(sync::relaxed) == timer_state::armed;
        if (moved) {
            timer.deadline.store(deadline, sync::relaxed);
            wheel_.move(timer, deadline);
        }
        let_go(ended, earlier);
        return moved;
    }

    /// True if the caller has prevented that it fires. `ended` is called then, with `cancelled`,
    /// unless it was not started.
    template <class Earlier>
    [[nodiscard]] static bool cancel(timer_node& timer, Earlier earlier) noexcept {
        timer_state now = timer.state.load(sync::relaxed);
        while (now == timer_state::idle || now == timer_state::arming ||
               now == timer_state::armed) {
            const timer_state next =
                now == timer_state::idle ? timer_state::over : timer_state::cancelling;
            const timer_state before = now;
            // acquire, pairs with serve(): where to send the request, and that the last one was
            // read [TIMER-2]
            if (!timer.state.compare_exchange_weak(now, next, sync::acquire, sync::relaxed)) {
                continue;
            }
            if (before == timer_state::armed) timer.queue.read()->request(timer, earlier);
            return true;
        }
        return false;
    }

    /// Fires what is due, at most some, unless another thread holds the wheel. Returns whether
    /// anything was fired.
    template <class Earlier>
    bool fire(alarm_time now, Earlier earlier) noexcept {
        if (!try_hold()) return false;
        timer_node* ended = nullptr;
        wheel_.advance(now, most_at_once,
                       [&](timer_node& timer) { end_armed(timer, timer_end::due, ended); });
        const bool any = ended != nullptr;
        let_go(ended, earlier);
        return any;
    }
    /// The same for all, whatever their deadlines, since the pool is stopping.
    template <class Earlier>
    bool fire_all(Earlier earlier) noexcept {
        if (!try_hold()) return false;
        timer_node* ended = nullptr;
        wheel_.take_all(most_at_once,
                        [&](timer_node& timer) { end_armed(timer, timer_end::stopped, ended); });
        const bool any = ended != nullptr;
        let_go(ended, earlier);
        return any;
    }

    [[nodiscard]] alarm_time next_alarm() const noexcept { return next_alarm_.load(sync::relaxed); }
    /// Whether anything was started and has not ended, or a thread holds the wheel. A thread that
    /// sees the last timer gone, and then is_unused, sees the thread that has taken that timer.
    [[nodiscard]] bool has_pending() const noexcept {
        if (word_.load(sync::acquire) != 0) return true; // TQ7: pairs with let_go() [TIMER-12]
        // acquire, pairs with publish() [TIMER-11]
        return next_alarm_.load(sync::acquire) != no_alarm;
    }
    /// Whether no thread holds it. With nothing pending and no new timers, that stays so.
    [[nodiscard]] bool is_unused() const noexcept {
        return word_.load(sync::acquire) == 0; // pairs with let_go() [TIMER-3]
    }

private:
    static constexpr std::uintptr_t held = 1;
    /// What a thread fires or links anew before it does something else.
    static constexpr std::size_t most_at_once = constants::timers_at_once;

    static timer_node* to_node(std::uintptr_t word) noexcept {
        return reinterpret_cast<timer_node*>(word & ~held);
    }

    [[nodiscard]] bool try_hold() noexcept {
        std::uintptr_t free = 0;
        // TQ1: acquire, pairs with let_go() [TIMER-4]
        return word_.compare_exchange_strong(free, held, sync::acquire, sync::relaxed);
    }

    /// The caller has taken the node out of idle or armed (TQ2).
    template <class Earlier>
    void request(timer_node& timer, Earlier earlier) noexcept {
        std::uintptr_t now = word_.load(sync::relaxed);
        for (;;) {
            if (now == 0) {
                // TQ1: acquire, pairs with let_go() [TIMER-5]
                if (word_.compare_exchange_weak(now, held, sync::acquire, sync::relaxed)) break;
            } else {
                timer.next_request.write(to_node(now));
                const std::uintptr_t next = reinterpret_cast<std::uintptr_t>(&timer) | held;
                // release, pairs with let_go(): the request's content [TIMER-6]
                if (word_.compare_exchange_weak(now, next, sync::release, sync::relaxed)) return;
            }
        }
        timer_node* ended = nullptr;
        serve(timer, ended);
        let_go(ended, earlier);
    }

    template <class Earlier>
    bool move_by_request(timer_node& timer, alarm_time deadline, Earlier earlier) noexcept {
        timer.deadline.store(deadline, sync::relaxed);
        timer_state now = timer.state.load(sync::relaxed);
        while (now == timer_state::arming || now == timer_state::armed) {
            const timer_state before = now;
            // acquire and release, pairs with serve(): the last request, and the deadline [TIMER-7]
            if (!timer.state.compare_exchange_weak(now, timer_state::arming, sync::acq_rel,
                                                   sync::relaxed)) {
                continue;
            }
            if (before == timer_state::armed) request(timer, earlier);
            return true;
        }
        return false;
    }

    // The holder calls these.

    void link(timer_node& timer) noexcept {
        if (timer.link != nullptr) wheel_.remove(timer);
        wheel_.insert(timer, timer.deadline.load(sync::relaxed));
    }

    void serve(timer_node& timer, timer_node*& ended) noexcept {
        timer_state before = timer_state::arming;
        // acquire, pairs with move_by_request(): the deadline; release, pairs with that and
        // cancel(): that the request was read, and where to send the next one [TIMER-8]
        if (timer.state.compare_exchange_strong(before, timer_state::armed, sync::acq_rel,
                                                sync::relaxed)) {
            link(timer);
            return;
        }
        if (timer.link != nullptr) wheel_.remove(timer);
        timer.state.store(timer_state::over, sync::relaxed);
        add_ended(timer, timer_end::cancelled, ended);
    }

    void end_armed(timer_node& timer, timer_end reason, timer_node*& ended) noexcept {
        timer_state before = timer_state::armed;
        if (timer.state.compare_exchange_strong(before, timer_state::over, sync::relaxed,
                                                sync::relaxed)) {
            add_ended(timer, reason, ended); // TQ3
        } else {
            wheel_.put_aside(timer); // TQ6
        }
    }
    static void add_ended(timer_node& timer, timer_end reason, timer_node*& ended) noexcept {
        timer.reason = reason;
        timer.next = ended;
        ended = &timer;
    }

    /// TQ5. `earlier` executes a fence, and so does the thread that is about to sleep.
    template <class Earlier>
    void publish(Earlier earlier) noexcept {
        alarm_time next = wheel_.earliest();
        if (next == no_alarm && wheel_.has_aside()) next = last_alarm; // TQ6
        const alarm_time published = next_alarm_.load(sync::relaxed);
        if (next == published) return;
        next_alarm_.store(next, sync::release); // pairs with has_pending() [TIMER-13]
        if (next < published) earlier(*this, next);
    }

    /// Serves requests until there are none, releases the wheel, and calls those that are over.
    template <class Earlier>
    void let_go(timer_node* ended, Earlier earlier) noexcept {
        for (;;) {
            publish(earlier);
            std::uintptr_t now = held;
            // TQ1: release, pairs with try_hold(), request(), is_unused() and has_pending()
            // [TIMER-9]
            if (word_.compare_exchange_strong(now, 0, sync::release, sync::relaxed)) break;
            // acquire, pairs with request() [TIMER-10]
            timer_node* each = to_node(word_.exchange(held, sync::acquire));
            while (each != nullptr) {
                timer_node& served = *each;
                each = served.next_request.read();
                serve(served, ended);
            }
        }
        while (ended != nullptr) { // TQ4
            timer_node& each = *ended;
            ended = each.next;
            each.ended(each, each.reason);
        }
    }

    sync::atomic<std::uintptr_t> word_{0};
    sync::atomic<alarm_time> next_alarm_{no_alarm};
    timer_wheel wheel_;
};

} // namespace weft::inline v0::detail
