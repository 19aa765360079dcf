#include "stage/child.hpp"

#include <gtest/gtest.h>

namespace weft::demo {
namespace {

child_report shell(const char* script, const child_limits& limits = {}) {
    return run_child({"sh", "-c", script}, limits);
}

TEST(child, one_that_ends_has_its_output) {
    const child_report found = shell("echo here; echo there >&2");
    EXPECT_EQ(found.ending, ending::completed);
    EXPECT_EQ(found.output, "here\n");
    EXPECT_EQ(found.reason, "");
}

TEST(child, one_that_fails_says_why) {
    const child_report found = shell("echo no such luck >&2; exit 3");
    EXPECT_EQ(found.ending, ending::failed);
    EXPECT_EQ(found.reason, "exit code 3: no such luck");
    EXPECT_EQ(shell("kill -SEGV $$").reason, "Segmentation fault");
}

TEST(child, what_an_exception_said_is_found) {
    const child_report found =
        shell("printf 'terminate called\\n  what():  out of luck\\n' >&2; exit 134");
    EXPECT_EQ(found.reason, "exit code 134: out of luck");
}

TEST(child, one_that_stands_still_is_ended) {
    const child_report found = shell("exec sleep 3600", {.seconds = 30, .asleep = 0.3});
    EXPECT_EQ(found.ending, ending::stalled);
}

TEST(child, one_that_may_sleep_is_left_alone) {
    EXPECT_EQ(shell("exec sleep 0.5", {.seconds = 30, .asleep = 0}).ending, ending::completed);
}

TEST(child, one_that_never_ends_is_ended) {
    const child_report found = shell("while :; do :; done", {.seconds = 1, .asleep = 10});
    EXPECT_EQ(found.ending, ending::too_long);
    EXPECT_GT(found.cpu_seconds, 0);
}

TEST(child, one_with_too_many_threads_is_ended) {
    const child_report found = shell("exec sleep 3600", {.seconds = 30, .asleep = 0, .threads = 0});
    EXPECT_EQ(found.ending, ending::too_many_threads);
}

TEST(child, a_program_that_is_not_there_fails) {
    EXPECT_EQ(run_child({"/nowhere/at/all"}, {}).ending, ending::failed);
}

} // namespace
} // namespace weft::demo
