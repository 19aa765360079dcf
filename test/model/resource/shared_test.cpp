// The queue protocol where several may have a resource at once.
#include "model/resource/scenarios.hpp"
#include "support/thorough.hpp"

namespace weft {

using test::explore_thoroughly;

TEST(resource_shared, a_writer_is_alone) {
    explore_thoroughly("resource: reader and writer", test::reader_and_writer);
}
TEST(resource_shared, a_writer_between_readers_is_alone) {
    explore_thoroughly("resource: readers and writer", test::readers_and_writer);
}
TEST(resource_shared, readers_are_together) {
    explore_thoroughly("resource: readers meet", test::readers_meet);
}
TEST(resource_shared, reading_and_writing_crosswise_ends) {
    explore_thoroughly("resource: crosswise", test::crosswise);
}
TEST(resource_shared, a_turn_is_passed_on_while_the_next_still_enters) {
    explore_thoroughly("resource: read together, write apart", test::read_together_write_apart);
}
TEST(resource_shared, weights_never_exceed_the_capacity) {
    explore_thoroughly("resource: weights", test::weights);
}
TEST(resource_shared, a_limit_and_a_resource_together_end) {
    explore_thoroughly("resource: limit and resource", test::limit_and_resource);
}

} // namespace weft
