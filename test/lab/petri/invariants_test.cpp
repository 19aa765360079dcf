#include <weft/lab/invariants.hpp>

#include "models/classics.hpp"
#include "petri/boundedness.hpp"
#include <weft/lab/state_space.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace weft::petri {
namespace {

TEST(invariants, a_cell_of_kanban_keeps_its_cards) {
    net n = models::kanban(3);
    const auto flow = incidence(n);
    ASSERT_TRUE(flow);
    const invariants found = place_invariants(*flow);
    EXPECT_TRUE(found.complete);
    // One for each cell, and as the second and third go together, two that mix them.
    ASSERT_EQ(found.vectors.size(), 6U);
    EXPECT_EQ(place_invariant_text(n, found.vectors.front()), "P_1 + Pm_1 + Pback_1 + Pout_1 = 3");
}

TEST(invariants, of_places_hold_in_every_marking) {
    net n = models::philosophers(4);
    const invariants found = place_invariants(*incidence(n));
    EXPECT_EQ(found.vectors.size(), 8U);
    const state_space all = explore(n);
    const auto sum = [&](const std::vector<std::int64_t>& weights, const marking& now) {
        std::int64_t total = 0;
        for (std::size_t each = 0; each != now.size(); ++each) total += weights[each] * now[each];
        return total;
    };
    for (const auto& weights : found.vectors) {
        for (std::uint32_t number = 0; number != all.markings(); ++number) {
            ASSERT_EQ(sum(weights, all.marking_at(number)), sum(weights, n.initial()));
        }
    }
}

TEST(invariants, of_transitions_change_nothing) {
    net n = models::kanban(1);
    const auto flow = *incidence(n);
    const invariants found = transition_invariants(flow);
    EXPECT_EQ(found.vectors.size(), 5U); // redo and back in each cell, and one part through all
    for (const auto& counts : found.vectors) {
        for (std::size_t place = 0; place != flow.places; ++place) {
            std::int64_t sum = 0;
            for (std::size_t t = 0; t != flow.transitions; ++t)
                sum += flow.change(place, t) * counts[t];
            EXPECT_EQ(sum, 0);
        }
    }
    EXPECT_NE(transition_invariant_text(n, found.vectors.front()), "");
}

TEST(invariants, weights_are_found_where_arcs_have_weights) {
    net n;
    const auto a = n.add_place("a", 6);
    const auto b = n.add_place("b", 0);
    n.add_transition("pack").take(a, 3).put(b, 2);
    n.add_transition("unpack").take(b, 2).put(a, 3);
    const invariants found = place_invariants(*incidence(n));
    ASSERT_EQ(found.vectors.size(), 1U);
    EXPECT_EQ(place_invariant_text(n, found.vectors.front()), "2·a + 3·b = 12");
    EXPECT_TRUE(is_structurally_bounded(n));
}

TEST(invariants, a_net_that_makes_tokens_has_none_that_covers_it) {
    net n;
    const auto a = n.add_place("a", 1);
    n.add_transition("grow").take(a).put(a, 2);
    EXPECT_TRUE(place_invariants(*incidence(n)).vectors.empty());
    EXPECT_FALSE(is_structurally_bounded(n));
}

net circle(std::size_t length) {
    net n;
    std::vector<place<token>> all;
    for (std::size_t each = 0; each != length; ++each) {
        all.push_back(n.add_place("p" + std::to_string(each), each == 0 ? 1 : 0));
    }
    for (std::size_t each = 0; each != length; ++each) {
        n.add_transition("t" + std::to_string(each)).take(all[each]).put(all[(each + 1) % length]);
    }
    return n;
}

TEST(invariants, of_a_large_net_are_found_or_given_up_soon) {
    EXPECT_TRUE(is_structurally_bounded(circle(400)));
    EXPECT_FALSE(incidence(circle(20'000)));
}

TEST(invariants, numbers_that_could_overflow_are_given_up) {
    net n;
    const auto a = n.add_place("a", 1);
    const auto b = n.add_place("b", 1);
    n.add_transition("t").take(a, 1U << 31U).take(a, 1U << 31U).put(b, ~0U).put(b, ~0U);
    EXPECT_FALSE(place_invariants(*incidence(n)).complete);
}

TEST(invariants, too_many_to_find_are_given_up) {
    net n; // each step doubles the ways to the end
    auto current = n.add_place("start", 1);
    for (int step = 0; step != 40; ++step) {
        const std::string name = std::to_string(step);
        const auto left = n.add_place("left" + name);
        const auto right = n.add_place("right" + name);
        const auto next = n.add_place("next" + name);
        n.add_transition("split" + name).take(current).put(left).put(right);
        n.add_transition("join" + name).take(left).take(right).put(next);
        current = next;
    }
    const invariants found = place_invariants(*incidence(n));
    EXPECT_FALSE(found.complete);
    EXPECT_EQ(explore(n).markings(), 81U);
}

} // namespace
} // namespace weft::petri
