#include "stage/table.hpp"

#include <gtest/gtest.h>

namespace weft::demo {
namespace {

TEST(table, figures_are_printed_in_units_that_people_read) {
    EXPECT_EQ(in_words(0.0123, "s"), "12.3 ms");
    EXPECT_EQ(in_words(2.5, "s"), "2.50 s");
    EXPECT_EQ(in_words(1234, "µs"), "1.23 ms");
    EXPECT_EQ(in_words(0, "µs"), "0 ns");
    EXPECT_EQ(in_words(1.5e6, "runs/s"), "1.50 M/s");
    EXPECT_EQ(in_words(200, "% of a CPU"), "200 % of a CPU");
    EXPECT_EQ(in_words(69, ""), "69");
}

} // namespace
} // namespace weft::demo
