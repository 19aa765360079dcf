// The order in which a worker looks for work, place by place.
#include "unit/pool/finder_scene.hpp"

#include <weft/detail/sync/model_constants.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace weft::finder_test {
namespace {

using names = std::vector<std::string>;

constexpr std::size_t fairness = detail::constants::picks_between_oldest;

TEST(finder, looks_in_this_order) {
    scene all;
    all.queue(0, "own low", priority::low);
    all.arrive("arrived low", priority::low);
    all.queue(1, "its low", priority::low);
    all.queue(1, "its task");
    all.share_child(1);
    all.queue(1, "its high", priority::high);
    all.source.has_some = true;
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

/// It would be asleep, and the pool seem to have nothing to do, with tasks in its queues.
TEST(finder, of_a_surplus_stand_in_looks_at_its_own_tasks_of_each_priority_only) {
    scene all;
    all.queue(0, "low", priority::low);
    all.queue(0, "normal");
    all.queue(0, "high", priority::high);
    all.arrive("arrival");
    all.queue(1, "of another");
    EXPECT_EQ(all.find_left(0), "high");
    EXPECT_EQ(all.find_left(0), "normal");
    EXPECT_EQ(all.find_left(0), "low");
    EXPECT_EQ(all.find_left(0), "");
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
        place{"sources", [](scene& all) { all.source.has_some = true; }}),
    [](const auto& each) { return std::string{each.param.name}; });

TEST(finder, leaves_sources_alone_when_the_pool_stops) {
    scene all;
    all.source.has_some = true;
    all.core().intake.close();
    EXPECT_FALSE(all.has_work());
    EXPECT_EQ(all.search(0), "");
    all.source.has_some = false;
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

/// While a worker always has a task of its own, what else is ready is found within a bounded number
/// of picks.
TEST(finder, lets_nothing_starve_behind_own_tasks) {
    scene all;
    all.arrive("arrived");
    all.source.has_some = true;
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

} // namespace
} // namespace weft::finder_test
