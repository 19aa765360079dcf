// The public tree of signals: set, select with a bias, on one and on several threads.
#include "support/scale.hpp"

#include <weft/error.hpp>
#include <weft/signal_tree.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <set>
#include <thread>
#include <vector>

namespace weft {
namespace {

using test::scaled;
using found = std::optional<std::size_t>;

double variation(const std::vector<int>& counts) {
    const double mean =
        std::accumulate(counts.begin(), counts.end(), 0.0) / static_cast<double>(counts.size());
    double squares = 0;
    for (const int each : counts) squares += (each - mean) * (each - mean);
    return std::sqrt(squares / static_cast<double>(counts.size())) / mean;
}
errc code_of(const auto& call) {
    try {
        call();
    } catch (const error& each) {
        return each.code();
    }
    return errc::no_thread;
}

TEST(signal_tree, what_is_set_is_selected_once) {
    signal_tree tree{100};
    signal_cursor cursor;
    EXPECT_EQ(tree.select(cursor), std::nullopt);
    EXPECT_TRUE(tree.empty());
    EXPECT_TRUE(tree.set(70));
    EXPECT_FALSE(tree.set(70));
    EXPECT_TRUE(tree.is_set(70));
    EXPECT_FALSE(tree.is_set(69));
    EXPECT_FALSE(tree.empty());
    EXPECT_EQ(tree.select(cursor), found{70});
    EXPECT_EQ(tree.select(cursor), std::nullopt);
    EXPECT_TRUE(tree.empty());
    EXPECT_TRUE(tree.set(70));
    EXPECT_TRUE(tree.reset(70));
    EXPECT_FALSE(tree.reset(70));
    EXPECT_TRUE(tree.empty());
}

TEST(signal_tree, has_any_size) {
    for (const std::size_t size : {1U, 2U, 63U, 64U, 65U, 1000U, 1024U, 2049U, 100'000U}) {
        signal_tree tree{size};
        EXPECT_EQ(tree.size(), size);
        EXPECT_GE(std::size_t{1} << tree.levels(), size);
        signal_cursor cursor;
        for (const std::size_t each : {std::size_t{0}, size / 2, size - 1}) tree.set(each);
        std::set<std::size_t> seen;
        while (const auto next = tree.select(cursor)) seen.insert(*next);
        EXPECT_EQ(seen, (std::set<std::size_t>{0, size / 2, size - 1}));
    }
    signal_tree none{0};
    signal_cursor cursor;
    EXPECT_EQ(none.select(cursor), std::nullopt);
    EXPECT_EQ(none.levels(), 0U);
    EXPECT_THROW(signal_tree{std::size_t{1} << 41}, std::bad_alloc);
    const signal_tree million{1'000'000};
    EXPECT_LT(million.memory(), 250'000U);
}

TEST(signal_tree, a_number_beyond_the_size_is_an_error) {
    signal_tree tree{65};
    EXPECT_EQ(code_of([&] { tree.set(65); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { tree.reset(65); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { static_cast<void>(tree.is_set(~std::size_t{0})); }),
              errc::invalid_argument);
    EXPECT_TRUE(tree.empty());
}

/// Whatever the number of signals that are always set: each has its turn in each round.
TEST(signal_tree, fair_selections_are_fair_at_any_occupancy) {
    constexpr std::size_t rounds = 50;
    for (const std::size_t count : {1U, 2U, 3U, 17U, 65U, 300U}) {
        signal_tree tree{1000};
        for (std::size_t each = 0; each < count; ++each) tree.set(each * 3);
        signal_cursor cursor;
        std::vector<int> runs(count);
        for (std::size_t i = 0; i < rounds * count; ++i) {
            const auto next = tree.select(cursor);
            ASSERT_TRUE(next);
            ++runs[*next / 3];
            tree.set(*next);
        }
        EXPECT_EQ(variation(runs), 0.0) << count;
    }
}

TEST(signal_tree, a_range_comes_first_and_is_fair_within) {
    signal_tree tree{256};
    const selection_bias bias = selection_bias::prefer(100, 140).strict();
    for (std::size_t each = 0; each < 256; ++each) tree.set(each);
    signal_cursor cursor;
    std::vector<int> runs(40);
    for (int i = 0; i < 400; ++i) {
        const auto next = tree.select(cursor, bias);
        ASSERT_TRUE(next && *next >= 100 && *next < 140);
        ++runs[*next - 100];
        tree.set(*next);
    }
    EXPECT_EQ(variation(runs), 0.0);
    for (std::size_t each = 100; each < 140; ++each) tree.reset(each);
    EXPECT_EQ(tree.select(cursor, bias), found{0}) << "nothing preferred is set: the others";
    EXPECT_EQ(tree.select(cursor, bias), found{1});
    tree.set(111);
    EXPECT_EQ(tree.select(cursor, bias), found{111});
}

TEST(signal_tree, a_range_may_end_beyond_the_tree_or_be_empty) {
    signal_tree tree{100};
    for (const auto& bias : {selection_bias::prefer(50, 1000), selection_bias::prefer(100, 200),
                             selection_bias::prefer(7, 7), selection_bias::prefer(8, 7)}) {
        signal_cursor cursor;
        tree.set(3);
        EXPECT_EQ(tree.select(cursor, bias.strict()), found{3});
    }
    tree.set(3);
    tree.set(99);
    signal_cursor cursor;
    EXPECT_EQ(tree.select(cursor, selection_bias::prefer(50, 1000).strict()), found{99});
    EXPECT_EQ(tree.select(cursor, selection_bias::prefer(priority::high)), found{3})
        << "signals have no priority";
}

/// One turn in 16, or as many as were asked for.
TEST(signal_tree, what_is_not_preferred_has_its_share_of_turns) {
    for (const unsigned turns : {16U, 4U, 1U, 0U}) {
        signal_tree tree{128};
        selection_bias bias = selection_bias::prefer(64, 128);
        if (turns != 16) bias = bias.fair_turn_in(turns);
        signal_cursor cursor;
        int others = 0;
        for (int i = 0; i < 1600; ++i) {
            tree.set(7); // always set, like those of the range
            tree.set(70);
            tree.set(71);
            others += tree.select(cursor, bias) == found{7} ? 1 : 0;
        }
        const double fair_turns = turns == 0 ? 0 : 1600.0 / turns;
        EXPECT_LE(others, fair_turns);
        EXPECT_GE(others, fair_turns / 4) << "a fair turn may be one of a preferred signal";
    }
}

/// At each node the half that the function says, or the other if nothing is set there.
TEST(signal_tree, a_function_of_the_depth_says_which_half_is_taken) {
    signal_tree tree{8};
    ASSERT_EQ(tree.levels(), 3U);
    signal_cursor cursor;
    const auto select = [&](unsigned path) { // one bit a level, the root's first
        const auto goes_right = [path](unsigned depth) noexcept {
            return (path >> (2 - depth) & 1) != 0;
        };
        return tree.select(cursor, selection_bias::by_depth(goes_right).strict());
    };
    for (unsigned path = 0; path < 8; ++path) {
        for (std::size_t each = 0; each < 8; ++each) tree.set(each);
        EXPECT_EQ(select(path), found{path}) << "where all is set";
    }
    for (std::size_t each = 0; each < 8; ++each) tree.reset(each);
    for (const std::size_t each : {1U, 2U, 7U}) tree.set(each);
    EXPECT_EQ(select(0b101), found{7}) << "the right half, its left quarter is empty";
    EXPECT_EQ(select(0b100), found{1}) << "the right half is empty: in the left one, the left";
    EXPECT_EQ(select(0b100), found{2});
    EXPECT_EQ(select(0b100), std::nullopt);
}

/// The upper level is fixed, those below are fair: the bias of the talk.
TEST(signal_tree, a_function_may_prefer_a_half_and_be_fair_within_it) {
    signal_tree tree{1024};
    const unsigned levels = tree.levels();
    const auto bias =
        selection_bias::by_depth([levels](unsigned depth, std::uint64_t turn) noexcept {
            return depth == 0 || (turn >> (levels - 1 - depth) & 1) != 0;
        }).strict();
    for (std::size_t each = 0; each < 1024; ++each) tree.set(each);
    signal_cursor cursor;
    std::vector<int> runs(1024);
    for (int i = 0; i < 512 * 4; ++i) {
        const auto next = tree.select(cursor, bias);
        ++runs[next.value()];
        tree.set(*next);
    }
    EXPECT_TRUE(std::all_of(runs.begin(), runs.begin() + 512, [](int each) { return each == 0; }));
    EXPECT_EQ(variation({runs.begin() + 512, runs.end()}), 0.0);
}

TEST(signal_tree, a_function_may_have_state) {
    signal_tree tree{64};
    auto side = std::make_unique<bool>(false);
    const auto bias = selection_bias::by_depth([side = std::move(side)](unsigned depth) noexcept {
                          if (depth == 0) *side = !*side;
                          return *side;
                      }).strict();
    tree.set(0);
    tree.set(1);
    tree.set(62);
    tree.set(63);
    signal_cursor cursor;
    for (const std::size_t each : {63U, 0U, 62U, 1U})
        EXPECT_EQ(tree.select(cursor, bias), found{each});
}

class signal_tree_on : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(threads, signal_tree_on, testing::Values(1, 2, 8));

/// Threads that set, and threads that select and change their bias meanwhile.
TEST_P(signal_tree_on, what_is_newly_set_is_selected_once) {
    constexpr std::size_t size = 300;
    signal_tree tree{size};
    std::vector<std::atomic<int>> balance(size);
    std::atomic<std::size_t> setting{GetParam()};
    std::vector<std::jthread> threads;
    for (std::size_t number = 0; number < GetParam(); ++number) {
        threads.emplace_back([&, number] {
            for (std::size_t i = 0; i < scaled(3'000, 100'000); ++i) {
                const std::size_t signal = (i * 7 + number) % size;
                if (tree.set(signal)) ++balance[signal];
            }
            --setting;
        });
        threads.emplace_back([&, number] {
            const std::vector<selection_bias> biases{
                selection_bias::fair(), selection_bias::prefer(0, 50),
                selection_bias::by_depth([](unsigned depth, std::uint64_t turn) noexcept {
                    return (turn >> depth & 1) != 0;
                })};
            signal_cursor cursor;
            for (bool last = false;;) {
                // The bias changes while the threads run.
                const selection_bias& bias = biases[(cursor.turn / 100 + number) % biases.size()];
                if (const auto next = tree.select(cursor, bias)) {
                    --balance[*next];
                    last = false;
                    continue;
                }
                if (last) return;
                last = setting == 0;
            }
        });
    }
    threads.clear();
    for (const auto& each : balance) EXPECT_EQ(each, 0);
    EXPECT_TRUE(tree.empty());
}

/// The first thread is fair, the others take nothing else while something of their range is set:
/// what they leave has its turns all the same.
TEST_P(signal_tree_on, threads_with_different_biases_share_a_tree) {
    constexpr std::size_t size = 128;
    signal_tree tree{size};
    for (std::size_t each = 0; each < size; ++each) tree.set(each);
    std::atomic<bool> enough{false};
    std::atomic<int> others{0};
    std::vector<std::jthread> threads;
    for (std::size_t number = 0; number < GetParam(); ++number) {
        threads.emplace_back([&, number] {
            const bool fair = number == 0;
            const selection_bias bias =
                fair ? selection_bias::fair() : selection_bias::prefer(0, 64).strict();
            signal_cursor cursor;
            while (!enough) {
                const auto next = tree.select(cursor, bias);
                if (!next) continue;
                if (fair && *next >= 64) ++others;
                tree.set(*next);
            }
        });
    }
    while (others < 500) std::this_thread::yield();
    enough = true;
    threads.clear();
    signal_cursor cursor;
    std::size_t left = 0;
    while (tree.select(cursor)) ++left;
    EXPECT_EQ(left, size) << "none is lost, none is there twice";
}

} // namespace
} // namespace weft
