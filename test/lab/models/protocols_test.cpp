#include "models/protocols.hpp"

#include <weft/lab/analysis.hpp>
#include <weft/lab/state_space.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace weft::models {
namespace {

using petri::marking;
using petri::net;
using petri::state_space;

/// How many dead markings of the net are not as they should be.
std::size_t wrong_ends(net n, const std::function<bool(const net&, const marking&)>& is_right) {
    const state_space all = explore(n);
    EXPECT_TRUE(all.complete()) << all.reason();
    const auto dead = analyse(all).dead_markings;
    EXPECT_FALSE(dead.empty());
    return static_cast<std::size_t>(std::ranges::count_if(
        dead, [&](std::uint32_t each) { return !is_right(n, all.marking_at(each)); }));
}

bool all_done(const net& n, const marking& now) {
    for (petri::place_index each = 0; each != n.places().size(); ++each) {
        if (n.places()[each].name.starts_with("done") && now[each] != 1) return false;
    }
    return true;
}

std::uint32_t tokens(const net& n, const marking& now, const std::string& name) {
    return now[n.place_named(name)];
}

TEST(resource_queues, never_deadlocks_whatever_up_to_3_tasks_need_of_3_resources) {
    std::size_t patterns = 0;
    for (std::uint32_t a = 0; a != 8; ++a) {
        for (std::uint32_t b = a; b != 8; ++b) {
            EXPECT_EQ(wrong_ends(resource_queues({a, b}, 3), all_done), 0U);
            for (std::uint32_t c = b; c != 8; ++c) {
                EXPECT_EQ(wrong_ends(resource_queues({a, b, c}, 3), all_done), 0U)
                    << a << ' ' << b << ' ' << c;
                ++patterns;
            }
        }
    }
    EXPECT_EQ(patterns, 120U); // all sets, as the tasks are alike
}

TEST(resource_queues, two_that_share_a_resource_never_run_together) {
    net n = resource_queues({0b01, 0b11, 0b10}, 2);
    petri::space_options options;
    options.properties.push_back({"exclusive", [&](const petri::marking_view& now) {
                                      const auto runs = [&](const char* name) {
                                          return now.contents()[n.place_named(name)] != 0;
                                      };
                                      return !runs("running T2") ||
                                             (!runs("running T1") && !runs("running T3"));
                                  }});
    EXPECT_TRUE(explore(n, options).complete());
}

TEST(resource_queues, deadlocks_if_queues_are_entered_one_by_one) {
    EXPECT_GT(wrong_ends(resource_queues({0b11, 0b11}, 2, entering::one_by_one), all_done), 0U);
    EXPECT_EQ(wrong_ends(resource_queues({0b01, 0b10}, 2, entering::one_by_one), all_done), 0U);
}

TEST(sleep_and_wake, no_wake_up_is_lost) {
    const auto no_work_left = [](const net& n, const marking& now) {
        return tokens(n, now, "work") == 0 && tokens(n, now, "published") == 0;
    };
    for (const std::uint32_t workers : {1U, 2U, 3U}) {
        EXPECT_EQ(wrong_ends(sleep_protocol(workers, 4), no_work_left), 0U) << workers;
        EXPECT_GT(wrong_ends(sleep_protocol(workers, 4, false), no_work_left), 0U) << workers;
    }
}

TEST(contract, no_signal_is_lost_and_the_callback_comes_once) {
    const auto nothing_unseen = [](const net& n, const marking& now) {
        return tokens(n, now, "unseen") == 0 && tokens(n, now, "pending") == 0 &&
               tokens(n, now, "released") == 1;
    };
    EXPECT_EQ(wrong_ends(contract(3), nothing_unseen), 0U);
    EXPECT_GT(wrong_ends(contract(3, false), nothing_unseen), 0U);
}

TEST(contract, never_runs_concurrently_with_itself) {
    net n = contract(4);
    petri::space_options options;
    options.properties.push_back({"one run", [&](const petri::marking_view& now) {
                                      return now.contents()[n.place_named("running")] +
                                                 now.contents()[n.place_named("reading")] <=
                                             1;
                                  }});
    EXPECT_TRUE(explore(n, options).complete());
}

/// Whether every marking that is finished has nothing left; and whether one can be finished at all.
void expect_termination(net n, bool right) {
    const petri::place_index finished = n.place_named("finished");
    std::vector<petri::place_index> left;
    for (petri::place_index each = 0; each != n.places().size(); ++each) {
        const std::string& name = n.places()[each].name;
        if (name.starts_with("busy") || name.starts_with("underway")) left.push_back(each);
    }
    bool can_finish = false;
    bool is_right = true;
    const state_space all = explore(n);
    ASSERT_TRUE(all.complete()) << all.reason();
    for (std::uint32_t each = 0; each != all.markings(); ++each) {
        const marking now = all.marking_at(each);
        if (now[finished] == 0) continue;
        can_finish = true;
        for (const petri::place_index place : left) is_right = is_right && now[place] == 0;
    }
    EXPECT_TRUE(can_finish);
    EXPECT_EQ(is_right, right);
}

TEST(termination, is_never_detected_while_something_is_left) {
    expect_termination(termination(2, 4), true);
    expect_termination(termination(3, 3), true);
    expect_termination(termination(4, 2), true);
}

TEST(termination, is_detected_too_early_if_all_is_counted_in_one_round) {
    expect_termination(termination(2, 4, false), false);
    expect_termination(termination(3, 3, false), false);
}

} // namespace
} // namespace weft::models
