#include <weft/error.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace weft {
namespace {

static_assert(std::is_base_of_v<std::runtime_error, error>);
static_assert(std::is_nothrow_copy_constructible_v<error>);
static_assert(std::is_nothrow_copy_assignable_v<error>);

constexpr std::uint8_t past_the_last = 1 + static_cast<std::uint8_t>(errc::checkpoint_failed);

std::vector<errc> all_codes() {
    std::vector<errc> codes;
    codes.reserve(past_the_last);
    for (std::uint8_t value = 0; value < past_the_last; ++value) {
        codes.push_back(static_cast<errc>(value));
    }
    return codes;
}

constexpr std::string_view some_call = "weft::pool::submit";

TEST(errc, each_code_has_a_name_of_its_own) {
    std::set<std::string_view> names;
    for (const errc code : all_codes()) {
        EXPECT_FALSE(name_of(code).empty());
        EXPECT_TRUE(names.insert(name_of(code)).second) << name_of(code);
    }
    EXPECT_FALSE(names.contains("unknown"));
}

TEST(errc, each_code_has_a_description_of_its_own) {
    std::set<std::string_view> descriptions;
    for (const errc code : all_codes()) {
        EXPECT_FALSE(describe(code).empty()) << name_of(code);
        EXPECT_TRUE(descriptions.insert(describe(code)).second) << name_of(code);
    }
}

TEST(errc, a_name_is_what_stands_in_code) {
    EXPECT_EQ(name_of(errc::invalid_argument), "invalid_argument");
    EXPECT_EQ(name_of(errc::outside_pool), "outside_pool");
    EXPECT_EQ(name_of(errc::stopped), "stopped");
    EXPECT_EQ(name_of(errc::not_run), "not_run");
    EXPECT_EQ(name_of(errc::cancelled), "cancelled");
    EXPECT_EQ(name_of(errc::would_deadlock), "would_deadlock");
    EXPECT_EQ(name_of(errc::stack_exhausted), "stack_exhausted");
    EXPECT_EQ(name_of(errc::full), "full");
    EXPECT_EQ(name_of(errc::overweight), "overweight");
    EXPECT_EQ(name_of(errc::broken), "broken");
    EXPECT_EQ(name_of(errc::no_thread), "no_thread");
    EXPECT_EQ(name_of(errc::rank_failed), "rank_failed");
    EXPECT_EQ(name_of(errc::rank_mismatch), "rank_mismatch");
    EXPECT_EQ(name_of(errc::checkpoint_failed), "checkpoint_failed");
    EXPECT_EQ(name_of(errc::timed_out), "timed_out");
}

TEST(errc, a_value_that_is_no_code_is_said_to_be_unknown) {
    // The first of them also shows that no code was added which these tests do not cover.
    for (const std::uint8_t value : {past_the_last, std::uint8_t{255}}) {
        const auto code = std::bit_cast<errc>(value);
        EXPECT_EQ(name_of(code), "unknown");
        EXPECT_FALSE(describe(code).empty());
    }
}

TEST(error, the_message_names_the_call_the_description_and_the_code) {
    for (const errc code : all_codes()) {
        const error thrown{code, some_call};
        const std::string_view message = thrown.what();
        EXPECT_TRUE(message.starts_with(some_call)) << message;
        EXPECT_NE(message.find(describe(code)), std::string_view::npos) << message;
        EXPECT_NE(message.find(name_of(code)), std::string_view::npos) << message;
    }
}

TEST(error, the_message_keeps_a_call_that_is_gone) {
    std::string call{some_call};
    const error thrown{errc::full, call};
    call.assign(call.size(), '?');
    EXPECT_TRUE(std::string_view{thrown.what()}.starts_with(some_call)) << thrown.what();
}

TEST(error, the_code_is_the_one_given) {
    for (const errc code : all_codes()) EXPECT_EQ(error(code, some_call).code(), code);
}

TEST(error, is_caught_as_itself_and_as_what_it_derives_from) {
    EXPECT_THROW(throw error(errc::stopped, some_call), error);
    EXPECT_THROW(throw error(errc::stopped, some_call), std::runtime_error);
    EXPECT_THROW(throw error(errc::stopped, some_call), std::exception);
}

TEST(error, a_copy_says_the_same_after_the_original_is_gone) {
    error copy{errc::broken, "another call"};
    std::string said;
    {
        const error original{errc::overweight, some_call};
        said = original.what();
        const error constructed{original};
        EXPECT_EQ(constructed.code(), original.code());
        EXPECT_EQ(said, constructed.what());
        copy = original;
    }
    EXPECT_EQ(copy.code(), errc::overweight);
    EXPECT_EQ(said, copy.what());
}

} // namespace
} // namespace weft
