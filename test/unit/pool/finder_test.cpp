// The order in which a worker looks for work, place by place.
#include "pool/finder.hpp"

#include "support/sleeper.hpp"
#include "support/unstarted_pool.hpp"

#include <weft/detail/fork_join/scoped_job.hpp>
#include <weft/detail/sync/model_constants.hpp>
#include <weft/pool.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace weft::finder_test {
namespace {

using detail::finding;
using detail::worker;

constexpr std::size_t fairness = detail::constants::picks_between_oldest;

/// A source that has work while somebody says so.
struct switched_source final : work_source {
    bool on = false;
    int told = 0;
    bool try_run() noexcept override { return std::exchange(on, false); }
    [[nodiscard]] bool has_work() const noexcept override { return on; }
    void pool_ended() noexcept override { ++told; }
};

/// A pool of two workers, or more, in whose places lie tasks with names.
class scene {
public:
    explicit scene(pool_options options = {.workers = 2}) : pool_{std::move(options)} {
        pool_.core().sources.attach(source);
    }
    ~scene() {
        while (search(0) != "") {
        }
        pool_.core().sources.detach(source);
    }
    scene(const scene&) = delete;
    scene& operator=(const scene&) = delete;

    void arrive(const std::string& name, priority level = priority::normal) {
        pool_.core().arrivals[level].push(&make(name));
    }
    void queue(std::size_t owner, const std::string& name, priority level = priority::normal) {
        pool_[owner].keep(make(name), level);
    }
    /// A child that this worker has forked and shared.
    void share_child(std::size_t owner) {
        detail::scoped_child* child = pool_[owner].scoped.owner_next();
        detail::scoped_job<void (*)()>::describe(*child, nothing_to_do_);
        pool_[owner].scoped.owner_push(child);
        pool_[owner].publish();
    }

    [[nodiscard]] bool has_work() { return pool_.core().has_work(); }
    [[nodiscard]] detail::pool_core& core() { return pool_.core(); }
    [[nodiscard]] worker& operator[](std::size_t index) { return pool_[index]; }

    /// What a worker finds, and takes away with it; nothing is "".
    std::string search(std::size_t index) { return name_of(finder(index).search()); }
    std::string find_near(std::size_t index) { return name_of(finder(index).find_near()); }
    std::string find_own(std::size_t index) { return name_of(finder(index).find_own()); }
    std::string find_left(std::size_t index) { return name_of(finder(index).find_left()); }
    std::vector<std::string> search_all(std::size_t index) {
        std::vector<std::string> found;
        for (std::string next = search(index); next != ""; next = search(index)) {
            found.push_back(next);
        }
        return found;
    }

    switched_source source;

private:
    struct named_task : detail::task {
        std::string name;
    };

    detail::task& make(const std::string& name) {
        named_task& made = tasks_.emplace_back();
        made.name = name;
        return made;
    }
    detail::finder& finder(std::size_t index) {
        while (finders_.size() <= index) finders_.push_back(pool_.finder(finders_.size()));
        return finders_[index];
    }
    std::string name_of(finding found) {
        switch (found.what()) {
        case finding::kind::task: return static_cast<named_task&>(found.next()).name;
        case finding::kind::child: return "child of " + std::to_string(found.victim());
        case finding::kind::source: source.on = false; return "source";
        default: return "";
        }
    }

    test::unstarted_pool pool_;
    std::deque<named_task> tasks_;
    std::deque<detail::finder> finders_;
    void (*nothing_to_do_)() = [] {};
};

using names = std::vector<std::string>;

TEST(finder, looks_in_this_order) {
    scene all;
    all.queue(0, "own low", priority::low);
    all.arrive("arrived low", priority::low);
    all.queue(1, "its low", priority::low);
    all.queue(1, "its task");
    all.share_child(1);
    all.queue(1, "its high", priority::high);
    all.source.on = true;
    all.arrive("arrived");
    all.arrive("arrived later");
    all.queue(0, "own older");
    all.queue(0, "own younger");
    all.arrive("arrived high", priority::high);
    all.queue(0, "own high", priority::high);
    EXPECT_EQ(all.search_all(0),
              (names{"own high", "arrived high", "own younger", "own older", "arrived",
                     "arrived later", "source", "its high", "child of 1", "its task", "its low",
                     "own low", "arrived low"}));
    EXPECT_FALSE(all.has_work());
}

TEST(finder, does_not_steal_after_a_task) {
    scene all;
    all.queue(1, "its high", priority::high);
    all.queue(1, "its task");
    all.share_child(1);
    all.queue(0, "own low", priority::low);
    EXPECT_EQ(all.find_near(0), "");
    all.arrive("arrived");
    EXPECT_EQ(all.find_near(0), "arrived");
}

TEST(finder, of_a_surplus_stand_in_looks_at_its_own_tasks_only) {
    scene all;
    all.arrive("arrived");
    all.arrive("arrived high", priority::high);
    all.queue(0, "own high", priority::high);
    all.source.on = true;
    EXPECT_EQ(all.find_own(0), "");
    all.queue(0, "own");
    EXPECT_EQ(all.find_own(0), "own");
}

/// Work in each place, and nowhere else.
struct place {
    const char* name;
    std::function<void(scene&)> fill;
};
std::ostream& operator<<(std::ostream& out, const place& each) { return out << each.name; }

class every_place : public testing::TestWithParam<place> {};

TEST_P(every_place, is_seen_by_has_work_until_its_work_is_found) {
    scene all;
    EXPECT_FALSE(all.has_work());
    GetParam().fill(all);
    EXPECT_TRUE(all.has_work());
    EXPECT_NE(all.search(0), "");
    EXPECT_FALSE(all.has_work());
    EXPECT_EQ(all.search(0), "");
}

INSTANTIATE_TEST_SUITE_P(
    finder, every_place,
    testing::Values(
        place{"arrivals_of_high_priority", [](scene& all) { all.arrive("x", priority::high); }},
        place{"arrivals", [](scene& all) { all.arrive("x"); }},
        place{"arrivals_of_low_priority", [](scene& all) { all.arrive("x", priority::low); }},
        place{"own_tasks_of_high_priority", [](scene& all) { all.queue(0, "x", priority::high); }},
        place{"own_tasks", [](scene& all) { all.queue(0, "x"); }},
        place{"own_tasks_of_low_priority", [](scene& all) { all.queue(0, "x", priority::low); }},
        place{"tasks_of_high_priority", [](scene& all) { all.queue(1, "x", priority::high); }},
        place{"tasks", [](scene& all) { all.queue(1, "x"); }},
        place{"tasks_of_low_priority", [](scene& all) { all.queue(1, "x", priority::low); }},
        place{"shared_children", [](scene& all) { all.share_child(1); }},
        place{"sources", [](scene& all) { all.source.on = true; }}),
    [](const auto& each) { return std::string{each.param.name}; });

TEST(finder, leaves_sources_alone_when_the_pool_stops) {
    scene all;
    all.source.on = true;
    all.core().intake.close();
    EXPECT_FALSE(all.has_work());
    EXPECT_EQ(all.search(0), "");
    all.source.on = false;
}

// Within a priority

TEST(finder, lets_no_arrival_overtake_an_older_task_of_its_priority) {
    for (const priority level : {priority::high, priority::low}) {
        scene all;
        all.queue(0, "first", level);
        all.queue(0, "second", level);
        all.arrive("third", level);
        all.arrive("fourth", level);
        EXPECT_EQ(all.search(0), "first");
        all.arrive("fifth", level);
        EXPECT_EQ(all.search_all(0), (names{"second", "third", "fourth", "fifth"}));
    }
}

TEST(finder, takes_arrivals_oldest_first) {
    for (const priority level : {priority::high, priority::normal, priority::low}) {
        scene all;
        for (const char* each : {"first", "second", "third"}) all.arrive(each, level);
        EXPECT_EQ(all.search_all(0), (names{"first", "second", "third"}));
    }
}

TEST(finder, leaves_arrivals_where_thieves_find_them) {
    for (const priority level : {priority::high, priority::normal, priority::low}) {
        scene all;
        for (const char* each : {"first", "second"}) all.arrive(each, level);
        EXPECT_EQ(all.search(0), "first");
        EXPECT_EQ(all.search(1), "second");
    }
}

// Fairness

/// While a worker always has a task of its own, what else is ready is found within so many picks.
TEST(finder, lets_nothing_starve_behind_own_tasks) {
    scene all;
    all.arrive("arrived");
    all.source.on = true;
    all.queue(0, "oldest");
    all.queue(0, "own low", priority::low);
    std::set<std::string> found;
    for (std::size_t pick = 0; pick < 4 * fairness; ++pick) {
        all.queue(0, "youngest");
        const std::string next = all.find_near(0);
        if (next == "youngest") continue;
        EXPECT_TRUE(found.insert(next).second) << next << " again";
    }
    EXPECT_EQ(found, (std::set<std::string>{"arrived", "source", "oldest", "own low"}));
}

TEST(finder, looks_for_the_oldest_at_every_64th_pick_only) {
    scene all;
    all.queue(0, "oldest");
    all.arrive("arrived");
    std::size_t pick = 1;
    for (;; ++pick) {
        all.queue(0, "youngest");
        if (all.find_near(0) != "youngest") break;
    }
    EXPECT_EQ(pick, fairness);
}

// Stealing

struct all_stealing final : stealing_policy {
    [[nodiscard]] std::size_t amount(std::size_t available) const noexcept override {
        return available;
    }
};

TEST(finder, takes_as_many_from_a_victim_as_the_policy_says) {
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

TEST(finder, takes_one_task_at_least_and_no_more_than_there_are) {
    for (const std::size_t wanted : {0U, 1U, 2U, 100U}) {
        scene all{{.workers = 2, .stealing = std::make_shared<fixed_stealing>(wanted)}};
        for (const char* each : {"first", "second", "third"}) all.queue(1, each);
        EXPECT_EQ(all.search(0), "first");
        const std::size_t taken = std::clamp<std::size_t>(wanted, 1, 3);
        EXPECT_EQ(all[0].queues.normal.count(), taken - 1);
        EXPECT_EQ(all[1].queues.normal.count(), 3 - taken);
    }
}

TEST(finder, asks_the_policy_about_tasks_of_normal_priority_only) {
    scene all{{.workers = 2, .stealing = std::make_shared<all_stealing>()}};
    for (const char* each : {"first", "second"}) all.queue(1, each);
    all.queue(1, "high", priority::high);
    EXPECT_EQ(all.search(0), "high");
    EXPECT_EQ(all[1].queues.normal.count(), 2U);
}

TEST(finder, leaves_its_own_tasks_in_their_order_when_it_takes_the_oldest) {
    scene all{{.workers = 2, .stealing = std::make_shared<fixed_stealing>(2)}};
    for (const char* each : {"oldest", "second", "third"}) all.queue(0, each);
    std::string next;
    do {
        all.queue(0, "youngest");
        next = all.find_near(0);
    } while (next == "youngest");
    EXPECT_EQ(next, "oldest");
    EXPECT_EQ(all.find_own(0), "youngest");
    EXPECT_EQ(all.find_own(0), "third");
    EXPECT_EQ(all.find_own(0), "second");
}

TEST(finder, asks_a_victim_without_shared_children_for_some) {
    scene all;
    worker& victim = all[1];
    victim.answer_alarm(nullptr);
    ASSERT_FALSE(victim.is_alarmed());
    EXPECT_EQ(all.search(0), "");
    EXPECT_TRUE(victim.is_alarmed());
}

TEST(finder, of_a_stand_in_takes_no_more_than_it_runs) {
    scene all{{.workers = 1, .extra_threads = 1, .stealing = std::make_shared<all_stealing>()}};
    for (const char* each : {"first", "second", "third"}) all.queue(0, each);
    EXPECT_EQ(all.search(1), "first");
    EXPECT_EQ(all[0].queues.normal.count(), 2U);
    EXPECT_EQ(all[1].queues.normal.count(), 0U);
}

TEST(finder, never_takes_itself_for_a_victim) {
    scene all{{.workers = 3}};
    EXPECT_EQ(all.search(1), "");
    EXPECT_EQ(all[1].counts.steals_tried.read(), detail::constants::search_rounds);
    all.share_child(1);
    EXPECT_EQ(all.search(1), "") << "a worker joins its own children, and does not steal them";
}

TEST(finder, asks_every_other_worker_eventually) {
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

TEST(finder, carries_out_an_order_once) {
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

TEST(finder, takes_no_more_by_order_than_half_of_what_the_victim_has) {
    planned_scene all;
    all.queue_numbered(7, 5);
    all.orders().give(0, {7, 100});
    EXPECT_EQ(all.search(0), "1");
    EXPECT_EQ(all.queued(0), 2U);
    EXPECT_EQ(all.queued(7), 2U);
}

TEST(finder, takes_the_last_task_of_a_victim_by_order) {
    planned_scene all;
    all.queue(7, "last");
    all.orders().give(0, {7, 1});
    EXPECT_EQ(all.search(0), "last");
    EXPECT_EQ(all.counted(0).orders_carried, 1U);
}

TEST(finder, forgets_an_order_that_comes_too_late) {
    planned_scene all;
    all.orders().give(0, {7, 3});
    EXPECT_EQ(all.search(0), "");
    EXPECT_FALSE(all.orders().look(0));
    EXPECT_EQ(all.counted(0).orders_carried, 0U);
    EXPECT_EQ(all.counted(0).steals_won, 0U);
}

TEST(finder, takes_a_task_of_high_priority_before_those_of_its_order) {
    planned_scene all;
    all.queue_numbered(7, 10);
    all.queue(7, "high", priority::high);
    all.orders().give(0, {7, 3});
    EXPECT_EQ(all.search(0), "high");
    EXPECT_EQ(all.queued(7), 10U);
    EXPECT_EQ(all.counted(0).orders_carried, 0U);
    EXPECT_EQ(all.counted(0).steals_won, 1U);
}

TEST(finder, plans_for_all_that_are_hungry_and_carries_out_its_own_order) {
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

TEST(finder, tries_one_victim_in_each_round_without_an_order) {
    planned_scene all;
    EXPECT_EQ(all.search(3), "");
    EXPECT_EQ(all.counted(3).steals_tried, detail::constants::search_rounds);
}

TEST(finder, wakes_each_worker_that_it_has_an_order_for) {
    planned_scene all;
    for (std::size_t each = 0; each < 3; ++each) all.orders().owner_set_hungry(each, true);
    all.queue_numbered(7, 19);
    EXPECT_EQ(test::count_woken(all.core(), {1, 2}, [&] { EXPECT_EQ(all.search(0), "1"); }), 2U);
}

TEST(finder, does_not_plan_while_most_workers_are_busy) {
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

/// It would be asleep, and the pool seem to have nothing to do, with tasks in its queues.
TEST(finder, a_stand_in_that_leaves_finds_its_own_tasks_of_each_priority_and_no_others) {
    scene places;
    places.queue(0, "low", priority::low);
    places.queue(0, "normal");
    places.queue(0, "high", priority::high);
    places.arrive("arrival");
    places.queue(1, "of another");
    EXPECT_EQ(places.find_left(0), "high");
    EXPECT_EQ(places.find_left(0), "normal");
    EXPECT_EQ(places.find_left(0), "low");
    EXPECT_EQ(places.find_left(0), "");
}

} // namespace
} // namespace weft::finder_test
