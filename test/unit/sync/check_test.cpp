#include <weft/detail/sync/check.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <string>

namespace weft::inline v0::sync {
namespace {

class check : public testing::Test {
protected:
    void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(check, what_holds_passes) {
    WEFT_CHECK(true, "never said");
    int value = 0;
    int* const somewhere = &value;
    WEFT_CHECK(somewhere, "any condition will do that an if would take");
}

TEST_F(check, is_an_expression) {
    const bool chosen = true;
    chosen ? WEFT_CHECK(chosen, "never said") : void();
    if (chosen) WEFT_CHECK(chosen, "never said");
    else WEFT_CHECK(!chosen, "never said");
}

TEST_F(check, a_failure_says_what_and_where_and_aborts) {
    EXPECT_EXIT(check_failed("the sky has fallen", "sky.cpp", 12), testing::KilledBySignal(SIGABRT),
                R"(weft: the sky has fallen \(sky\.cpp:12\))");
}

#ifdef WEFT_CHECKED

TEST_F(check, what_does_not_hold_ends_the_program_with_message_file_and_line) {
    const std::string line = std::to_string(__LINE__ + 1);
    const auto violate = [] { WEFT_CHECK(1 > 2, "one is not more than two"); };
    EXPECT_EXIT(violate(), testing::KilledBySignal(SIGABRT),
                R"(weft: one is not more than two \(.*check_test\.cpp:)" + line + R"(\))");
}

TEST_F(check, the_condition_is_looked_at_once) {
    int looks = 0;
    WEFT_CHECK(++looks == 1, "looked at more than once");
    EXPECT_EQ(looks, 1);
}

#else

TEST_F(check, without_checks_the_condition_is_not_looked_at) {
    int looks = 0;
    WEFT_CHECK(++looks == 2, "never said");
    EXPECT_EQ(looks, 0);
}

#endif

} // namespace
} // namespace weft::inline v0::sync
