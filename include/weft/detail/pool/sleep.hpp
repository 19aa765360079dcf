// Which workers search, which sleep, and which is woken: the protocol, and why no wake-up is lost.
#pragma once

#include <weft/detail/pool/alarm_time.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/fence.hpp>
#include <weft/detail/sync/parker.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace weft::inline v0::detail {

/// The sleep of the workers of one pool.
///
/// A worker is *busy* (runs a task), *searching*, or *asleep*. Two counts in one word say how many
/// search and how many sleep; a bit for each worker says whether it may be woken. A worker that
/// stays away counts as asleep too, but its bit is not set, so that no thread wakes it.
///
/// | operation    | called by          | progress                                          |
/// |--------------|--------------------|---------------------------------------------------|
/// | notify       | any thread         | wait-free; a fence and a load if nobody is needed |
/// | begin_search | a busy worker      | wait-free                                         |
/// | end_search   | a searching worker | lock-free                                         |
/// | notify_alarm | any thread         | as notify                                         |
/// | sleep        | a searching worker | blocks until woken, or until the next alarm       |
/// | stay_away    | a searching worker | lock-free                                         |
/// | come_back    | after stay_away    | wait-free                                         |
/// | wake_all     | any thread         | wait-free                                         |
/// | wake         | any thread         | wait-free                                         |
/// | all_asleep   | any thread         | wait-free                                         |
///
/// Transitions, and which thread makes them
///   busy      --begin_search--> searching   the worker
///   searching --end_search----> busy        the worker, having found something
///   searching --sleep---------> asleep      the worker: sets its bit, moves itself in the counts
///   asleep    --wake----------> searching   the thread that clears its bit (which may be the
///                                           worker itself, also when its alarm comes): it moves
///                                           the worker in the counts and leaves a token
///   searching --stay_away-----> asleep      the worker
///   asleep    --come_back-----> searching   the worker, after stay_away
///
/// Invariants
///  W1  A worker's bit is cleared once for each time it was set; the update that clears it decides
///      by which thread. So each sleep ends once, and the counts are right. A thread that clears
///      another's bit leaves it a token, which the worker takes before it goes on: no token is left
///      over.
///  W2  A thread that makes work visible calls notify afterwards. A worker that is about to sleep
///      looks for work once more after it has announced its sleep. Each has a seq_cst fence between
///      its two steps: either the notifier sees the sleeper, or the sleeper sees the work.
///  W3  A notifier that sees a searching worker wakes none. The last searcher makes up for that:
///      when it finds something and stops searching, it looks whether there is more, with a fence
///      between, and if so wakes another. So does one that stays away.
///  W4  Once all_asleep is seen, what each worker did before it fell asleep happens before.
///  W5  An alarm is a point in time at which a worker has to look, though nobody notifies: the next
///      timer. One word, the *watch*, has a point in time at which some sleeper wakes by itself, or
///      has none. A worker about to sleep that sees an alarm before the watch puts the alarm there
///      and sleeps until then; it is the keeper. Other sleepers have no deadline: one alarm wakes
///      one worker. A keeper that wakes, for whatever reason, clears the watch if it still has its
///      own alarm, and a release fence comes between that and its next update of the counts.
///  W6  An alarm before the watch is work in the sense of W2 and W3: a thread that sets an earlier
///      alarm calls notify_alarm afterwards, which wakes a sleeper unless one searches or the watch
///      is early enough; and `more` of end_search and stay_away counts such an alarm as work
///      (is_unwatched).
///
/// Why no wake-up is lost. Suppose work was made visible, its notifier has returned, and all
/// workers are asleep or on their way. The notifier saw no sleeper, or it saw a searcher, or it
/// woke a worker, which then searches. In the first case every later sleeper sees the work (W2) and
/// does not sleep. In the others there was a searcher at that time. It goes on to sleep only after
/// another look, which comes after its announcement and hence after the notifier's fence: it sees
/// the work (W2). Or it found other work, and then the last searcher looked again (W3), saw this
/// work, and woke another, for which the same holds.
///
/// Why no alarm is missed. Suppose an alarm was set, its notify_alarm has returned, and all workers
/// are asleep or on their way. If its fence came before that of a sleeper (W2), that sleeper sees
/// the alarm, and the watch is then early enough or the sleeper makes it so. Else the notifier
/// relied on a searching worker, for which the argument above holds with W6, or on the watch: a
/// keeper that wakes in time, or has woken by now. If it has woken, it has cleared the watch, and
/// the notifier has not seen that: so the notifier's fence comes before each fence that has the
/// clearing before it. One of these is the keeper's own last one, when it sleeps again or is the
/// last to end its search; then it sees the alarm, and watches, or wakes another (W3). If it is not
/// the last, the worker that still searches updates the counts later: that reads the keeper's
/// update and what the keeper released (W5), so that this worker's fence is another of these, and
/// the same holds for it. A sleeper that relies on the watch of another is in the place of such a
/// notifier: either it is counted first, and the keeper sees that it sleeps, or it sees that the
/// watch is cleared. Clearing may also hit an alarm that another keeper still waits for; then one
/// worker more wakes for it.
///
/// Why there is no herd. One notify wakes at most one worker, and it counts as searching from the
/// moment it is chosen, so that the next notifiers wake none until it has found something.
class sleep_control {
public:
    explicit sleep_control(std::size_t workers)
        : workers_{workers}, sleepers_{std::make_unique<sleeper[]>(workers)},
          masks_{std::make_unique<mask[]>(mask_count())} {}

    /// Called after work was made visible.
    void notify() noexcept {
        // W2, W3, pairs with the fences in fall_asleep() and end_search() [SLEEP-1]
        sync::fence(sync::seq_cst);
        const counts now{word_.load(sync::relaxed)};
        if (now.asleep() > 0 && now.searching() == 0) wake_one();
    }

    /// Called after an earlier alarm was set than there was: `alarm` is when.
    void notify_alarm(alarm_time alarm) noexcept {
        // W6, pairs with the fences in fall_asleep() and end_search() [SLEEP-7]
        sync::fence(sync::seq_cst);
        if (!is_unwatched(alarm)) return;
        const counts now{word_.load(sync::relaxed)};
        if (now.asleep() > 0 && now.searching() == 0) wake_one();
    }
    /// Whether no sleeper wakes in time for this alarm.
    [[nodiscard]] bool is_unwatched(alarm_time alarm) const noexcept {
        return alarm != no_alarm && alarm < watch_.load(sync::relaxed);
    }

    void begin_search() noexcept { word_.fetch_add(counts::one_searching, sync::relaxed); }

    /// The worker has found something. `more` returns whether there seems to be more work than
    /// that.
    template <class More>
    void end_search(More more) noexcept {
        const counts before{word_.fetch_sub(counts::one_searching, sync::relaxed)};
        if (before.searching() > 1 || before.asleep() == 0) return;
        // W3, pairs with the fences in notify(), notify_alarm() and leave_watch() [SLEEP-3]
        sync::fence(sync::seq_cst);
        if (more()) wake_one();
    }

    /// Sleeps until woken or until the next alarm, or not at all if `more` finds work; returns
    /// whether it slept. Afterwards the worker counts as searching. `next_alarm` returns the
    /// alarm_time.
    template <class More, class Alarm>
    bool sleep(std::size_t worker, More more, Alarm next_alarm) noexcept {
        mask_of(worker).fetch_or(bit_of(worker), sync::relaxed);
        fall_asleep();
        if (more() && claim(worker)) return false;
        const alarm_time alarm = next_alarm();
        if (try_watch(alarm)) keep_watch(worker, alarm);
        else sleepers_[worker].parker.park();
        return true;
    }
    /// The same where there are no alarms.
    template <class More>
    bool sleep(std::size_t worker, More more) noexcept {
        return sleep(worker, more, [] { return no_alarm; });
    }

    /// Leaves work to other workers until `come_back`. `more` returns whether there is some.
    template <class More>
    void stay_away(More more) noexcept {
        fall_asleep();
        if (more()) wake_one(); // W3
    }
    void come_back() noexcept {
        word_.fetch_add(counts::one_searching - counts::one_asleep, sync::relaxed);
    }

    /// Ends the sleep of this worker, if it sleeps: the caller has something for it. That no work
    /// is missed does not depend on this call, but on the one that made the work visible (W2).
    void wake(std::size_t worker) noexcept {
        if ((mask_of(worker).load(sync::relaxed) & bit_of(worker)) == 0) return;
        try_wake(worker);
    }

    /// Every sleeper with its bit set searches once more; for stopping.
    void wake_all() noexcept {
        // As in notify(), pairs with the fence in fall_asleep() [SLEEP-4]
        sync::fence(sync::seq_cst);
        while (wake_one()) {
        }
    }

    /// The number of workers.
    [[nodiscard]] std::size_t workers() const noexcept { return workers_; }
    /// The number of workers that search or sleep.
    [[nodiscard]] std::size_t idle() const noexcept {
        const counts now{word_.load(sync::relaxed)};
        return std::size_t{now.searching()} + now.asleep();
    }
    [[nodiscard]] std::size_t asleep() const noexcept {
        return counts{word_.load(sync::relaxed)}.asleep();
    }
    [[nodiscard]] bool any_searches() const noexcept {
        return counts{word_.load(sync::relaxed)}.searching() != 0;
    }
    /// The number of workers that could be woken; an estimate.
    [[nodiscard]] std::size_t wakeable() const noexcept {
        std::size_t count = 0;
        for (std::size_t i = 0; i < mask_count(); ++i) {
            count += static_cast<std::size_t>(std::popcount(masks_[i].load(sync::relaxed)));
        }
        return count;
    }
    [[nodiscard]] bool all_asleep() const noexcept {
        // acquire, pairs with fall_asleep() [SLEEP-6]
        return counts{word_.load(sync::acquire)}.asleep() == workers_;
    }

private:
    /// The two counts in one word.
    struct counts {
        static constexpr std::uint64_t one_searching = 1;
        static constexpr std::uint64_t one_asleep = std::uint64_t{1} << 32;

        std::uint64_t word;
        [[nodiscard]] std::uint32_t searching() const { return static_cast<std::uint32_t>(word); }
        [[nodiscard]] std::uint32_t asleep() const {
            return static_cast<std::uint32_t>(word >> 32);
        }
    };
    struct alignas(64) sleeper {
        sync::parker parker;
    };
    using mask = sync::atomic<std::uint64_t>;
    static constexpr std::size_t mask_bits = 64;

    [[nodiscard]] std::size_t mask_count() const { return (workers_ + mask_bits - 1) / mask_bits; }
    [[nodiscard]] mask& mask_of(std::size_t worker) noexcept { return masks_[worker / mask_bits]; }
    static std::uint64_t bit_of(std::size_t worker) {
        return std::uint64_t{1} << worker % mask_bits;
    }

    void fall_asleep() noexcept {
        // release, pairs with all_asleep() [SLEEP-5]
        word_.fetch_add(counts::one_asleep - counts::one_searching, sync::release);
        // W2, W5, pairs with the fences in notify(), notify_alarm() and leave_watch() [SLEEP-2]
        sync::fence(sync::seq_cst);
    }

    /// Ends the sleep of a worker if no other thread has (W1).
    bool claim(std::size_t worker) noexcept {
        const std::uint64_t bit = bit_of(worker);
        if ((mask_of(worker).fetch_and(~bit, sync::relaxed) & bit) == 0) return false;
        word_.fetch_add(counts::one_searching - counts::one_asleep, sync::relaxed);
        return true;
    }

    /// True if the caller is now the keeper for this alarm (W5).
    bool try_watch(alarm_time alarm) noexcept {
        if (alarm == no_alarm) return false;
        alarm_time watched = watch_.load(sync::relaxed);
        while (alarm < watched) {
            if (watch_.compare_exchange_weak(watched, alarm, sync::relaxed, sync::relaxed)) {
                return true;
            }
        }
        return false;
    }
    /// W1: if another thread ends the sleep at the time of the alarm, its token is taken. Whatever
    /// it sleeps in must return for `unpark` and at a deadline, no more is asked of it.
    void keep_watch(std::size_t worker, alarm_time alarm) noexcept {
        keeper_.store(worker, sync::relaxed);
        sync::parker& bed = sleepers_[worker].parker;
        if (!bed.park_until(time_of(alarm)) && !claim(worker)) bed.park();
        leave_watch(alarm);
    }
    void leave_watch(alarm_time alarm) noexcept {
        alarm_time watched = alarm;
        watch_.compare_exchange_strong(watched, no_alarm, sync::relaxed, sync::relaxed);
        // W5: release, pairs with the fences in fall_asleep() and end_search() of workers that are
        // counted later [SLEEP-8]
        sync::fence(sync::release);
    }

    /// The keeper is the last choice: after it another would have to be woken, to watch.
    bool wake_one() noexcept {
        const std::size_t keeper = keeper_.load(sync::relaxed);
        bool keeper_sleeps = false;
        for (std::size_t first = 0; first < workers_; first += mask_bits) {
            std::uint64_t candidates = mask_of(first).load(sync::relaxed);
            for (; candidates != 0; candidates &= candidates - 1) {
                const std::size_t worker =
                    first + static_cast<std::size_t>(std::countr_zero(candidates));
                if (worker == keeper) keeper_sleeps = true;
                else if (try_wake(worker)) return true;
            }
        }
        return keeper_sleeps && try_wake(keeper);
    }
    bool try_wake(std::size_t worker) noexcept {
        if (!claim(worker)) return false;
        sleepers_[worker].parker.unpark();
        return true;
    }

    const std::size_t workers_;
    std::unique_ptr<sleeper[]> sleepers_;
    std::unique_ptr<mask[]> masks_;
    alignas(64) sync::atomic<std::uint64_t> word_{0};
    alignas(64) sync::atomic<alarm_time> watch_{no_alarm};
    sync::atomic<std::size_t> keeper_{workers_}; // the latest; only a hint, and at first nobody
};

} // namespace weft::inline v0::detail
