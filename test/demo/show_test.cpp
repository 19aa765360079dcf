#include "stage/show.hpp"
#include "stage/wire.hpp"

#include <gtest/gtest.h>

namespace weft::demo {
namespace {

/// Every act as this program does it.
show_report show_with(const char* program) {
    return run_show({.settings = {1, true}, .only = {"nested"}, .program = program});
}

TEST(show, an_act_of_weft_that_fails_is_reported) {
    const show_report found = show_with("false");
    ASSERT_EQ(found.broken.size(), 1U);
    EXPECT_EQ(found.broken.front(), "nested/weft: exit code 1");
    EXPECT_NE(write_report(found, {}).find("\"holds\": false"), std::string::npos);
}

TEST(show, an_act_that_returns_nothing_has_failed) {
    const show_report found = show_with("true");
    ASSERT_EQ(found.broken.size(), 1U);
    EXPECT_NE(found.broken.front().find("returned no valid result"), std::string::npos);
}

TEST(show, an_outcome_is_read_as_it_was_written) {
    const outcome written{{{"seconds", 0.25, "s"}},
                          {{"it holds", true}},
                          {{"curve", {{1, 2}, {3, 4.5}}}},
                          "digraph {\n}\n"};
    const outcome read = read_outcome(write_outcome(written));
    EXPECT_EQ(read.figures.front().value, 0.25);
    EXPECT_TRUE(read.checks.front().holds);
    EXPECT_EQ(read.curves.front().points, written.curves.front().points);
    EXPECT_EQ(read.drawing, written.drawing);
    EXPECT_THROW(static_cast<void>(read_outcome("{")), std::runtime_error);
}

TEST(show, every_workload_ends_with_weft_and_begins_with_another) {
    for (const workload& each : workloads()) {
        EXPECT_EQ(each.acts.back().name, "weft");
        EXPECT_NE(each.acts.front().origin, side::ours);
    }
}

} // namespace
} // namespace weft::demo
