// The queue protocol where every resource is exclusive.
#include "model/resource/scenarios.hpp"
#include "support/thorough.hpp"

namespace weft {

using test::explore_thoroughly;

TEST(resource_exclusive, one_after_the_other) {
    explore_thoroughly("resource: two for one", test::two_for_one);
}
TEST(resource_exclusive, three_one_after_the_other) {
    explore_thoroughly("resource: three for one", test::three_for_one);
}
TEST(resource_exclusive, two_tasks_are_in_one_order_everywhere) {
    explore_thoroughly("resource: two for two", test::two_for_two);
}
TEST(resource_exclusive, two_tasks_are_in_one_order_on_three) {
    explore_thoroughly("resource: two for three", test::two_for_three);
}
TEST(resource_exclusive, a_circle_of_tasks_ends) {
    explore_thoroughly("resource: three in a circle", test::three_in_a_circle);
}
TEST(resource_exclusive, three_tasks_on_two_resources_are_in_one_order) {
    explore_thoroughly("resource: three on two", test::three_on_two);
}
TEST(resource_exclusive, a_resource_named_twice_is_entered_once) {
    explore_thoroughly("resource: named twice", test::named_twice);
}

} // namespace weft
