#include "resource/lane.hpp"
#include "unit/resource/reader.hpp"

#include <weft/detail/resource/resource_queue.hpp>
#include <weft/detail/resource/ticket.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace weft::inline v0::detail {
namespace {

using test::reader;

/// The memory around them shows whether the order of the sort is strict: if it is not, a sort goes
/// beyond its end.
TEST(arrange_alone, many_equal_claims_become_one) {
    std::array<resource_word, 2> words;
    std::array<claim, 300> memory{};
    memory.fill({.word = &words[1], .weight = 0});
    memory[0].word = &words[0];
    const std::span<claim> claims = std::span{memory}.subspan(100, 100);
    for (claim& each : claims) each.weight = 1;
    EXPECT_EQ(arrange(claims), 1U);
    EXPECT_EQ(claims[0].word, &words[1]);
    EXPECT_EQ(claims[0].weight, 1U);
    for (std::size_t i = 0; i < 100; ++i) {
        EXPECT_EQ(memory[i].weight, 0U);
        EXPECT_EQ(memory[200 + i].weight, 0U);
    }
}

TEST(arrange_alone, the_strongest_claim_of_a_resource_is_kept) {
    std::array<resource_word, 2> words;
    for (const std::size_t count : {2U, 3U}) {
        std::array<claim, 3> claims{claim{&words[1], 1}, claim{&words[1], 3}, claim{&words[0], 2}};
        ASSERT_EQ(arrange(std::span{claims}.first(count)), count - 1);
        EXPECT_EQ(claims[count - 2].word, &words[1]);
        EXPECT_EQ(claims[count - 2].weight, 3U);
    }
}

/// Of several claims on one resource the strongest is kept; the order is that of the addresses.
TEST(arrange, keeps_the_strongest_claim_of_each_resource_in_the_order_of_addresses) {
    std::array<limit_word, 2> words{limit_word{9}, limit_word{9}};
    std::array<claim, 2> same{claim{&words[0], 1}, claim{&words[0], 9}};
    ASSERT_EQ(arrange(same), 1U);
    EXPECT_EQ(same[0].weight, 9U);
    std::array<claim, 2> swapped{claim{&words[1], 1}, claim{&words[0], 2}};
    ASSERT_EQ(arrange(swapped), 2U);
    EXPECT_EQ(swapped[0].word, &words[0]);
    EXPECT_EQ(swapped[1].word, &words[1]);
    std::array<claim, 4> several{claim{&words[1], 3}, claim{&words[0], 1}, claim{&words[1], 4},
                                 claim{&words[0], 2}};
    ASSERT_EQ(arrange(several), 2U);
    EXPECT_EQ(several[0].word, &words[0]);
    EXPECT_EQ(several[0].weight, 2U);
    EXPECT_EQ(several[1].word, &words[1]);
    EXPECT_EQ(several[1].weight, 4U);
    EXPECT_EQ(arrange(std::span<claim>{}), 0U);
}

TEST(limit_word, is_idle_when_its_queue_is_empty_and_all_credits_are_there) {
    limit_word word{1};
    queue_entry entry;
    entry.weight = 1;
    EXPECT_TRUE(word.idle());
    ASSERT_EQ(word.enter(entry), nullptr);
    EXPECT_FALSE(word.idle()) << "an entry has not taken its credit yet";
    ASSERT_TRUE(word.try_take(entry));
    ASSERT_TRUE(word.try_leave(entry));
    EXPECT_FALSE(word.idle()) << "a credit was not given back";
    ASSERT_EQ(word.give_back(1), nullptr);
    EXPECT_TRUE(word.idle());
}

TEST(ticket, that_finds_its_last_queue_empty_suspends_none_there) {
    std::array<limit_word, 3> limits{limit_word{9}, limit_word{9}, limit_word{9}};
    std::string order;
    reader<2> slow{order, 's', {&limits[0], &limits[1]}};
    reader<1> behind{order, 'b', {&limits[1]}};
    reader<1> next{order, 'n', {&limits[2]}};
    lane of_slow;
    lane of_other;
    slow.while_settling = [&] {
        behind.own_ticket.submit(of_other);
        next.own_ticket.submit(of_other);
        EXPECT_EQ(order, "n") << "the lane is idle";
    };
    slow.own_ticket.submit(of_slow);
    EXPECT_EQ(order, "nbs");
}

TEST(ticket, that_follows_a_settled_one_leaves_its_lane_idle) {
    std::array<limit_word, 3> limits{limit_word{1}, limit_word{9}, limit_word{9}};
    std::string order;
    std::optional<reader<1>> first;
    first.emplace(order, '1', std::array{&limits[0]});
    std::optional<reader<1>> second; // waits for the credit
    second.emplace(order, '2', std::array{&limits[0]});
    reader<2> last{order, 'l', {&limits[0], &limits[1]}};
    reader<1> next{order, 'n', {&limits[2]}};
    lane own;
    first->own_ticket.submit(own);
    second->own_ticket.submit(own);
    last.while_settling = [&] {
        next.own_ticket.submit(own);
        EXPECT_EQ(order, "1n");
    };
    last.own_ticket.submit(own);
    first.reset();
    second.reset();
    EXPECT_EQ(order, "1n2l");
}

TEST(ticket, that_waits_in_a_lane_waits_for_all_before_it) {
    std::array<limit_word, 7> limits{limit_word{9}, limit_word{9}, limit_word{9}, limit_word{9},
                                     limit_word{9}, limit_word{9}, limit_word{9}};
    std::string order;
    reader<3> slow{order, 's', {&limits[0], &limits[1], &limits[2]}};
    reader<3> quick{order, 'q', {&limits[3], &limits[4], &limits[5]}};
    reader<1> first{order, '1', {&limits[4]}};
    reader<1> second{order, '2', {&limits[1]}};
    reader<1> third{order, '3', {&limits[6]}};
    lane of_slow;
    lane of_quick;
    lane own;
    quick.while_settling = [&] {
        first.own_ticket.submit(own);
        second.own_ticket.submit(own);
        third.own_ticket.submit(own);
    };
    slow.while_settling = [&] {
        quick.own_ticket.submit(of_quick);
        EXPECT_EQ(order, "q1") << "the second one is suspended again";
    };
    slow.own_ticket.submit(of_slow);
    EXPECT_EQ(order, "q1s23");
}

/// Otherwise the follower would overtake it in the queues that it has not entered yet.
TEST(ticket, that_was_granted_while_it_grows_suspends_its_follower) {
    std::array<limit_word, 4> limits{limit_word{3}, limit_word{9}, limit_word{9}, limit_word{9}};
    std::string order;
    reader<3> slow{order, 's', {&limits[1], &limits[2], &limits[3]}};
    std::optional<reader<1>> first;
    first.emplace(order, '1', std::array{&limits[0]}, 3);
    reader<1> second{order, '2', {&limits[0]}}; // waits for a credit
    reader<2> growing{order, 'g', {&limits[0], &limits[2]}};
    reader<1> follower{order, 'f', {&limits[0]}};
    lane of_slow;
    lane of_growing;
    lane of_others;
    first->own_ticket.submit(of_others);
    second.own_ticket.submit(of_others);
    slow.while_settling = [&] {
        growing.own_ticket.submit(of_growing); // is suspended in the second queue
        first.reset();
        EXPECT_EQ(order, "12");
        EXPECT_EQ(growing.own_ticket.entries()[0].use, entry_use::has);
        EXPECT_EQ(growing.own_ticket.entries()[1].use, entry_use::waits);
        follower.own_ticket.submit(of_others);
        EXPECT_EQ(order, "12");
    };
    slow.own_ticket.submit(of_slow);
    EXPECT_EQ(order, "12sgf");
}

TEST(ticket, a_thread_that_submits_without_pause_delays_no_other) {
    std::array<limit_word, 4> limits{limit_word{9}, limit_word{9}, limit_word{9}, limit_word{9}};
    std::string order;
    reader<4> slow{order, 's', {&limits[0], &limits[1], &limits[2], &limits[3]}};
    reader<1> other{order, 'o', {&limits[1]}};
    reader<1> first{order, '1', {&limits[2]}};
    reader<1> second{order, '2', {&limits[2]}};
    reader<1> third{order, '3', {&limits[2]}};
    lane of_slow;
    lane of_other;
    lane of_busy;
    slow.while_settling = [&] {
        other.own_ticket.submit(of_other);
        first.own_ticket.submit(of_busy);
        second.own_ticket.submit(of_busy);
    };
    second.when_ready = [&] { third.own_ticket.submit(of_busy); };
    slow.own_ticket.submit(of_slow);
    EXPECT_EQ(order, "so123") << "each of these lanes has its turn";
}

} // namespace
} // namespace weft::inline v0::detail
