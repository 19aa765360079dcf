// The queue protocol where every resource is exclusive.
#include "model/sequence/scenarios.hpp"
#include "support/thorough.hpp"

namespace weft {

using test::explore_thoroughly;

TEST(sequence_exclusive, one_after_the_other) {
    explore_thoroughly("sequence: two for one", test::two_for_one);
}
TEST(sequence_exclusive, three_one_after_the_other) {
    explore_thoroughly("sequence: three for one", test::three_for_one);
}
TEST(sequence_exclusive, two_tasks_are_in_one_order_everywhere) {
    explore_thoroughly("sequence: two for two", test::two_for_two);
}
TEST(sequence_exclusive, two_tasks_are_in_one_order_on_three) {
    explore_thoroughly("sequence: two for three", test::two_for_three);
}
TEST(sequence_exclusive, a_circle_of_tasks_ends) {
    explore_thoroughly("sequence: three in a circle", test::three_in_a_circle);
}
TEST(sequence_exclusive, three_tasks_on_two_resources_are_in_one_order) {
    explore_thoroughly("sequence: three on two", test::three_on_two);
}
TEST(sequence_exclusive, a_resource_named_twice_is_entered_once) {
    explore_thoroughly("sequence: named twice", test::named_twice);
}

} // namespace weft
