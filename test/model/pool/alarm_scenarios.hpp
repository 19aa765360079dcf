// Workers that sleep until an alarm, and threads that set earlier ones.
#pragma once

#include <weft/detail/pool/alarm_time.hpp>
#include <weft/detail/pool/sleep.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/thread.hpp>
#include <weft/explorer.hpp>

#include <cstddef>

namespace weft::alarm_scenarios {

using detail::alarm_time;
using explorer::named;
using explorer::together;

inline constexpr alarm_time soon = 1'000;
inline constexpr alarm_time later = 2'000;

/// Workers that all search, one timer, and work for them. All of it is relaxed: only the protocol
/// orders anything.
struct sleepers {
    detail::sleep_control sleep;
    sync::atomic<alarm_time> alarm{detail::no_alarm};
    sync::atomic<bool> work{false};
    sync::atomic<bool> fired{false};

    explicit sleepers(std::size_t workers) : sleep{workers} {
        for (std::size_t each = 0; each < workers; ++each) sleep.begin_search();
    }
    void set(alarm_time when) {
        alarm.store(when, sync::relaxed);
        sleep.notify_alarm(when);
    }
    void post() {
        work.store(true, sync::relaxed);
        sleep.notify();
    }
    [[nodiscard]] alarm_time next() const { return alarm.load(sync::relaxed); }
    [[nodiscard]] bool is_due() const { return detail::alarm_now() >= next(); }
    [[nodiscard]] bool is_fired() const { return fired.load(sync::relaxed); }
    [[nodiscard]] bool has_work() const {
        return work.load(sync::relaxed) || is_due() || is_fired();
    }
    [[nodiscard]] bool needs_worker() const { return has_work() || sleep.is_unwatched(next()); }
    [[nodiscard]] bool sleep_once(std::size_t worker) {
        return sleep.sleep(worker, [this] { return has_work(); }, [this] { return next(); });
    }
    /// The worker that finds the timer due fires it, and sends the others home.
    void fire() {
        fired.store(true, sync::relaxed);
        sleep.wake_all();
    }
    /// Until the timer is fired. A worker that finds work is busy with it for ever, so that the
    /// others must fire: if they miss the alarm, this never ends.
    auto worker(std::size_t number) {
        return [this, number] {
            while (!is_fired()) {
                if (is_due()) return fire();
                if (work.load(sync::relaxed) && work.exchange(false, sync::relaxed)) {
                    return sleep.end_search([this] { return needs_worker(); });
                }
                if (!sleep_once(number)) sync::yield();
            }
        };
    }
};

/// The alarm is set while the worker falls asleep.
inline void slept_or_set() {
    sleepers all{1};
    together(named("worker", all.worker(0)), named("setter", [&] { all.set(soon); }));
}

/// One of two workers is busy before it sleeps, or leaves its watch for that: the other one has to
/// watch, also if it had relied on the first.
inline void the_keeper_leaves() {
    sleepers all{2};
    all.alarm.store(soon, sync::relaxed);
    together(named("worker", all.worker(0)), named("other worker", all.worker(1)),
             named("poster", [&] { all.post(); }));
}

/// The same, and an earlier alarm is set: the setter may rely on a keeper that leaves.
inline void set_while_the_keeper_leaves() {
    sleepers all{2};
    all.alarm.store(later, sync::relaxed);
    together(named("worker", all.worker(0)), named("other worker", all.worker(1)),
             named("poster", [&] {
                 all.post();
                 all.set(soon);
             }));
}

/// A worker that stays away leaves the alarm to the other.
inline void the_last_searcher_stays_away() {
    sleepers all{2};
    together(named("worker", all.worker(0)),
             named("spare", [&] { all.sleep.stay_away([&] { return all.needs_worker(); }); }),
             named("setter", [&] { all.set(soon); }));
}

/// Of two sleepers one wakes when time comes to the alarm, and the other because of it.
inline void one_wakes_for_an_alarm() {
    sleepers all{2};
    all.alarm.store(soon, sync::relaxed);
    sync::atomic<int> woken{0};
    const auto worker = [&](std::size_t number) {
        return [&all, &woken, number] {
            if (!all.sleep_once(number) || all.is_fired()) return;
            woken.fetch_add(1, sync::relaxed);
            all.fire();
        };
    };
    together(named("worker", worker(0)), named("other worker", worker(1)));
    explorer::check(woken.load(sync::relaxed) <= 1, "one of them");
}

} // namespace weft::alarm_scenarios
