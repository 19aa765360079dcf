// The order of what one thread submits, cancellation, and threads that stop.
#include "model/sequence/scenarios.hpp"
#include "support/thorough.hpp"

namespace weft {

using test::explore_thoroughly;

TEST(sequence_cancelled, a_task_that_is_not_wanted_gives_its_turn_on) {
    explore_thoroughly("sequence: cancelled in the queue", test::cancelled_in_the_queue);
}
TEST(sequence_cancelled, a_task_may_be_cancelled_at_any_moment) {
    explore_thoroughly("sequence: cancelled meanwhile", test::cancelled_meanwhile);
}
TEST(sequence_lane, what_one_thread_submits_stays_in_order) {
    explore_thoroughly("sequence: submitted in order", test::submitted_in_order);
}
TEST(sequence_lane, several_wait_in_a_lane_in_order) {
    explore_thoroughly("sequence: three in order", test::three_in_order);
}
TEST(sequence_lane, after_a_flush_others_come_later) {
    explore_thoroughly("sequence: flushed", test::flushed);
}

} // namespace weft
