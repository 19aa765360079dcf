#include <weft/lab/state_space.hpp>

#include "models/classics.hpp"
#include "support/sanitizers.h"
#include "support/scale.hpp"
#include <weft/lab/analysis.hpp>
#include <weft/lab/firing.hpp>
#include <weft/lab/runs.hpp>
#include <weft/lab/simulation.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace weft::petri {
namespace {

std::pair<std::uint64_t, std::uint64_t> size_of(net n) {
    const state_space all = explore(n);
    EXPECT_TRUE(all.complete()) << all.reason();
    return {all.markings(), all.arcs()};
}

TEST(state_space, known_nets_have_their_known_sizes) {
    using counts = std::pair<std::uint64_t, std::uint64_t>;
    EXPECT_EQ(size_of(models::philosophers(5)), (counts{243, 945}));
    EXPECT_EQ(size_of(models::token_ring(5)), (counts{166, 365}));
    EXPECT_EQ(size_of(models::peterson(2)), (counts{20'754, 62'262}));
    EXPECT_EQ(size_of(models::kanban(1)).first, 160U);
    EXPECT_EQ(size_of(models::kanban(2)).first, 4'600U);
    EXPECT_EQ(size_of(models::kanban(3)).first, 58'400U);
}

TEST(state_space, a_large_kanban_has_its_known_size) {
#if WEFT_ADDRESS_SANITIZED
    GTEST_SKIP() << "takes minutes under the sanitizer";
#endif
    using counts = std::pair<std::uint64_t, std::uint64_t>;
    const bool full = test::scaled(0, 1) == 1;
    EXPECT_EQ(size_of(models::kanban(full ? 5 : 4)),
              full ? (counts{2'546'432, 24'460'016}) : (counts{454'475, 3'979'850}));
}

TEST(state_space, the_report_names_deadlocks_and_the_way_there_is_shortest) {
    net n = models::philosophers(5);
    const state_space all = explore(n);
    const report result = analyse(all);
    ASSERT_EQ(result.dead_markings.size(), 2U);
    EXPECT_FALSE(result.has_home());
    EXPECT_EQ(result.components, 3U);
    EXPECT_EQ(result.terminal_components, 2U);
    EXPECT_TRUE(result.live_transitions.empty());
    EXPECT_TRUE(result.dead_transitions.empty());
    EXPECT_TRUE(
        std::ranges::all_of(result.place_bounds, [](bounds b) { return b == bounds{0, 1}; }));
    const trace way = all.firings_to(result.dead_markings.front());
    EXPECT_EQ(way.steps.size(), 5U); // all take the fork on the same side
    simulation run{n};
    run.replay(way);
    EXPECT_TRUE(run.enabled().empty());
    EXPECT_NE(report_text(all, result).find("dead markings         2"), std::string::npos);
}

TEST(state_space, a_live_net_has_one_component_and_every_marking_is_home) {
    net n = models::kanban(2);
    const report result = analyse(explore(n));
    EXPECT_EQ(result.components, 1U);
    EXPECT_EQ(result.home_markings, result.markings);
    EXPECT_EQ(result.live_transitions.size(), n.transitions().size());
    EXPECT_TRUE(result.dead_markings.empty());
    EXPECT_FALSE(result.acyclic);
}

TEST(state_space, a_transition_that_never_fires_is_dead) {
    net n;
    const auto a = n.add_place("a", 1);
    const auto b = n.add_place("b", 0);
    n.add_transition("never").take(a, 2).put(b);
    n.add_transition("stay").take(a).put(a);
    const report result = analyse(explore(n));
    EXPECT_EQ(result.dead_transitions, std::vector<transition_index>{0});
    EXPECT_EQ(result.live_transitions, std::vector<transition_index>{1});
    EXPECT_FALSE(result.acyclic);
}

TEST(state_space, a_property_that_fails_ends_the_search_with_a_shortest_way) {
    net n = models::philosophers(4);
    const place<token> eating{n.place_named("Eat_2")};
    space_options options;
    options.properties.push_back(
        {"nobody eats", [&](const marking_view& now) { return now.count(eating) == 0; }});
    const state_space all = explore(n, options);
    EXPECT_EQ(all.end(), space_end::violated);
    EXPECT_EQ(all.reason(), "'nobody eats' does not hold");
    EXPECT_EQ(all.firings_to(all.witness().value()).steps.size(), 2U);
    EXPECT_THROW(static_cast<void>(analyse(all)), error);
}

TEST(state_space, an_unbounded_place_is_found_and_named) {
    net n;
    const auto idle = n.add_place("idle", 1);
    const auto busy = n.add_place("busy", 0);
    const auto made = n.add_place("made", 0);
    n.add_transition("start").take(idle).put(busy);
    n.add_transition("produce").take(busy).put(idle).put(made);
    const state_space all = explore(n);
    EXPECT_EQ(all.end(), space_end::unbounded);
    EXPECT_EQ(all.unbounded_places(), std::vector<place_index>{made.index});
    EXPECT_EQ(all.reason(), "unbounded: 'made'");
    EXPECT_EQ(all.firings_to(all.witness().value()).steps.size(), 2U);
}

TEST(state_space, an_unbounded_place_of_colours_is_found_too) {
    net n;
    const auto writer = n.add_place<int>("writer", {1, 2});
    const auto letters = n.add_place<int>("letters", std::vector<int>{});
    n.add_transition("write")
        .take(writer)
        .put(writer, [](int w) { return w; })
        .put(letters, [](int w) { return w; });
    const state_space all = explore(n);
    EXPECT_EQ(all.end(), space_end::unbounded);
    EXPECT_EQ(all.unbounded_places(), std::vector<place_index>{letters.index});
}

/// Neither part of an invariant nor unbounded: every marking is compared with some on the way to
/// it.
TEST(state_space, a_long_way_does_not_take_for_ever) {
    net n;
    const auto left = n.add_place("left", 200'000);
    n.add_transition("use up").take(left);
    const state_space all = explore(n);
    EXPECT_TRUE(all.complete());
    EXPECT_EQ(all.markings(), 200'001U);
}

TEST(state_space, growth_in_a_long_circle_is_found) {
    net n;
    constexpr std::size_t length = 300;
    std::vector<place<token>> circle;
    for (std::size_t each = 0; each != length; ++each) {
        circle.push_back(n.add_place("p" + std::to_string(each), each == 0 ? 1 : 0));
    }
    const auto made = n.add_place("made", 0);
    for (std::size_t each = 0; each != length; ++each) {
        const auto go = n.add_transition("t" + std::to_string(each)).take(circle[each]);
        go.put(circle[(each + 1) % length]);
        if (each == 0) go.put(made);
    }
    const state_space all = explore(n);
    EXPECT_EQ(all.end(), space_end::unbounded);
    EXPECT_EQ(all.unbounded_places(), std::vector<place_index>{made.index});
    EXPECT_LT(all.markings(), 3 * length);
}

/// A binding for every three of many tokens: more than is allowed, of one marking alone.
TEST(state_space, memory_is_capped_within_a_marking_too) {
    net n;
    std::vector<int> many(1'000);
    std::iota(many.begin(), many.end(), 0);
    const auto some = n.add_place<int>("some", many);
    n.add_transition("three").take(some).take(some).take(some);
    const state_space all = explore(n, {.most_bytes = 16U << 20U});
    EXPECT_EQ(all.end(), space_end::capped);
    EXPECT_EQ(all.looked_at(), 0U);
}

TEST(state_space, arcs_that_take_more_than_can_be_counted_never_do) {
    net n;
    const auto half = n.add_place("half", 1U << 31U);
    n.add_transition("twice").take(half, 1U << 31U).take(half, 1U << 31U);
    n.add_transition("inhibited").read(half, 1U << 31U).inhibit(half, ~0U).put(half, 1);
    const state_space all = explore(n, {.most_markings = 10});
    EXPECT_EQ(all.transitions(0).size(), 1U);
    EXPECT_FALSE(firing{n}.is_enabled(n.initial(), 0));
}

/// As many of a token as some marking has, and as few.
TEST(state_space, the_report_has_bounds_of_multisets) {
    net n;
    const auto left = n.add_place<std::string>("left", {"a", "a", "b", "c"});
    const auto right = n.add_place<std::string>("right", std::vector<std::string>{"c"});
    const auto turns = n.add_place("turns", 2);
    n.add_transition("move")
        .take(left)
        .take(turns)
        .when([](const std::string& each) { return each != "c"; })
        .put(right, [](const std::string& each) { return each; });
    const state_space all = explore(n);
    const report result = analyse(all);
    EXPECT_EQ(result.place_bounds, (std::vector<bounds>{{2, 4}, {1, 3}, {0, 2}}));
    EXPECT_EQ(n.multiset_text(left.index, result.place_multisets[left.index].most), "2`a + b + c");
    EXPECT_EQ(n.multiset_text(left.index, result.place_multisets[left.index].least), "c");
    EXPECT_EQ(n.multiset_text(right.index, result.place_multisets[right.index].most),
              "2`a + b + c");
    EXPECT_EQ(n.multiset_text(right.index, result.place_multisets[right.index].least), "c");
    EXPECT_TRUE(result.place_multisets[turns.index].most.empty());
    const std::string text = report_text(all, result);
    EXPECT_NE(text.find("  left  2 to 4\n    at most   2`a + b + c\n    at least  c\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("  turns  0 to 2\n"), std::string::npos) << text;
}

TEST(state_space, what_is_not_shown_unbounded_is_capped) {
    net n;
    const auto number = n.add_place<int>("number", {0});
    n.add_transition("count").take(number).put(number, [](int each) { return each + 1; });
    const state_space few = explore(n, {.most_markings = 1000});
    EXPECT_EQ(few.end(), space_end::capped);
    EXPECT_LE(few.markings(), 1001U);
    const state_space small = explore(n, {.most_bytes = 1U << 20U});
    EXPECT_EQ(small.end(), space_end::capped);
    EXPECT_LE(small.bytes(), 2U << 20U);
}

TEST(state_space, an_inhibitor_may_bound_a_place) {
    net n;
    const auto held = n.add_place("held", 0);
    n.add_transition("put").inhibit(held, 5).put(held);
    const state_space all = explore(n);
    EXPECT_TRUE(all.complete()) << all.reason();
    EXPECT_EQ(all.markings(), 6U);
}

TEST(state_space, numbers_of_any_width_fit) {
    net n;
    const auto low = n.add_place("low", 70'000);
    const auto high = n.add_place("high", 0);
    n.add_transition("move").take(low, 100).put(high, 100);
    const state_space all = explore(n);
    ASSERT_TRUE(all.complete());
    EXPECT_EQ(all.markings(), 701U);
    EXPECT_EQ(all.marking_at(700), (marking{0, 70'000}));
    EXPECT_EQ(all.marking_at(3), (marking{69'700, 300}));
}

TEST(runs, are_counted_exactly_with_their_lengths) {
    net n; // the ways through a grid of 3 by 4
    const auto east = n.add_place("east", 4);
    const auto south = n.add_place("south", 3);
    n.add_transition("go east").take(east);
    n.add_transition("go south").take(south);
    const all_runs all =
        runs_of(explore(n), [](transition_index each) { return each == 0 ? 10 : 1; });
    EXPECT_EQ(all.count, 35U);
    EXPECT_EQ(all.weight, (bounds{43, 43}));
    net cycle = models::kanban(1);
    EXPECT_THROW(static_cast<void>(runs_of(explore(cycle), [](transition_index) { return 1; })),
                 error);
}

TEST(runs, more_than_can_be_counted_is_no_number) {
    net n;
    for (int each = 0; each != 3; ++each) {
        const auto steps = n.add_place("p" + std::to_string(each), 30);
        n.add_transition("t" + std::to_string(each)).take(steps);
    }
    EXPECT_EQ(runs_of(explore(n), [](transition_index) { return 0; }).count, std::nullopt);
}

} // namespace
} // namespace weft::petri
