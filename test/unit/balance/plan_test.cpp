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

TEST(plan, every_plan_keeps_the_tasks_and_balances) {
    std::mt19937 random{1};
    for (int round = 0; round != 2000; ++round) {
        sizes before(1 + random() % 9);
        for (auto& each : before) each = random() % 7;
        const auto total = std::accumulate(before.begin(), before.end(), std::size_t{0});
        for (const auto plan : {multi_steal, balance_least}) {
            const sizes now = after(plan, before);
            EXPECT_EQ(std::accumulate(now.begin(), now.end(), std::size_t{0}), total);
            if (!needs_balance(before)) continue;
            const auto [least, most] = std::ranges::minmax(now);
            EXPECT_LE(most - least, 1U);
            EXPECT_FALSE(needs_balance(now));
        }
    }
}

TEST(plan, no_queue_that_has_a_task_is_left_without) {
    const sizes before{1, 0, 0, 0, 0, 0, 2, 3};
    for (const auto plan : {multi_steal, balance_least}) {
        const sizes now = after(plan, before);
        for (std::size_t each = 0; each != before.size(); ++each) {
            EXPECT_TRUE(before[each] == 0 || now[each] > 0);
        }
    }
}

TEST(plan, moves_are_blocks_that_lead_from_one_to_the_other) {
    const sizes before{9, 0, 3, 0};
    const sizes wanted = after(balance_least, before);
    std::vector<move> moves;
    moves_between(before, wanted, moves);
    EXPECT_EQ(moves, (std::vector<move>{{0, 1, 3}, {0, 3, 3}}));
    std::mt19937 random{2};
    for (int round = 0; round != 1000; ++round) {
        sizes start(1 + random() % 12);
        for (auto& each : start) each = random() % 20;
        const sizes planned = after(multi_steal, start);
        moves.clear();
        moves_between(start, planned, moves);
        sizes now = start;
        for (const move& each : moves) {
            ASSERT_GE(now[each.source], each.count);
            now[each.source] -= each.count;
            now[each.destination] += each.count;
        }
        EXPECT_EQ(now, planned);
        EXPECT_LT(moves.size(), start.size());
    }
}

TEST(plan, half_is_rounded_up_and_capped) {
    EXPECT_EQ(half_of(0), 0U);
    EXPECT_EQ(half_of(1), 1U);
    EXPECT_EQ(half_of(7), 4U);
    EXPECT_EQ(half_of(65536), 256U);
}

TEST(plan, a_plan_is_worth_it_when_many_are_idle_and_there_is_work_for_them) {
    EXPECT_TRUE(worth_a_plan(2, 8, 3));
    EXPECT_FALSE(worth_a_plan(2, 8, 2));
    EXPECT_FALSE(worth_a_plan(1, 8, 100));
    EXPECT_FALSE(worth_a_plan(0, 2, 100));
}

TEST(plan, no_queues_need_no_plan) {
    sizes none;
    for (const auto plan : {multi_steal, balance_least}) {
        plan(none);
        EXPECT_TRUE(none.empty());
    }
}

} // namespace
} // namespace weft::inline v0::balance
