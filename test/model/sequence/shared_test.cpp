// The queue protocol where several may have a resource at once.
#include "model/sequence/scenarios.hpp"
#include "support/thorough.hpp"

namespace weft {

using test::explore_thoroughly;

TEST(sequence_shared, a_writer_is_alone) {
    explore_thoroughly("sequence: reader and writer", test::reader_and_writer);
}
TEST(sequence_shared, a_writer_between_readers_is_alone) {
    explore_thoroughly("sequence: readers and writer", test::readers_and_writer);
}
TEST(sequence_shared, readers_are_together) {
    explore_thoroughly("sequence: readers meet", test::readers_meet);
}
TEST(sequence_shared, reading_and_writing_crosswise_ends) {
    explore_thoroughly("sequence: crosswise", test::crosswise);
}
TEST(sequence_shared, a_turn_is_given_on_while_the_next_still_enters) {
    explore_thoroughly("sequence: read together, write apart", test::read_together_write_apart);
}
TEST(sequence_shared, weights_never_exceed_the_capacity) {
    explore_thoroughly("sequence: weights", test::weights);
}
TEST(sequence_shared, a_limit_and_a_resource_together_end) {
    explore_thoroughly("sequence: limit and resource", test::limit_and_resource);
}

} // namespace weft
