#include <weft/detail/lockfree/mark_tree.hpp>

#include "support/signal_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <set>
#include <vector>

namespace weft::inline v0::detail {
namespace {

using test::signal_set;

TEST(mark_tree_alone, is_empty_at_first) {
    mark_tree tree;
    EXPECT_TRUE(tree.empty());
    EXPECT_EQ(tree.find(0, mark_tree::none), mark_tree::none);
}

TEST(mark_tree_alone, a_mark_stays_as_long_as_it_is_needed) {
    mark_tree tree;
    tree.mark(3);
    EXPECT_EQ(tree.find(0, 32), 3U);
    EXPECT_FALSE(tree.retire(3, [] { return true; }));
    EXPECT_EQ(tree.find(0, 32), 3U);
    EXPECT_TRUE(tree.retire(3, [] { return false; }));
    EXPECT_TRUE(tree.empty());
}

TEST(mark_tree_alone, what_is_not_marked_is_not_withdrawn) {
    mark_tree tree;
    EXPECT_FALSE(tree.retire(3, [] { return false; }));
    tree.mark(4);
    EXPECT_FALSE(tree.retire(3, [] { return false; }));
    EXPECT_EQ(tree.find(0, 32), 4U);
}

TEST(mark_tree_alone, a_range_is_from_its_start_to_before_its_end) {
    mark_tree tree;
    tree.reserve(200);
    for (const std::size_t each : {5U, 31U, 32U, 150U}) tree.mark(each);
    EXPECT_EQ(tree.find(0, 5), mark_tree::none);
    EXPECT_EQ(tree.find(5, 6), 5U);
    EXPECT_EQ(tree.find(6, 31), mark_tree::none);
    EXPECT_EQ(tree.find(6, 32), 31U);
    EXPECT_EQ(tree.find(32, 33), 32U);
    EXPECT_EQ(tree.find(33, 150), mark_tree::none);
    EXPECT_EQ(tree.find(33, 151), 150U);
    EXPECT_EQ(tree.find(151, mark_tree::none), mark_tree::none);
    EXPECT_EQ(tree.find(6, 6), mark_tree::none);
    EXPECT_EQ(tree.find(std::size_t{32} << 31, mark_tree::none), mark_tree::none)
        << "the first signal that a tree cannot have";
}

/// With all of 2^k signals set, 2^k searches that go on where the last one ended visit each exactly
/// once.
TEST(mark_tree_alone, a_walk_visits_each_signal_once) {
    for (std::size_t k = 0; k <= 14; ++k) {
        const std::size_t count = std::size_t{1} << k;
        for (const std::size_t start : {std::size_t{0}, count / 2, count - 1, 3 * count}) {
            signal_set signals{count, 32};
            signals.tree.reserve(count);
            for (std::size_t i = 0; i < count; ++i) signals.set(i);
            std::size_t next = start;
            std::vector<int> visits(count);
            for (std::size_t i = 0; i < count; ++i) {
                const auto found = signals.take_first(next);
                ASSERT_TRUE(found && *found < count);
                ++visits[*found];
                next = *found + 1;
            }
            EXPECT_TRUE(std::ranges::all_of(visits, [](int times) { return times == 1; }));
            EXPECT_TRUE(signals.tree.empty());
        }
    }
}

TEST(mark_tree_alone, grows_without_moving_what_is_set) {
    mark_tree tree;
    std::size_t size = 32;
    tree.mark(5);
    while (size < 3'000'000) {
        size *= 2;
        tree.reserve(size);
        tree.mark(size - 1);
    }
    std::size_t found = tree.find(0, mark_tree::none);
    EXPECT_EQ(found, 5U);
    for (std::size_t each = 64; each <= size; each *= 2) {
        EXPECT_TRUE(tree.retire(found, [] { return false; }));
        found = tree.find(found + 1, mark_tree::none);
        EXPECT_EQ(found, each - 1);
    }
    EXPECT_TRUE(tree.retire(found, [] { return false; }));
    EXPECT_TRUE(tree.empty());
    EXPECT_LT(static_cast<double>(tree.memory()) / static_cast<double>(size), 0.27)
        << "bytes for a signal";
    EXPECT_GT(static_cast<double>(tree.memory()) / static_cast<double>(size), 0.25)
        << "two bits for a signal, and more for the levels above";
}

/// Against a set, with random operations.
TEST(mark_tree_alone, behaves_like_a_set) {
    std::mt19937_64 random{4};
    for (const std::size_t count : {20U, 64U, 1000U, 5000U}) {
        signal_set signals{count, 32};
        signals.tree.reserve(count);
        std::set<std::size_t> expected;
        std::size_t position = 0;
        for (int step = 0; step < 20'000; ++step) {
            const std::size_t signal = random() % count;
            switch (random() % 4) {
            case 0: ASSERT_EQ(signals.set(signal), expected.insert(signal).second); break;
            case 1: ASSERT_EQ(signals.take(signal), expected.erase(signal) == 1); break;
            case 2: {
                auto next = expected.lower_bound(signal);
                const std::size_t found = signals.tree.find(signal, count);
                ASSERT_EQ(found, next == expected.end() ? mark_tree::none : *next);
                break;
            }
            default: {
                auto next = expected.lower_bound(position);
                if (next == expected.end()) next = expected.begin();
                const auto found = signals.take_first(position);
                ASSERT_EQ(found.has_value(), next != expected.end());
                if (!found) break;
                ASSERT_EQ(*found, *next);
                position = *found + 1;
                expected.erase(next);
            }
            }
            ASSERT_EQ(signals.tree.empty(), expected.empty());
        }
    }
}

/// In trees of one segment, and of several: their sizes are those of subtrees.
TEST(mark_tree_alone, the_nearest_has_the_least_difference_from_the_target) {
    std::mt19937 random{1};
    for (const std::size_t first : {32U, 64U, 4096U}) {
        signal_set signals{4096, first};
        signals.tree.reserve(4096);
        std::set<std::size_t> left;
        while (left.size() < 60) left.insert(random() % (1U << (1 + random() % 12)));
        for (const std::size_t each : left) signals.set(each);
        for (std::size_t target = random() % 4096; !left.empty(); target = random() % 4096) {
            const std::size_t expected = *std::ranges::min_element(
                left, {}, [target](std::size_t signal) { return signal ^ target; });
            ASSERT_EQ(signals.tree.find_nearest(target), expected);
            signals.take(expected);
            left.erase(expected);
        }
        EXPECT_EQ(signals.tree.find_nearest(7), mark_tree::none);
        EXPECT_TRUE(signals.tree.empty());
    }
}

/// Marks above what is empty, as a thread leaves them that marks too late, do not hold it up.
TEST(mark_tree_alone, the_nearest_is_found_beside_marks_of_nothing) {
    mark_tree tree{4096};
    tree.mark(4000);
    tree.mark(17);
    EXPECT_TRUE(tree.retire(4000, [] { return false; }));
    EXPECT_EQ(tree.find_nearest(4000), 17U);
    EXPECT_TRUE(tree.retire(17, [] { return false; }));
    EXPECT_EQ(tree.find_nearest(4000), mark_tree::none);
    EXPECT_TRUE(tree.empty());
}

} // namespace
} // namespace weft::inline v0::detail
