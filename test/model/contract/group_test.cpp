// A real group in the model: contracts, the signal trees, batches, seats and waiters together.
#include "model/contract/block_scenarios.hpp"
#include "model/contract/group_scenarios.hpp"
#include "support/thorough.hpp"

#include <weft/detail/sync/atomic.hpp>

#include <functional>
#include <string>
#include <vector>

namespace weft {
namespace {

using namespace test::group;

/// One preemption: an execution has more than 100 steps. The random schedules go beyond. Weak
/// memory is searched exhaustively where that is a matter of seconds, else in full runs.
enum class size : bool { small, large };
void explore(const std::string& name, const std::function<void()>& body, size searched) {
    using explorer::options;
    std::vector<options> searches{options::sequential(1),
                                  options::random(test::scaled(2'000, 500'000))};
    if (searched == size::small || test::scaled(0, 1) == 1) {
        searches.push_back(options::weak(1, 1));
        searches.back().max_seconds = 600;
    }
    test::explore_within(searches, name, body);
}

TEST(contract_group_model, a_waiter_is_woken_by_the_end_of_a_run) {
    explore("group: the last run ends", a_waiter_is_woken_by_the_end_of_a_run, size::small);
}
TEST(contract_group_model, a_change_of_priority_does_not_mislead_a_waiter) {
    explore("group: quiet, priority changed", a_change_of_priority_does_not_mislead_a_waiter,
            size::large);
}
TEST(contract_group_model, a_run_between_two_looks_does_not_mislead_a_waiter) {
    explorer::options woken = explorer::options::sequential(1);
    woken.timeouts = 0; // no thread wakes for no reason
    test::explore_within({woken}, "group: quiet, a run between",
                         a_run_between_two_looks_does_not_mislead_a_waiter);
}
TEST(contract_group_model, a_waiter_notices_the_end_of_the_pool) {
    test::explore_within({explorer::options::sequential(1)}, "group: waits at the end of the pool",
                         a_waiter_notices_the_end_of_the_pool);
}
TEST(contract_group_model, freeing_does_not_mislead_a_waiter) {
    explore("group: quiet, freed", freeing_does_not_mislead_a_waiter, size::large);
}
TEST(contract_group_model, a_long_run_does_not_hold_back_a_self_scheduled_neighbour) {
    explore("group: long run, schedules itself",
            a_long_run_does_not_hold_back_a_self_scheduled_neighbour, size::large);
}
TEST(contract_group_model, a_change_of_priority_is_seen) {
    explore("group: made high", a_change_of_priority_is_seen<1, 0>, size::small);
    explore("group: no longer high", a_change_of_priority_is_seen<0, 1>, size::small);
    explore("group: made low", a_change_of_priority_is_seen<1, 2>, size::small);
    explore("group: no longer low", a_change_of_priority_is_seen<2, 1>, size::small);
}
TEST(change_count, a_change_that_is_over_shows_its_steps) {
    explore("group: a change is over", a_change_that_is_over_shows_its_steps, size::small);
}
TEST(change_count, two_changes_are_counted) {
    explore("group: two changes", two_changes_are_counted, size::small);
}

TEST(contract_group_model, a_schedule_wakes_the_worker) {
    explore("group: a schedule wakes", a_schedule_wakes_the_worker, size::small);
}
TEST(contract_group_model, two_schedules_are_answered) {
    explore("group: two schedules of one", two_schedules_of_one, size::large);
}
TEST(contract_group_model, a_driver_knows_whether_it_has_run_something) {
    explore("group: a driver whose time is over", a_driver_knows_whether_it_has_run_something,
            size::small);
}
TEST(contract_group_model, a_waiter_has_scheduled_what_is_being_scheduled) {
    explore("group: scheduled and waited for", a_second_schedule_is_waited_for, size::small);
}
TEST(contract_group_model, two_contracts_are_run_by_one_worker) {
    explore("group: two contracts", two_contracts_one_worker, size::large);
}
TEST(contract_group_model, a_schedule_after_the_run_wakes_again) {
    explore("group: again after the run", scheduled_again_after_the_run, size::large);
}
TEST(contract_group_model, a_contract_may_schedule_itself) {
    explore("group: schedules itself", schedules_itself, size::small);
}
TEST(contract_group_model, two_workers_run_it_once) {
    explore("group: two workers", two_workers_one_contract, size::large);
}
TEST(contract_group_model, a_long_run_does_not_hold_up_its_neighbour) {
    explore("group: long run", a_long_run_does_not_hold_up_its_neighbour, size::large);
}
TEST(contract_group_model, a_long_run_does_not_hold_back_what_has_run) {
    explore("group: long run, run again", a_long_run_does_not_hold_back_what_has_run, size::large);
}
TEST(contract_group_model, a_run_may_wait_for_what_it_has_scheduled) {
    explore("group: waits for what it has scheduled", a_run_waits_for_what_it_has_scheduled,
            size::large);
}
TEST(contract_group_model, two_contracts_due_again_wake_another_thread) {
    explore("group: two are due again", two_contracts_due_again_wake_another_thread, size::large);
}
TEST(contract_group_model, a_waiter_gets_an_exception_before_the_batch_ends) {
    explore("group: exception in a batch", a_waiter_gets_an_exception_before_the_batch_ends,
            size::large);
}
TEST(contract_group_model, a_claimed_contract_shows_its_batch) {
    explore("group: claimed", a_claimed_contract_shows_its_batch, size::small);
}
TEST(contract_group_model, a_release_wakes_the_worker) {
    explore("group: a release wakes", a_release_wakes_the_worker, size::small);
}
TEST(contract_group_model, one_of_two_releases_is_the_first) {
    explore("group: two release it", two_release_it, size::small);
}
TEST(contract_group_model, a_release_after_the_run_wakes_again) {
    explore("group: released after the run", released_after_the_run, size::small);
}
TEST(contract_group_model, a_schedule_meets_a_release) {
    explore("group: scheduled and released", scheduled_and_released, size::large);
}
TEST(contract_group_model, a_schedule_meets_a_change_of_priority) {
    explore("group: priority changed", its_priority_is_changed, size::large);
}
TEST(contract_group_model, a_release_meets_a_change_of_priority) {
    explore("group: priority changed in a release", its_priority_is_changed_while_it_is_released,
            size::small);
}
TEST(contract_group_model, a_run_meets_a_change_of_priority) {
    explore("group: priority changed in a run", its_priority_is_changed_while_it_runs, size::small);
}
TEST(contract_group_model, an_entry_is_freed_once) {
    explore("group: the handle goes", the_handle_goes, size::small);
    explore("group: the handles of neighbours go", the_handles_of_neighbours_go, size::small);
}

TEST(contract_group_model, the_stopper_sees_what_the_releases_did) {
    explore("group: stopped", the_stopper_sees_what_the_releases_did, size::small);
}
TEST(contract_group_model, cancelling_drops_what_is_due_and_not_the_release) {
    explore("group: cancelled", cancelled_while_due, size::small);
}
TEST(contract_group_model, a_waiter_sees_what_an_ended_pool_did) {
    using explorer::options;
    test::explore_within({options::weak(0, 1), options::random(test::scaled(2'000, 500'000))},
                         "group: pool ended", a_waiter_sees_what_an_ended_pool_did);
}

TEST(change_count, every_mutant_is_caught) {
    const explorer::options weak = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"group: made high", weak, a_change_of_priority_is_seen<1, 0>},
        {"group: a change is over", weak, a_change_that_is_over_shows_its_steps},
        {"group: two changes", weak, two_changes_are_counted},
    };
    EXPECT_EQ(test::survivors(scenarios, "contract/change_count.hpp"), std::vector<std::string>{});
}

TEST(contract_block, every_mutant_is_caught) {
    using namespace test::block;
    const explorer::options weak = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"contract: a run sees what came before", weak, a_run_sees_what_came_before},
        {"contract: two send", weak, two_send},
        {"contract: two run", weak, two_run},
        {"contract: two run two", weak, two_run_two},
        {"contract: sent and released", weak, sent_and_released},
        {"contract: never sent", weak, never_sent},
        {"contract: two release", weak, two_release},
        {"contract: used again", weak, the_entry_is_used_again},
        {"contract: comes with what was done", weak, the_entry_comes_with_what_was_done},
        {"contract: a notifying call", weak, a_notifying_call_is_waited_for},
        {"contract: two notify", weak, two_notify},
        {"contract: two are made", weak, two_are_made},
        {"contract: two are made again", weak, two_are_made_again},
        {"contract: two change their priority", weak, two_change_their_priority},
        {"group: claimed", weak, a_claimed_contract_shows_its_batch},
        {"group: made high", weak, a_change_of_priority_is_seen<1, 0>},
        {"group: no longer high", weak, a_change_of_priority_is_seen<0, 1>},
        {"group: made low", weak, a_change_of_priority_is_seen<1, 2>},
        {"group: no longer low", weak, a_change_of_priority_is_seen<2, 1>},
        {"group: priority changed in a release", explorer::options::weak(1, 1),
         its_priority_is_changed_while_it_is_released},
        {"group: priority changed in a run", explorer::options::weak(1, 1),
         its_priority_is_changed_while_it_runs},
        {"contract: neighbours", weak, neighbours_do_not_disturb_each_other},
        {"group: again after the run", explorer::options::weak(1, 1),
         scheduled_again_after_the_run},
        {"group: released after the run", explorer::options::weak(1, 1), released_after_the_run},
        {"group: priority changed", explorer::options::weak(1, 1), its_priority_is_changed},
        {"group: quiet, priority changed", explorer::options::weak(1, 1),
         a_change_of_priority_does_not_mislead_a_waiter},
    };
    // take_wanted(), K3: a schedule that comes after it sees that the contract is closing, also
    // because its update of the word comes after that of the release. Without the order it need
    // not, but in this model a new store is always the last in its order.
    EXPECT_EQ(test::survivors(scenarios, "contract/contract_block.hpp"),
              std::vector<std::string>{"fetch_and: drop_release"});
}

} // namespace
} // namespace weft
