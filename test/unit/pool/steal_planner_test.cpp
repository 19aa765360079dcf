#include "pool/steal_planner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace weft::inline v0::detail {
namespace {

using sizes = std::vector<std::size_t>;

/// Queues and hungry flags of workers, without any thread.
struct pretended_pool {
    sizes queues;
    steal_planner planner;
    sizes woken;

    pretended_pool(sizes queued, planning when, const sizes& hungry, std::size_t stand_ins = 0)
        : queues{std::move(queued)}, planner{queues.size() - stand_ins, stand_ins, when} {
        for (const std::size_t each : hungry) planner.orders.owner_set_hungry(each, true);
    }
    std::size_t plan() {
        return planner.try_plan([this](std::size_t each) { return queues[each]; },
                                [this](std::size_t each) { woken.push_back(each); });
    }
    /// Every worker carries out its order.
    void carry_out() {
        sizes all(queues.size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        carry_out(all);
    }
    void carry_out(const sizes& workers) {
        for (const std::size_t each : workers) {
            const steal_order order = planner.orders.owner_take(each);
            const std::size_t count = std::min(order.count(), queues[order.victim()]);
            queues[order.victim()] -= count;
            queues[each] += count;
            if (count != 0) planner.orders.owner_set_hungry(each, false);
        }
    }
};

TEST(steal_order, holds_a_victim_and_a_number) {
    const steal_order some{70'000, 33};
    EXPECT_TRUE(some);
    EXPECT_EQ(some.victim(), 70'000U);
    EXPECT_EQ(some.count(), 33U);
    EXPECT_FALSE(steal_order{});
    EXPECT_EQ((steal_order{1, 1'000'000}.count()), steal_order::most);
}

TEST(steal_orders, are_taken_once) {
    steal_orders orders{2};
    ASSERT_TRUE(orders.try_begin_plan());
    EXPECT_FALSE(orders.try_begin_plan());
    orders.give(1, {0, 5});
    orders.end_plan();
    EXPECT_FALSE(orders.owner_take(0));
    EXPECT_EQ(orders.owner_take(1).count(), 5U);
    EXPECT_FALSE(orders.owner_take(1));
    EXPECT_TRUE(orders.try_begin_plan());
}

TEST(steal_planner, serves_all_hungry_workers_from_one_queue) {
    pretended_pool some{{0, 99, 0, 0}, planning::when_many_are_idle, {0, 2, 3}};
    EXPECT_EQ(some.plan(), 3U);
    EXPECT_EQ(some.woken, (sizes{0, 2, 3}));
    some.carry_out();
    EXPECT_EQ(some.queues, (sizes{25, 24, 25, 25})); // one of those of the second runs
}

TEST(steal_planner, leaves_out_busy_workers_that_have_nothing_queued) {
    pretended_pool some{{20, 0, 0, 0}, planning::when_many_are_idle, {3}};
    EXPECT_EQ(some.plan(), 1U);
    some.carry_out();
    EXPECT_EQ(some.queues, (sizes{10, 0, 0, 10}));
}

TEST(steal_planner, does_nothing_when_few_are_idle_or_there_is_little_to_do) {
    EXPECT_EQ((pretended_pool{{9, 9, 9, 9, 9, 9, 9, 0}, planning::when_many_are_idle, {7}}.plan()),
              0U);
    EXPECT_EQ((pretended_pool{{2, 0, 0, 0}, planning::when_many_are_idle, {1, 2}}.plan()), 0U);
    EXPECT_EQ((pretended_pool{{0, 0, 0, 0}, planning::when_many_are_idle, {0, 1, 2, 3}}.plan()),
              0U);
}

TEST(steal_planner, has_the_counts_of_the_paper) {
    const std::vector<std::pair<sizes, sizes>> known{
        {{4, 0, 0}, {2, 1, 1}}, {{4, 0, 1}, {2, 2, 1}}, {{2, 2, 0}, {2, 1, 1}},
        {{2, 1, 0}, {1, 1, 1}}, {{2, 0, 0}, {1, 1, 0}},
    };
    for (const auto& [before, after] : known) {
        pretended_pool some{before, planning::when_one_is_idle, {}};
        EXPECT_GT(some.plan(), 0U);
        some.carry_out();
        EXPECT_EQ(some.queues, after);
        EXPECT_EQ(some.plan(), 0U);
    }
}

TEST(steal_planner, does_not_plan_again_what_is_under_way) {
    for (const planning when : {planning::when_many_are_idle, planning::when_one_is_idle}) {
        pretended_pool some{{40, 0, 0, 0}, when, {1, 2, 3}};
        EXPECT_EQ(some.plan(), 3U);
        EXPECT_EQ(some.plan(), 0U);
    }
}

TEST(steal_planner, forgets_an_order_whose_victim_has_nothing_left) {
    pretended_pool some{{40, 0, 0, 0}, planning::when_many_are_idle, {1, 2, 3}};
    EXPECT_EQ(some.plan(), 3U);
    some.queues = {0, 0, 0, 60};
    some.planner.orders.owner_set_hungry(3, false);
    some.planner.orders.owner_set_hungry(0, true);
    EXPECT_EQ(some.plan(), 3U);
    EXPECT_EQ(some.planner.orders.look(1).victim(), 3U);
}

/// A worker that has found something else meanwhile may be busy for long: others fetch its part.
TEST(steal_planner, forgets_an_order_of_a_busy_worker) {
    pretended_pool some{{40, 0, 0, 0}, planning::when_many_are_idle, {1, 2, 3}};
    EXPECT_EQ(some.plan(), 3U);
    some.planner.orders.owner_set_hungry(3, false);
    some.carry_out({1, 2});
    some.queues = {20, 0, 0, 0};
    some.planner.orders.owner_set_hungry(1, true);
    some.planner.orders.owner_set_hungry(2, true);
    EXPECT_EQ(some.plan(), 2U);
    some.carry_out({1, 2});
    EXPECT_EQ(some.queues, (sizes{6, 7, 7, 0}));
}

/// It may have fallen asleep over an order that came too late, and there are tasks for it again.
TEST(steal_planner, wakes_workers_that_have_an_order_again) {
    pretended_pool some{{40, 0, 0, 0}, planning::when_many_are_idle, {1, 2, 3}};
    EXPECT_EQ(some.plan(), 3U);
    some.woken.clear();
    EXPECT_EQ(some.plan(), 0U);
    EXPECT_EQ(some.woken, (sizes{1, 2, 3}));
}

/// Stand-ins do not add workers, and mostly wait on standby.
TEST(steal_planner, does_not_count_stand_ins_on_standby) {
    pretended_pool many{{40, 0, 0, 0, 0, 0, 0, 0, 0}, planning::when_many_are_idle, {1}, 7};
    EXPECT_TRUE(many.planner.may_pay(1));
    EXPECT_EQ(many.plan(), 1U);
    pretended_pool exact{{4, 0, 0, 0}, planning::when_one_is_idle, {1}, 2};
    EXPECT_EQ(exact.plan(), 1U);
    exact.carry_out();
    EXPECT_EQ(exact.queues, (sizes{2, 2, 0, 0}));
}

TEST(steal_planner, counts_stand_ins_that_work_or_have_tasks) {
    pretended_pool working{{4, 0, 0, 0}, planning::when_one_is_idle, {2}, 2};
    EXPECT_EQ(working.plan(), 2U);
    working.carry_out();
    EXPECT_EQ(working.queues, (sizes{2, 1, 1, 0}));
    pretended_pool leaving{{0, 0, 4, 0}, planning::when_one_is_idle, {0, 1}, 2};
    EXPECT_EQ(leaving.plan(), 2U);
    EXPECT_EQ(leaving.planner.orders.look(0).victim(), 2U);
}

TEST(steal_planner, counts_what_is_ordered_as_fetched) {
    pretended_pool some{{40, 0, 0, 0}, planning::when_many_are_idle, {1, 2, 3}};
    some.planner.orders.give(1, {0, 20});
    EXPECT_EQ(some.plan(), 2U);
    EXPECT_EQ(some.planner.orders.look(2).count(), 10U);
    EXPECT_EQ(some.planner.orders.look(3).count(), 10U);
}

TEST(steal_planner, does_not_count_workers_that_have_an_order_as_idle) {
    pretended_pool some{{40, 9, 9, 9, 9, 9, 0, 0}, planning::when_many_are_idle, {6, 7}};
    some.planner.orders.give(6, {0, 5});
    EXPECT_EQ(some.plan(), 0U) << "one of eight is idle";
}

TEST(steal_planner, gives_each_one_order_at_a_time) {
    pretended_pool some{{3, 3, 0}, planning::when_one_is_idle, {2}};
    EXPECT_EQ(some.plan(), 1U);
    EXPECT_EQ(some.planner.orders.look(2).victim(), 0U);
    EXPECT_EQ(some.planner.orders.look(2).count(), 1U);
}

TEST(steal_planner, pays_for_one_that_is_idle_or_for_a_quarter) {
    const steal_planner exact{8, 0, planning::when_one_is_idle};
    EXPECT_TRUE(exact.may_pay(1));
    const steal_planner hybrid{8, 0, planning::when_many_are_idle};
    EXPECT_FALSE(hybrid.may_pay(1));
    EXPECT_TRUE(hybrid.may_pay(2));
}

TEST(steal_planner, is_one_at_a_time) {
    pretended_pool some{{40, 0}, planning::when_one_is_idle, {1}};
    ASSERT_TRUE(some.planner.orders.try_begin_plan());
    EXPECT_EQ(some.plan(), 0U);
    some.planner.orders.end_plan();
    EXPECT_EQ(some.plan(), 1U);
}

} // namespace
} // namespace weft::inline v0::detail
