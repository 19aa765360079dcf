// Cancellation, and the order of what one thread submits.
#include "model/resource/scenarios.hpp"
#include "support/thorough.hpp"

namespace weft {

using test::explore_thoroughly;

TEST(resource_cancelled, a_cancelled_task_passes_its_turn_on) {
    explore_thoroughly("resource: cancelled in the queue", test::cancelled_in_the_queue);
}
TEST(resource_cancelled, a_task_may_be_cancelled_at_any_moment) {
    explore_thoroughly("resource: cancelled meanwhile", test::cancelled_meanwhile);
}
TEST(resource_lane, what_one_thread_submits_stays_in_order) {
    explore_thoroughly("resource: submitted in order", test::submitted_in_order);
}
TEST(resource_lane, several_wait_in_a_lane_in_order) {
    explore_thoroughly("resource: three in order", test::three_in_order);
}
TEST(resource_lane, after_waiting_for_enqueued_others_come_later) {
    explore_thoroughly("resource: enqueued first", test::enqueued_first);
}

} // namespace weft
