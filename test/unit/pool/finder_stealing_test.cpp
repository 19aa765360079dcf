// What a worker takes from others, at random and by plan, and which workers are woken when work
// moves.
#include "unit/pool/finder_scene.hpp"

#include "support/sleeping_workers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace weft::finder_test {
namespace {

struct all_stealing final : stealing_policy {
    [[nodiscard]] std::size_t amount(std::size_t available) const noexcept override {
        return available;
    }
};

TEST(finder_stealing, takes_as_many_from_a_victim_as_the_policy_says) {
    scene all{{.workers = 2, .stealing = std::make_shared<all_stealing>()}};
    for (const char* each : {"first", "second", "third"}) all.queue(1, each);
    EXPECT_EQ(all.search(0), "first");
    EXPECT_EQ(all[1].queues.normal.count(), 0U);
    EXPECT_EQ(all[0].queues.normal.count(), 2U);
}

/// Says a number, whatever there is.
struct fixed_stealing final : stealing_policy {
    std::size_t number;
    explicit fixed_stealing(std::size_t wanted) : number{wanted} {}
    [[nodiscard]] std::size_t amount(std::size_t /*available*/) const noexcept override {
        return number;
    }
};

TEST(finder_stealing, takes_one_task_at_least_and_no_more_than_there_are) {
    for (const std::size_t wanted : {0U, 1U, 2U, 100U}) {
        scene all{{.workers = 2, .stealing = std::make_shared<fixed_stealing>(wanted)}};
        for (const char* each : {"first", "second", "third"}) all.queue(1, each);
        EXPECT_EQ(all.search(0), "first");
        const std::size_t taken = std::clamp<std::size_t>(wanted, 1, 3);
        EXPECT_EQ(all[0].queues.normal.count(), taken - 1);
        EXPECT_EQ(all[1].queues.normal.count(), 3 - taken);
    }
}

TEST(finder_stealing, asks_the_policy_about_tasks_of_normal_priority_only) {
    scene all{{.workers = 2, .stealing = std::make_shared<all_stealing>()}};
    for (const char* each : {"first", "second"}) all.queue(1, each);
    all.queue(1, "high", priority::high);
    EXPECT_EQ(all.search(0), "high");
    EXPECT_EQ(all[1].queues.normal.count(), 2U);
}

TEST(finder_stealing, leaves_its_own_tasks_in_their_order_when_it_takes_the_oldest) {
    scene all{{.workers = 2, .stealing = std::make_shared<fixed_stealing>(2)}};
    for (const char* each : {"oldest", "second", "third"}) all.queue(0, each);
    std::string next;
    do {
        all.queue(0, "youngest");
        next = all.find_near(0);
    } while (next == "youngest");
    EXPECT_EQ(next, "oldest");
    EXPECT_EQ(all.find_left(0), "youngest");
    EXPECT_EQ(all.find_left(0), "third");
    EXPECT_EQ(all.find_left(0), "second");
}

TEST(finder_stealing, asks_a_victim_without_shared_children_for_some) {
    scene all;
    detail::worker& victim = all[1];
    victim.answer_alarm(nullptr);
    ASSERT_FALSE(victim.is_alarmed());
    EXPECT_EQ(all.search(0), "");
    EXPECT_TRUE(victim.is_alarmed());
}

TEST(finder_stealing, of_a_stand_in_takes_no_more_than_it_runs) {
    scene all{{.workers = 1, .extra_threads = 1, .stealing = std::make_shared<all_stealing>()}};
    for (const char* each : {"first", "second", "third"}) all.queue(0, each);
    EXPECT_EQ(all.search(1), "first");
    EXPECT_EQ(all[0].queues.normal.count(), 2U);
    EXPECT_EQ(all[1].queues.normal.count(), 0U);
}

TEST(finder_stealing, never_takes_itself_for_a_victim) {
    scene all{{.workers = 3}};
    EXPECT_EQ(all.search(1), "");
    EXPECT_EQ(all[1].counts.steals_tried.read(), detail::constants::search_rounds);
    all.share_child(1);
    EXPECT_EQ(all.search(1), "") << "a worker joins its own children, and does not steal them";
}

TEST(finder_stealing, asks_every_other_worker_eventually) {
    scene all{{.workers = 3}};
    for (const std::size_t victim : {std::size_t{0}, std::size_t{2}}) {
        all.queue(victim, "x");
        EXPECT_EQ(all.search(1), "x");
    }
}

// Plans

/// Of many workers, with a policy that plans.
struct planned_scene : scene {
    static constexpr std::size_t count = 8;
    planned_scene() : scene{{.workers = count, .stealing = std::make_shared<multi_stealing>()}} {}

    detail::steal_orders& orders() { return core().planner->orders; }
    void queue_numbered(std::size_t owner, int last) {
        for (int i = 1; i <= last; ++i) queue(owner, std::to_string(i));
    }
    [[nodiscard]] std::size_t queued(std::size_t owner) {
        return (*this)[owner].queues.normal.count();
    }
    [[nodiscard]] worker_statistics counted(std::size_t index) {
        return (*this)[index].counts.read();
    }
};

TEST(finder_stealing, carries_out_an_order_once) {
    planned_scene all;
    all.queue_numbered(7, 10);
    all.orders().give(0, {7, 3});
    EXPECT_EQ(all.search(0), "1") << "the oldest";
    EXPECT_EQ(all.queued(0), 2U);
    EXPECT_EQ(all.queued(7), 7U);
    EXPECT_FALSE(all.orders().look(0));
    EXPECT_EQ(all.counted(0).orders_carried, 1U);
    EXPECT_EQ(all.counted(0).steals_tried, 1U);
    EXPECT_EQ(all.counted(0).steals_won, 1U);
}

TEST(finder_stealing, takes_no_more_by_order_than_half_of_what_the_victim_has) {
    planned_scene all;
    all.queue_numbered(7, 5);
    all.orders().give(0, {7, 100});
    EXPECT_EQ(all.search(0), "1");
    EXPECT_EQ(all.queued(0), 2U);
    EXPECT_EQ(all.queued(7), 2U);
}

TEST(finder_stealing, takes_the_last_task_of_a_victim_by_order) {
    planned_scene all;
    all.queue(7, "last");
    all.orders().give(0, {7, 1});
    EXPECT_EQ(all.search(0), "last");
    EXPECT_EQ(all.counted(0).orders_carried, 1U);
}

TEST(finder_stealing, forgets_an_order_that_comes_too_late) {
    planned_scene all;
    all.orders().give(0, {7, 3});
    EXPECT_EQ(all.search(0), "");
    EXPECT_FALSE(all.orders().look(0));
    EXPECT_EQ(all.counted(0).orders_carried, 0U);
    EXPECT_EQ(all.counted(0).steals_won, 0U);
}

TEST(finder_stealing, takes_a_task_of_high_priority_before_those_of_its_order) {
    planned_scene all;
    all.queue_numbered(7, 10);
    all.queue(7, "high", priority::high);
    all.orders().give(0, {7, 3});
    EXPECT_EQ(all.search(0), "high");
    EXPECT_EQ(all.queued(7), 10U);
    EXPECT_EQ(all.counted(0).orders_carried, 0U);
    EXPECT_EQ(all.counted(0).steals_won, 1U);
}

TEST(finder_stealing, plans_for_all_that_are_hungry_and_carries_out_its_own_order) {
    planned_scene all;
    for (std::size_t each = 0; each < 3; ++each) all.orders().owner_set_hungry(each, true);
    all.queue_numbered(7, 19); // and one runs there: five for each of four
    EXPECT_EQ(all.search(0), "1");
    EXPECT_EQ(all.queued(0), 4U);
    EXPECT_EQ(all.counted(0).orders_given, 3U);
    EXPECT_EQ(all.counted(0).orders_carried, 1U);
    for (std::size_t each = 1; each < 3; ++each) {
        EXPECT_EQ(all.orders().look(each).victim(), 7U);
        EXPECT_EQ(all.orders().look(each).count(), 5U);
    }
}

TEST(finder_stealing, tries_one_victim_in_each_round_without_an_order) {
    planned_scene all;
    EXPECT_EQ(all.search(3), "");
    EXPECT_EQ(all.counted(3).steals_tried, detail::constants::search_rounds);
}

TEST(finder_stealing, wakes_each_worker_that_it_has_an_order_for) {
    planned_scene all;
    for (std::size_t each = 0; each < 3; ++each) all.orders().owner_set_hungry(each, true);
    all.queue_numbered(7, 19);
    EXPECT_EQ(test::count_woken(all.core(), {1, 2}, [&] { EXPECT_EQ(all.search(0), "1"); }), 2U);
}

TEST(finder_stealing, does_not_plan_while_most_workers_are_busy) {
    planned_scene all;
    detail::sleep_control& sleep = all.core().sleep;
    for (std::size_t each = 0; each < planned_scene::count; ++each) {
        sleep.come_back();
        sleep.end_search([] { return false; });
    }
    for (std::size_t each = 0; each < 3; ++each) all.orders().owner_set_hungry(each, true);
    all.queue_numbered(7, 19);
    EXPECT_EQ(all.search(0), "1") << "stolen";
    EXPECT_EQ(all.counted(0).orders_given, 0U);
}

// Work that is moved is in no queue for a while, and a worker that fell asleep then has missed it.

/// Whether `move` wakes worker 1.
bool is_woken_by(scene& all, const std::function<void()>& move) {
    return test::wakes_sleeper(all.core(), 1, move);
}

TEST(a_sleeper, is_woken_for_arrivals_that_were_moved) {
    for (const priority level : {priority::high, priority::normal, priority::low}) {
        scene all;
        all.arrive("first", level);
        EXPECT_FALSE(is_woken_by(all, [&] { EXPECT_EQ(all.search(0), "first"); }));
        all.arrive("second", level);
        all.arrive("third", level);
        EXPECT_TRUE(is_woken_by(all, [&] { EXPECT_EQ(all.search(0), "second"); }));
    }
}

TEST(a_sleeper, is_woken_for_stolen_tasks_that_were_moved) {
    scene all{{.workers = 3, .stealing = std::make_shared<all_stealing>()}};
    all.queue(2, "first");
    EXPECT_FALSE(is_woken_by(all, [&] { EXPECT_EQ(all.search(0), "first"); }));
    all.queue(2, "second");
    all.queue(2, "third");
    EXPECT_TRUE(is_woken_by(all, [&] { EXPECT_EQ(all.search(0), "second"); }));
}

TEST(a_sleeper, is_woken_for_children_that_are_shared) {
    scene all;
    EXPECT_TRUE(is_woken_by(all, [&] { all.share_child(0); }));
    EXPECT_EQ(all.search(1), "child of 0");
}

} // namespace
} // namespace weft::finder_test
