#include "sim/stealing_rules.hpp"

#include "balance/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace weft::sim {
namespace {

using sizes = std::vector<std::size_t>;

template <class Rule>
sizes after(Rule rule, sizes before) {
    rule(before);
    return before;
}

TEST(stealing_rules, every_rule_keeps_the_tasks_and_balances) {
    std::mt19937 random{1};
    for (int round = 0; round != 2000; ++round) {
        sizes before(1 + random() % 9);
        for (auto& each : before) each = random() % 7;
        const auto total = std::accumulate(before.begin(), before.end(), std::size_t{0});
        for (const auto rule : {spread_evenly, partial_multi_steal, single_steal}) {
            const sizes now = after(rule, before);
            EXPECT_EQ(std::accumulate(now.begin(), now.end(), std::size_t{0}), total);
        }
        if (!balance::needs_balance(before)) continue;
        const auto [least, most] = std::ranges::minmax(after(spread_evenly, before));
        EXPECT_LE(most - least, 1U);
        EXPECT_FALSE(balance::needs_balance(after(partial_multi_steal, before)));
        EXPECT_LE(moved_between(before, after(balance::balance_least, before)),
                  moved_between(before, after(balance::multi_steal, before)));
    }
}

TEST(stealing_rules, no_queue_that_has_a_task_is_left_without) {
    const sizes before{1, 0, 0, 0, 0, 0, 2, 3};
    for (const auto rule : {partial_multi_steal, single_steal}) {
        const sizes now = after(rule, before);
        for (std::size_t each = 0; each != before.size(); ++each) {
            EXPECT_TRUE(before[each] == 0 || now[each] > 0);
        }
    }
}

TEST(stealing_rules, the_rejected_rule_takes_from_queues_that_have_little) {
    EXPECT_EQ(after(spread_evenly, {1, 3, 2, 0, 7, 9, 1, 4}), (sizes{4, 4, 4, 3, 3, 3, 3, 3}));
    EXPECT_EQ(after(spread_evenly, {1, 0, 0, 0, 0, 0, 2, 3}), (sizes{1, 1, 1, 1, 1, 1, 0, 0}));
}

TEST(stealing_rules, partial_stealing_leaves_single_tasks_alone) {
    EXPECT_EQ(after(partial_multi_steal, {5, 1, 0, 1}), (sizes{3, 1, 2, 1}));
}

TEST(stealing_rules, single_stealing_gives_each_idle_queue_one_task_of_the_first_victim) {
    EXPECT_EQ(after(single_steal, {9, 0, 0, 4}), (sizes{7, 1, 1, 4}));
    EXPECT_EQ(after(single_steal, {2, 0, 0, 2}), (sizes{1, 1, 1, 1}));
    EXPECT_EQ(after(single_steal, {1, 0}), (sizes{1, 0}));
}

TEST(stealing_rules, the_richest_is_the_first_of_the_largest) {
    EXPECT_EQ(richest_queue(sizes{0, 3, 5, 5}), 2U);
    EXPECT_EQ(richest_queue(sizes{5, 3, 5, 0}, 1), 2U);
    EXPECT_EQ(richest_queue(sizes{0, 0}), 2U);
}

TEST(stealing_rules, no_queues_need_no_rule) {
    sizes none;
    for (const auto rule : {spread_evenly, partial_multi_steal, single_steal}) {
        rule(none);
        EXPECT_TRUE(none.empty());
    }
}

} // namespace
} // namespace weft::sim
