#include "alarm_scenarios.hpp"

#include "support/thorough.hpp"

namespace weft::alarm_scenarios {
namespace {

TEST(sleep_alarm, a_sleeper_is_woken_or_sees_the_alarm) {
    test::explore_thoroughly("sleep: slept or set", slept_or_set);
}

TEST(sleep_alarm, another_worker_watches_when_the_keeper_leaves) {
    test::explore_workers("sleep: the keeper leaves", the_keeper_leaves);
}

TEST(sleep_alarm, a_keeper_that_leaves_is_not_relied_on) {
    test::explore_workers("sleep: set while the keeper leaves", set_while_the_keeper_leaves);
}

TEST(sleep_alarm, a_worker_that_stays_away_leaves_the_alarm_to_another) {
    test::explore_thoroughly("sleep: alarm and staying away", the_last_searcher_stays_away);
}

TEST(sleep_alarm, one_worker_wakes_for_an_alarm) {
    test::explore_thoroughly("sleep: one wakes for an alarm", one_wakes_for_an_alarm);
}

} // namespace
} // namespace weft::alarm_scenarios
