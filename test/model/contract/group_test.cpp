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

/// Fewer preemptions where three threads take part: an execution has more than 100 steps. The random
/// schedules go beyond.
void explore(const std::string& name, const std::function<void()>& body, unsigned preemptions) {
    using explorer::options;
    for (const options& how : {options::sequential(preemptions + 1), options::weak(preemptions, 1),
                               options::random(test::scaled(10'000, 2'000'000))}) {
        const explorer::report report = explorer::explore(name, how, body);
        EXPECT_TRUE(report.passed()) << report.explanation();
        EXPECT_TRUE(report.exhaustive || how.random_schedules > 0) << report.summary();
    }
}

TEST(contract_group_model, who_waits_is_not_misled_by_a_change_of_priority) {
    explore("group: quiet, priority changed", who_waits_is_not_misled_by_a_change_of_priority, 2);
}
TEST(contract_group_model, who_waits_is_not_misled_by_who_frees) {
    explore("group: quiet, freed", who_waits_is_not_misled_by_who_frees, 1);
}
TEST(contract_group_model, a_long_run_does_not_hold_back_who_asks_for_itself) {
    explore("group: long run, asks for itself", a_long_run_does_not_hold_back_who_asks_for_itself,
            1);
}
TEST(contract_group_model, a_change_of_priority_is_seen) {
    explore("group: made high", a_change_of_priority_is_seen<1, 0>, 2);
    explore("group: no longer high", a_change_of_priority_is_seen<0, 1>, 2);
    explore("group: made low", a_change_of_priority_is_seen<1, 2>, 2);
    explore("group: no longer low", a_change_of_priority_is_seen<2, 1>, 2);
    explore("group: a change is over", who_sees_a_change_over_has_its_steps, 2);
    explore("group: two changes", two_changes_are_counted, 2);
}

TEST(contract_group_model, a_schedule_wakes_the_worker) {
    explore("group: a schedule wakes", a_schedule_wakes_the_worker, 2);
}
TEST(contract_group_model, two_schedules_are_answered) {
    explore("group: two schedules of one", two_schedules_of_one, 1);
}
TEST(contract_group_model, two_contracts_are_run_by_one_worker) {
    explore("group: two contracts", two_contracts_one_worker, 1);
}
TEST(contract_group_model, a_schedule_after_the_run_wakes_again) {
    explore("group: again after the run", scheduled_again_after_the_run, 1);
}
TEST(contract_group_model, a_contract_may_ask_for_itself) {
    explore("group: asks for itself", asks_for_itself, 2);
}
TEST(contract_group_model, two_workers_run_it_once) {
    explore("group: two workers", two_workers_one_contract, 1);
}
TEST(contract_group_model, a_long_run_does_not_hold_up_its_neighbour) {
    explore("group: long run", a_long_run_does_not_hold_up_its_neighbour, 1);
}
TEST(contract_group_model, a_long_run_does_not_hold_back_what_has_run) {
    explore("group: long run, run again", a_long_run_does_not_hold_back_what_has_run, 1);
}
TEST(contract_group_model, who_finds_it_claimed_sees_the_batch) {
    explore("group: claimed", who_finds_it_claimed_sees_the_batch, 2);
}
TEST(contract_group_model, a_release_wakes_the_worker) {
    explore("group: a release wakes", a_release_wakes_the_worker, 2);
}
TEST(contract_group_model, a_release_after_the_run_wakes_again) {
    explore("group: released after the run", released_after_the_run, 1);
}
TEST(contract_group_model, a_schedule_meets_a_release) {
    explore("group: scheduled and released", scheduled_and_released, 1);
}
TEST(contract_group_model, a_schedule_meets_a_change_of_priority) {
    explore("group: priority changed", its_priority_is_changed, 1);
}
TEST(contract_group_model, a_run_meets_a_change_of_priority) {
    explore("group: priority changed in a run", its_priority_is_changed_while_it_runs, 2);
}

TEST(contract_group_model, who_stops_has_what_the_releases_did) {
    explore("group: stopped", who_stops_has_what_the_releases_did, 1);
}
TEST(contract_group_model, who_sees_the_pool_ended_sees_what_it_did) {
    explore("group: pool ended", who_sees_the_pool_ended_sees_what_it_did, 1);
}

TEST(change_count, every_mutant_is_caught) {
    const explorer::options how = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"group: made high", how, a_change_of_priority_is_seen<1, 0>},
        {"group: a change is over", how, who_sees_a_change_over_has_its_steps},
        {"group: two changes", how, two_changes_are_counted},
    };
    EXPECT_EQ(test::survivors(scenarios, "contract/change_count.hpp"), std::vector<std::string>{});
}

TEST(contract_block, every_mutant_is_caught) {
    using namespace test::block;
    const explorer::options how = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"contract: a run sees what came before", how, a_run_sees_what_came_before},
        {"contract: two send", how, two_send},
        {"contract: two run", how, two_run},
        {"contract: two run two", how, two_run_two},
        {"contract: sent and released", how, sent_and_released},
        {"contract: never sent", how, never_sent},
        {"contract: two release", how, two_release},
        {"contract: freed once", how, the_place_is_freed_once},
        {"contract: used again", how, the_place_is_used_again},
        {"contract: comes with what was done", how, the_place_comes_with_what_was_done},
        {"contract: neighbours end", how, neighbours_end},
        {"contract: two are made", how, two_are_made},
        {"contract: two are made again", how, two_are_made_again},
        {"contract: neighbours", how, neighbours_do_not_disturb_each_other},
        {"contract: two change their priority", how, two_change_their_priority},
        {"group: again after the run", explorer::options::weak(1, 2),
         scheduled_again_after_the_run},
        {"group: released after the run", explorer::options::weak(1, 2), released_after_the_run},
        {"group: priority changed in a run", how, its_priority_is_changed_while_it_runs},
        {"group: priority changed", explorer::options::weak(1, 1), its_priority_is_changed},
        {"group: claimed", how, who_finds_it_claimed_sees_the_batch},
        {"group: quiet, priority changed", explorer::options::weak(2, 1),
         who_waits_is_not_misled_by_a_change_of_priority},
        {"group: made high", how, a_change_of_priority_is_seen<1, 0>},
        {"group: no longer high", how, a_change_of_priority_is_seen<0, 1>},
        {"group: made low", how, a_change_of_priority_is_seen<1, 2>},
        {"group: no longer low", how, a_change_of_priority_is_seen<2, 1>},
    };
    // take_wanted(), K3: a schedule that comes after it sees that the contract is closing, also because
    // its update of the word comes after that of the release. Without the order it need not, but in this
    // model a new store is always the last in its order.
    EXPECT_EQ(test::survivors(scenarios, "contract/contract_block.hpp"),
              std::vector<std::string>{"fetch_and: drop_release"});
}

} // namespace
} // namespace weft
