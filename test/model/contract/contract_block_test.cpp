#include "model/contract/block_scenarios.hpp"
#include "support/thorough.hpp"

#include <weft/detail/contract/contract_block.hpp>

#include <string>
#include <vector>

namespace weft {
namespace {

using namespace test::block;

TEST(contract_block, a_run_sees_what_came_before_the_schedule) {
    test::explore_thoroughly("contract: a run sees what came before", a_run_sees_what_came_before);
}
TEST(contract_block, two_schedules_lead_to_a_run_that_sees_both) {
    test::explore_thoroughly("contract: two send", two_send);
}
TEST(contract_block, a_schedule_during_a_run_leads_to_another) {
    test::explore_thoroughly("contract: sent while it runs", sent_while_it_runs);
}
TEST(contract_block, a_contract_never_runs_concurrently_with_itself) {
    test::explore_thoroughly("contract: two run", two_run);
}
TEST(contract_block, two_contracts_run_once_each) {
    test::explore_thoroughly("contract: two run two", two_run_two);
}
TEST(contract_block, what_was_accepted_is_run_before_the_release) {
    test::explore_thoroughly("contract: sent and released", sent_and_released);
}
TEST(contract_block, what_was_due_is_run_before_the_release) {
    test::explore_thoroughly("contract: due when released", due_when_released);
}
TEST(contract_block, a_release_is_no_run) {
    test::explore_thoroughly("contract: never sent", never_sent);
}
TEST(contract_block, is_released_once) {
    test::explore_thoroughly("contract: two release", two_release);
}
TEST(contract_block, may_be_released_in_its_run) {
    test::explore_thoroughly("contract: released in a run", released_in_a_run);
}
TEST(contract_block, the_entry_may_be_used_again) {
    test::explore_thoroughly("contract: used again", the_entry_is_used_again);
}
TEST(contract_block, a_sender_notifies_unless_it_has_run) {
    test::explore_thoroughly("contract: a sender notifies", a_sender_notifies);
}
TEST(contract_block, the_thread_that_frees_the_entry_sees_what_was_done) {
    test::explore_thoroughly("contract: comes with what was done",
                             the_entry_comes_with_what_was_done);
}

TEST(contract_block, neighbours_do_not_disturb_each_other) {
    test::explore_thoroughly("contract: neighbours", neighbours_do_not_disturb_each_other);
}
TEST(contract_block, a_notifying_call_is_waited_for) {
    test::explore_thoroughly("contract: a notifying call", a_notifying_call_is_waited_for);
    test::explore_thoroughly("contract: two notify", two_notify);
}
TEST(contract_block, two_may_be_made_at_once) {
    test::explore_thoroughly("contract: two are made", two_are_made);
}
TEST(contract_block, two_may_change_their_priority_at_once) {
    test::explore_thoroughly("contract: two change their priority", two_change_their_priority);
}
TEST(contract_block, two_entries_may_be_used_again_at_once) {
    test::explore_thoroughly("contract: two are made again", two_are_made_again);
}

TEST(contract_block, scheduling_and_releasing_wait_for_nobody) {
    for (const auto& body : {two_send, sent_and_released, two_release}) {
        const auto report = explorer::explore("contract: a thread is stopped",
                                              explorer::options::weak(1, 1).freezing(), body);
        EXPECT_TRUE(report.passed() && report.exhaustive) << report.explanation();
    }
}

} // namespace
} // namespace weft
