// Threads that run one contract a call, in a real group whose blocks have two contracts: the second
// is kept between two calls. No claim is lost or held up when a thread stops calling.
#include "model/contract/explored_group.hpp"
#include "support/thorough.hpp"

#include <weft/contract.hpp>
#include <weft/detail/sync/thread.hpp>
#include <weft/explorer.hpp>

#include <functional>
#include <string>
#include <vector>

namespace weft {
namespace {

using explorer::check;
using explorer::named;
using explorer::options;
using explorer::together;
using test::explored_group;

void schedule_both(explored_group& all) {
    all.schedule(0);
    all.schedule(1);
}
void check_runs(explored_group& all, int first, int second) {
    check(all.members[0].runs.read() == first && all.members[1].runs.read() == second,
          "each ran as often as it was due");
}

/// Runs what is due, and sleeps when nothing is, until the group is stopped.
auto worker(explored_group& all) {
    return [&all] {
        while (all.group.execute_next_or_wait()) {
        }
    };
}
/// Calls once and never again; stops the group when the others have run the rest.
auto caller(explored_group& all, int runs) {
    return [&all, runs] {
        all.group.try_execute_next();
        all.yield_until(runs);
        all.group.stop();
    };
}

/// The other thread sleeps until both have run.
void a_thread_stops_calling() {
    explored_group all{2};
    schedule_both(all);
    together(named("caller", caller(all, 2)), named("worker", worker(all)));
    check_runs(all, 1, 1);
}

/// The sleeper is woken for the contract that the caller has kept.
void what_is_kept_wakes_a_sleeper() {
    explored_group all{2};
    together(named("caller",
                   [&] {
                       schedule_both(all);
                       caller(all, 2)();
                   }),
             named("worker", worker(all)));
    check_runs(all, 1, 1);
}

/// A thread that waits for the group runs what another has kept.
void what_is_kept_is_waited_for() {
    explored_group all{2};
    schedule_both(all);
    together(named("caller", [&] { all.group.try_execute_next(); }), named("waiter", [&] {
                 all.group.wait();
                 check(all.done.load(sync::relaxed) == 2, "nothing is due and nothing runs");
             }));
    check_runs(all, 1, 1);
}

/// A caller that comes back meets the thread that takes over what it has kept.
void a_caller_meets_the_thread_that_takes_over() {
    explored_group all{2};
    schedule_both(all);
    all.group.try_execute_next();
    const auto call = [&] { static_cast<void>(all.group.try_execute_next()); };
    together(named("one", call), named("other", call));
    all.group.wait();
    check_runs(all, 1, 1);
}

/// What has run and is scheduled again while its batch is at rest.
void what_has_run_is_due_again() {
    explored_group all{2};
    schedule_both(all);
    all.group.try_execute_next();
    together(named("scheduler", [&] { all.schedule(0); }), named("worker", all.worker(3)));
    check(all.members[0].runs.read() + all.members[1].runs.read() == 3, "all three");
}

/// A run that schedules itself, in a batch that is at rest afterwards.
void a_run_that_is_kept_asks_for_another() {
    explored_group all{2};
    all.members[0].work = [&all](contract_token& token, int run) {
        all.done.fetch_add(1, sync::relaxed);
        if (run == 1) token.schedule();
    };
    schedule_both(all);
    together(named("caller", caller(all, 3)), named("worker", worker(all)));
    check_runs(all, 2, 1);
}

/// The group is stopped: what is kept is released.
void what_is_kept_is_released_at_the_end() {
    explored_group all{2};
    schedule_both(all);
    together(named("caller", [&] { all.group.try_execute_next(); }),
             named("stopper", [&] { all.group.stop(); }));
    check_runs(all, 1, 1);
    check(all.members[0].releases.read() == 1 && all.members[1].releases.read() == 1,
          "both are released");
}

/// A long run of the caller does not hold up the other contract of its batch.
void a_long_run_does_not_hold_up_what_is_kept() {
    explored_group all{2};
    all.members[0].work = [&all](contract_token&, int) {
        all.yield_until(1);
        all.done.fetch_add(1, sync::relaxed);
    };
    schedule_both(all);
    together(named("caller",
                   [&] {
                       all.group.try_execute_next();
                       all.group.wait();
                   }),
             named("waiter", [&] { all.group.wait(); }));
    check_runs(all, 1, 1);
}

/// An execution has hundreds of steps; full runs go further.
void explore(const std::string& name, const std::function<void()>& body) {
    const int preemptions = test::scaled(1, 2) == 1 ? 1 : 2;
    test::explore_within(
        {options::sequential(preemptions), options::random(test::scaled(2'000, 500'000))}, name,
        body);
}

TEST(kept_batch, is_run_by_others_when_its_thread_stops_calling) {
    explore("kept: a thread stops calling", a_thread_stops_calling);
}
TEST(kept_batch, wakes_a_sleeper) {
    explore("kept: wakes a sleeper", what_is_kept_wakes_a_sleeper);
}
TEST(kept_batch, is_waited_for) { explore("kept: waited for", what_is_kept_is_waited_for); }
TEST(kept_batch, is_taken_over_by_one_thread) {
    explore("kept: two come", a_caller_meets_the_thread_that_takes_over);
}
TEST(kept_batch, loses_no_schedule) {
    explore("kept: due again", what_has_run_is_due_again);
    explore("kept: asks for another run", a_run_that_is_kept_asks_for_another);
}
TEST(kept_batch, ends_with_its_group) {
    explore("kept: stopped", what_is_kept_is_released_at_the_end);
}
TEST(kept_batch, is_freed_while_its_thread_is_busy) {
    explore("kept: long run", a_long_run_does_not_hold_up_what_is_kept);
}
} // namespace
} // namespace weft
