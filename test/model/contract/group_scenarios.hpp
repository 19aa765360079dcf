// What may happen to a group: to its workers, to those who wait for it, and at its end.
#pragma once

#include "contract/change_count.hpp"
#include "model/contract/small_group.hpp"

#include <weft/detail/contract/contract_block.hpp>
#include <weft/detail/sync/fence.hpp>
#include <weft/detail/sync/plain.hpp>
#include <weft/detail/sync/thread.hpp>
#include <weft/explorer.hpp>

namespace weft::test::group {

using explorer::check;
using explorer::named;
using explorer::together;

inline void a_schedule_wakes_the_worker() {
    small_group all{1};
    together(named("worker", all.worker(0, 1)), named("scheduler", [&] { all.schedule(); }));
    check(all.contracts[0].seen.read() == 1, "what came before is seen");
}

inline void two_schedules_of_one() {
    small_group all{1};
    all.contracts[0].work = [&all](int) {
        if (all.contracts[0].mail.load(sync::relaxed) == 2) all.done.fetch_add(1, sync::relaxed);
        return false;
    };
    together(named("worker", all.worker(0, 1)), named("scheduler", [&] { all.schedule(); }),
             named("other scheduler", [&] { all.schedule(); }));
    check(all.contracts[0].runs.read() <= 2, "no more runs than schedules");
}

inline void two_contracts_one_worker() {
    small_group all{1, 2};
    together(named("worker", all.worker(0, 2)), named("scheduler", [&] { all.schedule(0); }),
             named("other scheduler", [&] { all.schedule(1); }));
    check(all.contracts[0].runs.read() + all.contracts[1].runs.read() == 2, "once each");
}

inline void scheduled_again_after_the_run() {
    small_group all{1};
    together(named("worker", all.worker(0, 2)), named("scheduler", [&] {
                 all.schedule();
                 while (all.done.load(sync::relaxed) == 0) sync::yield();
                 all.schedule();
             }));
    check(all.contracts[0].runs.read() == 2, "each schedule had its run");
}

inline void asks_for_itself() {
    small_group all{1};
    all.contracts[0].work = [&all](int run) {
        all.done.fetch_add(1, sync::relaxed);
        return run == 1;
    };
    together(named("worker", all.worker(0, 2)), named("scheduler", [&] { all.schedule(); }));
    check(all.contracts[0].runs.read() == 2, "it ran once more");
}

inline void two_workers_one_contract() {
    small_group all{2};
    together(named("worker", all.worker(0, 1)), named("other worker", all.worker(1, 1)),
             named("scheduler", [&] { all.schedule(); }));
    check(all.contracts[0].runs.read() == 1, "it ran once");
}

/// The first contract goes on only when the second has run. Both are due, and one worker claims both.
inline void a_long_run_does_not_hold_up_its_neighbour() {
    small_group all{2, 2};
    all.contracts[0].work = [&all](int) {
        while (all.done.load(sync::relaxed) == 0) sync::yield();
        all.done.fetch_add(1, sync::relaxed);
        return false;
    };
    static_cast<void>(all.block.schedule(1));
    static_cast<void>(all.block.schedule(2));
    all.mark(3);
    together(named("worker", all.worker(0, 2)), named("other worker", all.worker(1, 2)));
    check(all.contracts[1].runs.read() == 1, "the neighbour ran");
}

/// The first contract has run, and is scheduled again while the second one waits for that run.
inline void a_long_run_does_not_hold_back_what_has_run() {
    small_group all{2, 2};
    all.contracts[0].work = [&all](int) {
        all.done.fetch_add(1, sync::relaxed);
        return false;
    };
    all.contracts[1].work = [&all](int) {
        all.schedule(0);
        while (all.done.load(sync::relaxed) < 2) sync::yield();
        all.done.fetch_add(1, sync::relaxed);
        return false;
    };
    static_cast<void>(all.block.schedule(1));
    static_cast<void>(all.block.schedule(2));
    all.mark(3);
    together(named("worker", all.worker(0, 3)), named("other worker", all.worker(1, 3)));
    check(all.contracts[0].runs.read() == 2, "it ran again");
}

/// So a worker that finds nothing due knows whether there is something to free.
inline void who_finds_it_claimed_sees_the_batch() {
    small_group all{1};
    static_cast<void>(all.block.schedule(1));
    const auto before = all.seats[0].idle_since();
    together(named("worker",
                   [&] {
                       all.seats[0].owner_begin();
                       static_cast<void>(all.block.claim(1, 1));
                   }),
             named("other worker", [&] {
                 if (all.block.available(1) != 0) return;
                 check(all.seats[0].idle_since() != before, "the batch is seen");
             }));
}

inline void a_release_wakes_the_worker() {
    small_group all{1};
    together(named("worker", all.worker(0, 1)), named("releaser", [&] { all.release(); }));
    check(all.contracts[0].releases.read() == 1 && all.contracts[0].runs.read() == 0,
          "it was released and not run");
}

inline void released_after_the_run() {
    small_group all{1};
    together(named("worker", all.worker(0, 2)), named("owner", [&] {
                 all.schedule();
                 while (all.done.load(sync::relaxed) == 0) sync::yield();
                 all.release();
             }));
    check(all.contracts[0].releases.read() == 1, "it was released");
}

inline void scheduled_and_released() {
    small_group all{1};
    bool accepted = false;
    all.contracts[0].work = [](int) { return false; };
    together(named("worker", all.worker(0, 1)),
             named("scheduler", [&] { accepted = all.schedule(); }),
             named("releaser", [&] { all.release(); }));
    check(!accepted || all.contracts[0].seen.read() == 1, "what was accepted has been run");
    check(all.contracts[0].releases.read() == 1, "it was released");
}

/// Wherever the change meets the schedule, the contract is found in one of the classes.
inline void its_class_is_changed() {
    small_group all{1};
    together(named("worker", all.worker(0, 1)), named("scheduler", [&] { all.schedule(); }),
             named("changer", [&] { all.change_class(0, 0); }));
    check(all.contracts[0].runs.read() == 1, "it ran once");
}

/// The class is changed while it runs and is to be run again.
inline void its_class_is_changed_while_it_runs() {
    small_group all{1};
    all.contracts[0].work = [&all](int run) {
        all.done.fetch_add(1, sync::relaxed);
        return run == 1;
    };
    all.schedule();
    together(named("worker", all.worker(0, 2)), named("changer", [&] { all.change_class(0, 0); }));
    check(all.contracts[0].runs.read() == 2, "it ran twice");
}

/// It is due all the time, in one class or the other.
inline void who_waits_is_not_misled_by_a_change_of_class() {
    small_group all{1};
    static_cast<void>(all.block.schedule(1));
    all.mark(1);
    together(named("worker", [&] { static_cast<void>(all.try_run(0)); }),
             named("changer", [&] { all.change_class(0, 0); }), named("waiter", [&] {
                 if (all.is_quiet()) check(all.contracts[0].runs.read() == 1, "it has run");
             }));
}

/// Two contracts are due; one worker claims both, and another frees what it can.
inline void who_waits_is_not_misled_by_who_frees() {
    small_group all{2, 2};
    static_cast<void>(all.block.schedule(1));
    static_cast<void>(all.block.schedule(2));
    all.mark(3);
    together(named("worker", [&] { static_cast<void>(all.try_run(0)); }),
             named("other worker", [&] { static_cast<void>(all.free_batch(1)); }),
             named("waiter", [&] {
                 if (!all.is_quiet()) return;
                 check(all.contracts[0].runs.read() == 1 && all.contracts[1].runs.read() == 1,
                       "both have run");
             }));
}

/// A run asks for itself while it is in a batch with one that goes on only when it has run again.
inline void a_long_run_does_not_hold_back_who_asks_for_itself() {
    small_group all{2, 2};
    all.contracts[0].work = [&all](int run) {
        all.done.fetch_add(1, sync::relaxed);
        return run == 1;
    };
    all.contracts[1].work = [&all](int) {
        while (all.done.load(sync::relaxed) < 2) sync::yield();
        all.done.fetch_add(1, sync::relaxed);
        return false;
    };
    static_cast<void>(all.block.schedule(1));
    static_cast<void>(all.block.schedule(2));
    all.mark(3);
    together(named("worker", all.worker(0, 3)), named("other worker", all.worker(1, 3)));
    check(all.contracts[0].runs.read() == 2, "it ran again");
}

/// A group whose pool ends with it, while handles still call: contract_core::schedule, release,
/// set_priority and leave_pool.
struct ending_group {
    detail::contract_block block;
    sync::atomic<bool> attached{true};
    sync::plain<int> pool{1};

    ending_group() { block.publish(1, 1); }
    template <class Call>
    auto handle(Call call) {
        return [this, call] {
            block.begin_telling();
            if (call(block) && attached.load(sync::relaxed)) static_cast<void>(pool.read());
            block.end_telling();
        };
    }
    auto end() {
        return [this] {
            attached.store(false, sync::relaxed);
            sync::fence(sync::seq_cst);
            while (!block.nobody_tells()) sync::yield();
            pool.write(0);
        };
    }
};
inline bool calls_schedule(detail::contract_block& block) { return block.schedule(1).news; }
inline bool calls_release(detail::contract_block& block) { return block.request_release(1, false); }

inline void a_schedule_meets_the_end_of_the_pool() {
    ending_group all;
    together(named("handle", all.handle(calls_schedule)), named("end", all.end()));
}
inline void a_release_meets_the_end_of_the_pool() {
    ending_group all;
    together(named("handle", all.handle(calls_release)), named("end", all.end()));
}
inline void two_handles_meet_the_end_of_the_pool() {
    ending_group all;
    together(named("handle", all.handle(calls_schedule)), named("other", all.handle(calls_release)),
             named("end", all.end()));
}

/// Who finds that a contract has left its class sees that it is being changed, or was.
template <unsigned From, unsigned To>
void a_change_of_class_is_seen() {
    detail::contract_block block;
    detail::change_count changes;
    block.publish(1, From);
    const auto start = changes.idle_since();
    together(named("changer",
                   [&] {
                       changes.begin();
                       static_cast<void>(block.set_class(1, To));
                       changes.end();
                   }),
             named("onlooker",
                   [&] {
                       if ((block.members(From) & 1) != 0) return;
                       check(changes.idle_since() != start, "it is under way, or over");
                   }),
             named("other onlooker", [&] {
                 const auto since = changes.idle_since();
                 if (!since || since == start) return;
                 check((block.members(To) & 1) != 0, "what is over is seen");
             }));
}

inline void who_sees_a_change_over_has_its_steps() {
    detail::change_count changes;
    sync::plain<int> step{0};
    const auto start = changes.idle_since();
    together(named("changer",
                   [&] {
                       changes.begin();
                       step.write(1);
                       changes.end();
                   }),
             named("onlooker", [&] {
                 const auto since = changes.idle_since();
                 if (since && since != start) check(step.read() == 1, "its step is seen");
             }));
}

inline void two_changes_are_counted() {
    detail::change_count changes;
    const auto start = changes.idle_since();
    const auto change = [&] {
        changes.begin();
        check(!changes.idle_since(), "one is under way");
        changes.end();
    };
    together(named("changer", change), named("other changer", change));
    check(changes.idle_since() && changes.idle_since() != start, "both are over");
}

} // namespace weft::test::group
