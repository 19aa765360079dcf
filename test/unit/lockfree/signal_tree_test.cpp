#include "lockfree/signal_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <set>
#include <vector>

namespace weft::inline v0::detail {
namespace {

TEST(signal_tree_alone, is_empty_at_first) {
    signal_tree tree;
    selection_bias bias = selection_bias::fair();
    EXPECT_TRUE(tree.empty());
    EXPECT_FALSE(tree.select(bias));
    EXPECT_EQ(tree.capacity(), 32U);
}

TEST(signal_tree_alone, tells_what_is_newly_set) {
    signal_tree tree;
    EXPECT_TRUE(tree.set(7));
    EXPECT_FALSE(tree.set(7));
    EXPECT_TRUE(tree.take(7));
    EXPECT_FALSE(tree.take(7));
    EXPECT_TRUE(tree.set(7));
}

/// With all of 2^k signals set, 2^k fair selects visit each exactly once, wherever they begin.
TEST(signal_tree_alone, fair_selects_visit_each_signal_once) {
    for (std::size_t k = 0; k <= 14; ++k) {
        const std::size_t count = std::size_t{1} << k;
        for (const std::size_t start : {std::size_t{0}, count / 2, count - 1, 3 * count}) {
            signal_tree tree;
            tree.reserve(count);
            for (std::size_t i = 0; i < count; ++i) tree.set(i);
            selection_bias bias = selection_bias::fair(start);
            std::vector<int> visits(count);
            for (std::size_t i = 0; i < count; ++i) {
                const auto found = tree.select(bias);
                ASSERT_TRUE(found && *found < count);
                ++visits[*found];
            }
            EXPECT_TRUE(std::ranges::all_of(visits, [](int times) { return times == 1; }));
            EXPECT_TRUE(tree.empty());
        }
    }
}

/// The same if each is set again as soon as it is taken: round after round.
TEST(signal_tree_alone, fair_selects_go_round) {
    signal_tree tree;
    constexpr std::size_t count = 1000; // no power of two
    tree.reserve(count);
    for (std::size_t i = 0; i < count; ++i) tree.set(i);
    selection_bias bias = selection_bias::fair();
    for (std::size_t i = 0; i < 3 * count; ++i) {
        const auto found = tree.select(bias);
        ASSERT_EQ(found, i % count);
        tree.set(*found);
    }
}

TEST(signal_tree_alone, a_branch_may_be_favoured) {
    signal_tree tree;
    tree.reserve(256);
    for (std::size_t i = 0; i < 256; ++i) tree.set(i);
    selection_bias bias = selection_bias::favour(64, 96);
    std::vector<std::size_t> order;
    while (const auto found = tree.select(bias)) order.push_back(*found);
    ASSERT_EQ(order.size(), 256U);
    for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(order[i], 64 + i);
    EXPECT_EQ(order[32], 0U) << "and then the others, in order";
    EXPECT_EQ(order[255], 255U);
}

/// It falls back without losing what is favoured later.
TEST(signal_tree_alone, the_favoured_come_first_again) {
    signal_tree tree;
    tree.reserve(128);
    selection_bias bias = selection_bias::favour(64, 128);
    tree.set(1);
    tree.set(2);
    EXPECT_EQ(tree.select(bias), 1U);
    tree.set(100);
    tree.set(70);
    EXPECT_EQ(tree.select(bias), 70U);
    EXPECT_EQ(tree.select(bias), 100U);
    EXPECT_EQ(tree.select(bias), 2U);
    EXPECT_FALSE(tree.select(bias));
}

/// A bias is a value: it may be another for each call.
TEST(signal_tree_alone, the_bias_may_change_between_calls) {
    signal_tree tree;
    tree.reserve(64);
    for (std::size_t i = 0; i < 64; ++i) tree.set(i);
    selection_bias fair = selection_bias::fair(10);
    selection_bias favour = selection_bias::favour(60, 64);
    EXPECT_EQ(tree.select(fair), 10U);
    EXPECT_EQ(tree.select(favour), 60U);
    EXPECT_EQ(tree.select(fair), 11U);
    EXPECT_EQ(tree.select(favour), 61U);
}

TEST(signal_tree_alone, grows_without_moving_what_is_set) {
    signal_tree tree;
    std::size_t size = tree.capacity();
    tree.set(5);
    while (size < 3'000'000) {
        size *= 2;
        tree.reserve(size);
        ASSERT_EQ(tree.capacity(), size);
        tree.set(size - 1);
    }
    selection_bias bias = selection_bias::fair();
    EXPECT_EQ(tree.select(bias), 5U);
    for (std::size_t each = 64; each <= size; each *= 2) EXPECT_EQ(tree.select(bias), each - 1);
    EXPECT_TRUE(tree.empty());
    EXPECT_LT(static_cast<double>(tree.memory()) / static_cast<double>(size), 0.27)
        << "bytes for a signal";
}

/// Against a set, with random operations.
TEST(signal_tree_alone, behaves_like_a_set) {
    std::mt19937_64 random{4};
    for (const std::size_t count : {20U, 64U, 1000U, 5000U}) {
        signal_tree tree;
        tree.reserve(count);
        std::set<std::size_t> expected;
        std::size_t position = 0;
        selection_bias bias = selection_bias::fair();
        for (int step = 0; step < 20'000; ++step) {
            const std::size_t which = random() % count;
            switch (random() % 4) {
            case 0: ASSERT_EQ(tree.set(which), expected.insert(which).second); break;
            case 1: ASSERT_EQ(tree.take(which), expected.erase(which) == 1); break;
            case 2: {
                auto next = expected.lower_bound(which);
                const std::size_t found = tree.find(which, count);
                ASSERT_EQ(found, next == expected.end() ? signal_tree::none : *next);
                break;
            }
            default: {
                auto next = expected.lower_bound(position);
                if (next == expected.end()) next = expected.begin();
                const auto found = tree.select(bias);
                ASSERT_EQ(found.has_value(), next != expected.end());
                if (!found) break;
                ASSERT_EQ(*found, *next);
                position = *found + 1;
                expected.erase(next);
            }
            }
            ASSERT_EQ(tree.empty(), expected.empty());
        }
    }
}

TEST(signal_tree_alone, a_signal_that_points_elsewhere_stays_as_long_as_it_is_needed) {
    signal_tree tree;
    tree.mark(3);
    EXPECT_EQ(tree.find(0, 32), 3U);
    EXPECT_FALSE(tree.retire(3, [] { return true; }));
    EXPECT_EQ(tree.find(0, 32), 3U);
    EXPECT_TRUE(tree.retire(3, [] { return false; }));
    EXPECT_TRUE(tree.empty());
}

} // namespace
} // namespace weft::inline v0::detail
