#include "balance/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace weft::inline v0::balance {
namespace {

using sizes = std::vector<std::size_t>;

template <class Plan>
sizes after(Plan plan, sizes before) {
    plan(before);
    return before;
}

TEST(plan, multi_stealing_gives_the_vectors_of_the_paper) {
    const std::vector<std::pair<sizes, sizes>> known{
        {{4, 0, 0}, {2, 1, 1}}, {{4, 0, 4}, {3, 3, 2}},
        {{4, 0, 1}, {2, 2, 1}}, {{2, 2, 0}, {2, 1, 1}},
        {{2, 1, 0}, {1, 1, 1}}, {{2, 0, 1}, {1, 1, 1}},
        {{2, 0, 0}, {1, 1, 0}}, {{1, 0, 0, 0, 0, 0, 2, 3}, {1, 1, 1, 1, 0, 0, 1, 1}},
    };
    for (const auto& [before, wanted] : known) EXPECT_EQ(after(multi_steal, before), wanted);
}

TEST(plan, the_rejected_rule_takes_from_those_who_have_little) {
    EXPECT_EQ(after(spread_evenly, {1, 3, 2, 0, 7, 9, 1, 4}), (sizes{4, 4, 4, 3, 3, 3, 3, 3}));
    EXPECT_EQ(after(spread_evenly, {1, 0, 0, 0, 0, 0, 2, 3}), (sizes{1, 1, 1, 1, 1, 1, 0, 0}));
}

TEST(plan, every_rule_keeps_the_tasks_and_balances) {
    std::mt19937 random{1};
    for (int round = 0; round != 2000; ++round) {
        sizes before(1 + random() % 9);
        for (auto& each : before) each = random() % 7;
        const auto total = std::accumulate(before.begin(), before.end(), std::size_t{0});
        for (const auto plan :
             {multi_steal, spread_evenly, balance_least, partial_multi_steal, single_steal}) {
            const sizes now = after(plan, before);
            EXPECT_EQ(std::accumulate(now.begin(), now.end(), std::size_t{0}), total);
        }
        if (!needs_balance(before)) continue;
        for (const auto plan : {multi_steal, spread_evenly, balance_least}) {
            const auto [least, most] = std::ranges::minmax(after(plan, before));
            EXPECT_LE(most - least, 1U);
        }
        EXPECT_FALSE(needs_balance(after(multi_steal, before)));
        EXPECT_FALSE(needs_balance(after(balance_least, before)));
        EXPECT_FALSE(needs_balance(after(partial_multi_steal, before)));
        EXPECT_LE(moved_between(before, after(balance_least, before)),
                  moved_between(before, after(multi_steal, before)));
    }
}

TEST(plan, nobody_who_has_a_task_is_left_without) {
    const sizes before{1, 0, 0, 0, 0, 0, 2, 3};
    for (const auto plan : {multi_steal, balance_least, partial_multi_steal, single_steal}) {
        const sizes now = after(plan, before);
        for (std::size_t each = 0; each != before.size(); ++each) {
            EXPECT_TRUE(before[each] == 0 || now[each] > 0);
        }
    }
}

TEST(plan, partial_stealing_leaves_single_tasks_alone) {
    EXPECT_EQ(after(partial_multi_steal, {5, 1, 0, 1}), (sizes{3, 1, 2, 1}));
}

TEST(plan, single_stealing_gives_one_to_each_of_the_first_victim) {
    EXPECT_EQ(after(single_steal, {9, 0, 0, 4}), (sizes{7, 1, 1, 4}));
    EXPECT_EQ(after(single_steal, {2, 0, 0, 2}), (sizes{1, 1, 1, 1}));
    EXPECT_EQ(after(single_steal, {1, 0}), (sizes{1, 0}));
}

TEST(plan, moves_are_blocks_that_lead_from_one_to_the_other) {
    const sizes before{9, 0, 3, 0};
    const sizes wanted = after(balance_least, before);
    std::vector<move> moves;
    moves_between(before, wanted, moves);
    EXPECT_EQ(moves, (std::vector<move>{{0, 1, 3}, {0, 3, 3}}));
    std::mt19937 random{2};
    for (int round = 0; round != 1000; ++round) {
        sizes from(1 + random() % 12);
        for (auto& each : from) each = random() % 20;
        const sizes to = after(multi_steal, from);
        moves.clear();
        moves_between(from, to, moves);
        sizes now = from;
        for (const move& each : moves) {
            ASSERT_GE(now[each.from], each.count);
            now[each.from] -= each.count;
            now[each.to] += each.count;
        }
        EXPECT_EQ(now, to);
        EXPECT_LT(moves.size(), from.size());
    }
}

TEST(plan, half_is_rounded_up_and_capped) {
    EXPECT_EQ(half_of(0), 0U);
    EXPECT_EQ(half_of(1), 1U);
    EXPECT_EQ(half_of(7), 4U);
    EXPECT_EQ(half_of(65536), 256U);
}

TEST(plan, the_richest_is_the_first_of_the_largest) {
    EXPECT_EQ(richest(sizes{0, 3, 5, 5}), 2U);
    EXPECT_EQ(richest(sizes{5, 3, 5, 0}, 1), 2U);
    EXPECT_EQ(richest(sizes{0, 0}), 2U);
}

TEST(plan, a_plan_is_worth_it_when_many_are_idle_and_there_is_work_for_them) {
    EXPECT_TRUE(worth_a_plan(2, 8, 3));
    EXPECT_FALSE(worth_a_plan(2, 8, 2));
    EXPECT_FALSE(worth_a_plan(1, 8, 100));
    EXPECT_FALSE(worth_a_plan(0, 2, 100));
}

TEST(plan, of_nothing_is_nothing) {
    sizes none;
    for (const auto plan :
         {multi_steal, spread_evenly, balance_least, partial_multi_steal, single_steal}) {
        plan(none);
        EXPECT_TRUE(none.empty());
    }
}

} // namespace
} // namespace weft::inline v0::balance
