// What may happen to a group: to the threads that execute it, to its waiters, and at its end.
#pragma once

#include "contract/batch_run.hpp"
#include "contract/change_count.hpp"
#include "contract/contract_core.hpp"
#include "contract/contract_table.hpp"
#include "model/contract/explored_group.hpp"

#include <weft/detail/contract/contract_block.hpp>
#include <weft/detail/sync/plain.hpp>
#include <weft/detail/sync/thread.hpp>
#include <weft/error.hpp>
#include <weft/explorer.hpp>
#include <weft/pool.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <new>
#include <vector>

namespace weft::test::group {

using explorer::check;
using explorer::named;
using explorer::together;

inline void a_schedule_wakes_the_worker() {
    explored_group all;
    together(named("worker", all.worker(1)), named("scheduler", [&] { all.schedule(); }));
    check(all.members[0].seen.read() == 1, "what came before is seen");
}

inline void two_schedules_of_one() {
    explored_group all;
    all.members[0].work = [&all](contract_token&, int) {
        if (all.members[0].mail.load(sync::relaxed) == 2) all.done.fetch_add(1, sync::relaxed);
    };
    together(named("worker", all.worker(1)), named("scheduler", [&] { all.schedule(); }),
             named("other scheduler", [&] { all.schedule(); }));
    check(all.members[0].runs.read() <= 2, "no more runs than schedules");
}

inline void two_contracts_one_worker() {
    explored_group all{2};
    together(named("worker", all.worker(2)), named("scheduler", [&] { all.schedule(0); }),
             named("other scheduler", [&] { all.schedule(1); }));
    check(all.members[0].runs.read() + all.members[1].runs.read() == 2, "once each");
}

inline void scheduled_again_after_the_run() {
    explored_group all;
    together(named("worker", all.worker(2)), named("scheduler", [&] {
                 all.schedule();
                 all.yield_until(1);
                 all.schedule();
             }));
    check(all.members[0].runs.read() == 2, "each schedule had its run");
}

inline void schedules_itself() {
    explored_group all;
    all.members[0].work = [&all](contract_token& token, int run) {
        all.done.fetch_add(1, sync::relaxed);
        if (run == 1) token.schedule();
    };
    together(named("worker", all.worker(2)), named("scheduler", [&] { all.schedule(); }));
    check(all.members[0].runs.read() == 2, "it ran once more");
}

/// Two threads drive the group until it is stopped.
inline void two_workers_one_contract() {
    explored_group all;
    const auto work = [&all] {
        while (all.group.execute_next_or_wait()) {
        }
    };
    together(named("worker", work), named("other worker", work), named("scheduler", [&] {
                 all.schedule();
                 all.group.stop();
                 check(all.members[0].releases.read() == 1, "it was released");
             }));
    check(all.members[0].runs.read() == 1, "it ran once");
}

/// The first contract goes on only when the second has run. Both are due, and one thread claims
/// both.
inline void a_long_run_does_not_hold_up_its_neighbour() {
    explored_group all{2};
    all.members[0].work = [&all](contract_token&, int) {
        all.yield_until(1);
        all.done.fetch_add(1, sync::relaxed);
    };
    all.schedule(0);
    all.schedule(1);
    const auto work = [&all] { all.group.wait(); };
    together(named("worker", work), named("other worker", work));
    check(all.members[1].runs.read() == 1, "the neighbour ran");
}

/// The first contract has run, and is scheduled again while the second one waits for that run.
inline void a_long_run_does_not_hold_back_what_has_run() {
    explored_group all{2};
    all.members[1].work = [&all](contract_token&, int) {
        all.schedule(0);
        all.yield_until(2);
        all.done.fetch_add(1, sync::relaxed);
    };
    all.schedule(0);
    all.schedule(1);
    const auto work = [&all] { all.group.wait(); };
    together(named("worker", work), named("other worker", work));
    check(all.members[0].runs.read() == 2, "it ran again");
}

/// A contract schedules itself while it is in a batch with another that waits for that second run.
inline void a_long_run_does_not_hold_back_a_self_scheduled_neighbour() {
    explored_group all{2};
    all.members[0].work = [&all](contract_token& token, int run) {
        all.done.fetch_add(1, sync::relaxed);
        if (run == 1) token.schedule();
    };
    all.members[1].work = [&all](contract_token&, int) {
        all.yield_until(2);
        all.done.fetch_add(1, sync::relaxed);
    };
    all.schedule(0);
    all.schedule(1);
    const auto work = [&all] { all.group.wait(); };
    together(named("worker", work), named("other worker", work));
    check(all.members[0].runs.read() == 2, "it ran again");
}

/// A thread that waits for the group sleeps, as nothing is due; it must run what is scheduled then.
inline void a_run_waits_for_what_it_has_scheduled() {
    explored_group all{2};
    all.members[0].work = [&all](contract_token&, int) {
        all.schedule(1);
        all.yield_until(1);
    };
    all.schedule(0);
    const auto work = [&all] { all.group.wait(); };
    together(named("worker", work), named("other worker", work));
    check(all.members[1].runs.read() == 1, "it ran");
}

/// Both contracts of a batch ask for another run. The first waits in it for that of the second.
inline void two_contracts_due_again_wake_another_thread() {
    explored_group all{2};
    all.members[0].work = [&all](contract_token& token, int run) {
        if (run == 1) token.schedule();
        else all.yield_until(1);
    };
    all.members[1].work = [&all](contract_token& token, int run) {
        if (run == 1) token.schedule();
        else all.done.fetch_add(1, sync::relaxed);
    };
    all.schedule(0);
    all.schedule(1);
    together(named("worker",
                   [&] {
                       all.group.execute_some(10);
                       all.group.wait();
                       all.group.stop();
                   }),
             named("driver", [&] {
                 while (all.group.execute_next_or_wait()) {
                 }
             }));
    check(all.members[0].runs.read() == 2, "it ran again");
}

/// So a thread that finds nothing due knows whether there is something to free.
inline void a_claimed_contract_shows_its_batch() {
    detail::contract_block block;
    detail::shared_batch batch;
    block.publish(1, detail::normal_priority);
    static_cast<void>(block.schedule(1));
    const auto before = batch.idle_since();
    together(named("worker", [&] { check(claim_batch(batch, block, 1, 1) == 1, "it is due"); }),
             named("other worker", [&] {
                 if (block.available(detail::normal_priority) != 0) return;
                 check(batch.idle_since() != before, "the batch is seen");
             }));
}

inline void a_release_wakes_the_worker() {
    explored_group all;
    together(named("worker", all.worker(1)),
             named("releaser", [&] { all.members[0].handle.release(); }));
    check(all.members[0].releases.read() == 1 && all.members[0].runs.read() == 0,
          "it was released and not run");
}

/// Both say whether they were the first.
inline void two_release_it() {
    explored_group all;
    std::array<bool, 2> first{};
    together(named("releaser", [&] { first[0] = all.members[0].handle.release(); }),
             named("other releaser", [&] { first[1] = all.members[0].handle.release(); }));
    check(first[0] != first[1], "one was the first");
    check(all.group.execute_some(2) == 1, "it is released once");
}

inline void released_after_the_run() {
    explored_group all;
    together(named("worker", all.worker(2)), named("owner", [&] {
                 all.schedule();
                 all.yield_until(1);
                 all.members[0].handle.release();
             }));
    check(all.members[0].releases.read() == 1, "it was released");
}

inline void scheduled_and_released() {
    explored_group all;
    bool accepted = false;
    all.members[0].work = [](contract_token&, int) {};
    together(named("worker", all.worker(1)), named("scheduler", [&] { accepted = all.schedule(); }),
             named("releaser", [&] { all.members[0].handle.release(); }));
    check(!accepted || all.members[0].seen.read() == 1, "what was accepted has been run");
    check(all.members[0].releases.read() == 1, "it was released");
}

/// Wherever the change meets the schedule, the contract is found in one of the priorities.
inline void its_priority_is_changed() {
    explored_group all;
    together(named("worker", all.worker(1)), named("scheduler", [&] { all.schedule(); }),
             named("changer", [&] { all.members[0].handle.set_priority(priority::high); }));
    check(all.members[0].runs.read() == 1, "it ran once");
}

/// It is being released, and nobody looks meanwhile: then it is marked in the new priority.
inline void its_priority_is_changed_while_it_is_released() {
    explored_group all;
    together(named("releaser", [&] { all.members[0].handle.release(); }),
             named("changer", [&] { all.members[0].handle.set_priority(priority::high); }));
    check(all.group.execute_some(2) == 1, "it is released");
}

/// The priority is changed while it runs and is to be run again.
inline void its_priority_is_changed_while_it_runs() {
    explored_group all;
    all.members[0].work = [&all](contract_token& token, int run) {
        all.done.fetch_add(1, sync::relaxed);
        if (run == 1) token.schedule();
    };
    all.schedule();
    together(named("worker", all.worker(2)),
             named("changer", [&] { all.members[0].handle.set_priority(priority::high); }));
    check(all.members[0].runs.read() == 2, "it ran twice");
}

/// What becomes due when its time is over may still be run.
inline void a_driver_knows_whether_it_has_run_something() {
    explored_group all;
    bool ran = false;
    together(named("driver",
                   [&] { ran = all.group.execute_next_or_wait(std::chrono::nanoseconds::zero()); }),
             named("scheduler", [&] { all.schedule(); }));
    check(ran == (all.members[0].runs.read() == 1), "it says so");
}

/// Two threads schedule it. If one of them has not got far, the other is sure of the run all the
/// same.
inline void a_second_schedule_is_waited_for() {
    explored_group all;
    together(named("scheduler", [&] { all.schedule(); }), named("other scheduler", [&] {
                 all.schedule();
                 all.group.wait();
                 check(all.members[0].runs.read() != 0, "it has run");
             }));
}

/// The last run is on another thread, which executes nothing after it.
inline void a_waiter_is_woken_by_the_end_of_a_run() {
    explored_group all;
    all.schedule();
    together(named("worker", [&] { all.group.try_execute_next(); }), named("waiter", [&] {
                 all.group.wait();
                 check(all.members[0].runs.read() == 1, "it has run");
             }));
}

/// It is due all the time, in one priority or the other.
inline void a_change_of_priority_does_not_mislead_a_waiter() {
    explored_group all;
    all.schedule();
    together(named("worker", [&] { all.group.try_execute_next(); }),
             named("changer", [&] { all.members[0].handle.set_priority(priority::high); }),
             named("waiter", [&] {
                 all.group.wait();
                 check(all.members[0].runs.read() == 1, "it has run");
             }));
}

/// Two contracts are due; one thread claims both, and another frees what it can.
inline void freeing_does_not_mislead_a_waiter() {
    explored_group all{2};
    all.schedule(0);
    all.schedule(1);
    together(named("worker", [&] { all.group.execute_some(2); }),
             named("other worker",
                   [&] {
                       all.group.execute_some(1);
                       all.group.execute_some(1);
                   }),
             named("waiter", [&] {
                 all.group.wait();
                 check(all.members[0].runs.read() == 1 && all.members[1].runs.read() == 1,
                       "both have run");
             }));
}

/// The group has room for `count` contracts again, and for no more.
inline void check_free(contract_group& group, std::size_t count) {
    std::vector<contract> made;
    try {
        while (made.size() <= count) made.push_back(group.create([] {}));
    } catch (const error& thrown) {
        check(thrown.code() == errc::full, "it is full");
    }
    check(made.size() == count, "each entry is freed once");
}

/// The handle goes while its contract is due.
inline void the_handle_goes() {
    explored_group all{1, {.limit = 1}};
    all.schedule();
    together(named("owner", [&] { all.members[0].handle = {}; }),
             named("worker", [&] { all.group.execute_some(2); }));
    all.group.wait();
    check(all.members[0].runs.read() == 1, "what was due was run");
    check(all.members[0].releases.read() == 1, "it was released once");
    check_free(all.group, 1);
}

inline void the_handles_of_neighbours_go() {
    explored_group all{2, {.limit = 2}};
    const auto end = [&all](std::size_t index) {
        return [&all, index] {
            all.members[index].handle = {};
            all.group.execute_some(2);
        };
    };
    together(named("owner", end(0)), named("other owner", end(1)));
    for (auto& each : all.members) check(each.releases.read() == 1, "once each");
    check_free(all.group, 2);
}

/// What the release callbacks did is seen by the thread that stops the group.
inline void the_stopper_sees_what_the_releases_did() {
    explored_group all;
    together(named("worker",
                   [&] {
                       while (all.group.execute_next_or_wait()) {
                       }
                   }),
             named("stopper", [&] {
                 all.group.stop();
                 check(all.members[0].releases.read() == 1, "it was released");
             }));
}

inline void cancelled_while_due() {
    explored_group all;
    all.schedule();
    together(named("worker", [&] { all.group.try_execute_next(); }),
             named("canceller", [&] { all.group.stop(on_stop::cancel); }));
    check(all.members[0].runs.read() <= 1, "what is due may be dropped");
    check(all.members[0].releases.read() == 1, "the release is not");
}

inline void two_are_created() {
    contract_group group;
    std::array<contract, 2> made;
    together(named("creator", [&] { made[0] = group.create([] {}); }),
             named("other creator", [&] { made[1] = group.create([] {}); }));
    check(group.size() == 2, "both are counted");
}

inline void two_are_released() {
    explored_group all{2};
    for (auto& each : all.members) each.handle.release();
    // One by one: a thread that claims both releases both.
    const auto work = [&all] { all.group.execute_some(1); };
    together(named("worker", work), named("other worker", work));
    all.group.wait();
    check(all.group.size() == 0, "both are gone");
}

/// A group whose pool does not know it: the threads of a scenario are its workers.
struct detached_group {
    pool host{1};
    detail::contract_core core{contract_group_options{.pool = &host}};
    std::vector<std::uint32_t> contracts;

    ~detached_group() {
        for (const std::uint32_t each : contracts) core.drop_handle(each);
        core.end();
    }
    /// Scheduled at once.
    template <class Work>
    void create(Work work) {
        const detail::contract_parts parts{
            [](void* storage, contract_token&) { (*static_cast<Work*>(storage))(); },
            [](void*) noexcept {},
            [](void* source, void* storage) { ::new (storage) Work(*static_cast<Work*>(source)); },
            &work};
        contracts.push_back(core.create(parts, {.scheduled = true}));
    }
};

/// A worker runs what is due, and after that the pool ends: `wait` finds that all was run.
inline void a_waiter_sees_what_an_ended_pool_did() {
    sync::plain<int> runs{0};
    sync::atomic<bool> ran{false};
    detached_group all;
    all.create([&runs] { ++runs.modify(); });
    together(named("worker",
                   [&] {
                       all.core.try_run();
                       ran.store(true, sync::release);
                   }),
             named("end",
                   [&] {
                       while (!ran.load(sync::acquire)) sync::yield();
                       all.core.pool_ended();
                   }),
             named("waiter", [&] {
                 all.core.wait();
                 check(runs.read() == 1, "it has run");
             }));
}

/// The contract is due or runs all the time until it has run twice, but is marked nowhere while it
/// runs. The waiter looks at the batches, then at the marks, then at the batches again.
inline void a_run_between_two_looks_does_not_mislead_a_waiter() {
    sync::plain<int> runs{0};
    detached_group all;
    all.create([&] {
        if (runs.read() == 0) all.core.schedule(all.contracts[0]);
        check(all.core.execute(1) == 0, "nothing else is due"); // withdraws the mark
        sync::yield();
        ++runs.modify();
    });
    together(named("worker",
                   [&] {
                       static_cast<void>(all.core.execute(1));
                       sync::yield();
                       static_cast<void>(all.core.execute(1));
                   }),
             named("waiter", [&] {
                 all.core.wait();
                 check(runs.read() == 2, "it has run twice");
             }));
}

/// Nothing is run any more: `wait` ends with an error.
inline void a_waiter_notices_the_end_of_the_pool() {
    detached_group all;
    all.create([] {});
    together(named("end", [&] { all.core.pool_ended(); }), named("waiter", [&] {
                 try {
                     all.core.wait();
                     check(false, "something is due");
                 } catch (const error& thrown) {
                     check(thrown.code() == errc::stopped, "the pool has ended");
                 }
             }));
}

/// Both contracts are in one batch; the second runs until the waiter has what the first threw.
inline void a_waiter_gets_an_exception_before_the_batch_ends() {
    sync::atomic<bool> caught{false};
    detached_group all;
    all.create([] { throw 1; });
    all.create([&caught] {
        while (!caught.load(sync::relaxed)) sync::yield();
    });
    together(named("worker", [&] { all.core.try_run(); }), named("waiter", [&] {
                 try {
                     all.core.wait();
                     check(false, "it was thrown");
                 } catch (int) {
                     caught.store(true, sync::relaxed);
                 }
             }));
}

/// A thread that no longer finds a contract in its priority sees that a change is under way or
/// over.
template <unsigned From, unsigned To>
void a_change_of_priority_is_seen() {
    detail::contract_table table;
    table.reserve(1);
    check(table.store.take(1) == 0, "it is the first");
    detail::contract_block& block = table.store.block(0);
    block.publish(1, From);
    const auto start = table.priority_changes.idle_since();
    together(named("changer", [&] { static_cast<void>(table.set_priority(0, 1, To)); }),
             named("observer",
                   [&] {
                       if ((block.members(From) & 1) != 0) return;
                       check(table.priority_changes.idle_since() != start,
                             "it is under way, or over");
                   }),
             named("other observer", [&] {
                 const auto since = table.priority_changes.idle_since();
                 if (!since || since == start) return;
                 check((block.members(To) & 1) != 0, "what is over is seen");
             }));
}

inline void a_change_that_is_over_shows_its_steps() {
    detail::change_count changes;
    sync::plain<int> step{0};
    const auto start = changes.idle_since();
    together(named("changer",
                   [&] {
                       changes.begin();
                       step.write(1);
                       changes.end();
                   }),
             named("observer", [&] {
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
