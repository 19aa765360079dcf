#include "models/matrix_division.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

namespace weft::models {
namespace {

/// How many firings make a leaf, two threads, four, eight or sixteen.
std::map<std::size_t, std::size_t> firings(std::int32_t m, std::int32_t p, std::size_t most = 4) {
    std::vector<normal_thread> stack{{1, 0, 1, m, 1, 1, p}};
    std::vector<std::pair<std::int32_t, std::int32_t>> cells;
    std::map<std::size_t, std::size_t> counts;
    while (!stack.empty()) {
        const normal_thread next = stack.back();
        stack.pop_back();
        const matrix_parts made = divide(next, most);
        ++counts[made.threads.size()];
        for (const leaf_thread& each : made.leaves) cells.emplace_back(each.row, each.column);
        for (const normal_thread& each : made.threads) {
            EXPECT_EQ(each.father, each.id / 2);
            stack.push_back(each);
        }
    }
    std::ranges::sort(cells);
    EXPECT_TRUE(std::ranges::adjacent_find(cells) == cells.end());
    EXPECT_EQ(cells.size(), static_cast<std::size_t>(m * p));
    return counts;
}

TEST(matrix_division, divides_as_figure_3_of_the_paper_shows) {
    const normal_thread root{1, 0, 1, 3, 4, 1, 4};
    EXPECT_EQ(divide(root).threads, (std::vector<normal_thread>{{4, 2, 1, 1, 4, 1, 2},
                                                                {5, 2, 1, 1, 4, 3, 4},
                                                                {6, 3, 2, 2, 4, 1, 4},
                                                                {7, 3, 3, 3, 4, 1, 4}}));
    EXPECT_EQ(halves_of(root),
              (std::vector<normal_thread>{{2, 1, 1, 1, 4, 1, 4}, {3, 1, 2, 3, 4, 1, 4}}));
    EXPECT_EQ(root.text(), "(T1,T0,1,3,4,1,4)");
}

TEST(matrix_division, firings_are_as_many_as_known) {
    using counts = std::map<std::size_t, std::size_t>;
    EXPECT_EQ(firings(2, 2), (counts{{0, 4}, {2, 3}}));
    EXPECT_EQ(firings(3, 4), (counts{{0, 12}, {2, 2}, {4, 3}}));
    EXPECT_EQ(firings(4, 6), (counts{{0, 24}, {2, 8}, {4, 5}}));
    EXPECT_EQ(firings(8, 8), (counts{{0, 64}, {2, 36}, {4, 9}}));
    EXPECT_EQ(firings(16, 16), (counts{{0, 256}, {4, 85}}));
    EXPECT_EQ(firings(100, 100), (counts{{0, 10'000}, {2, 3'636}, {4, 2'121}}));
}

TEST(matrix_division, every_cell_comes_once_whatever_the_sizes_and_the_width) {
    for (std::int32_t m = 1; m != 12; ++m) {
        for (std::int32_t p = 1; p != 12; ++p) {
            for (const std::size_t most : {2U, 4U, 8U, 16U}) firings(m, p, most);
        }
    }
}

TEST(matrix_division, sixteen_at_a_step_are_sixteen) {
    EXPECT_EQ(divide({1, 0, 1, 8, 1, 1, 8}, 2).threads.size(), 2U);
    EXPECT_EQ(divide({1, 0, 1, 8, 1, 1, 8}, 8).threads.size(), 8U);
    EXPECT_EQ(divide({1, 0, 1, 8, 1, 1, 8}, 16).threads.size(), 16U);
}

} // namespace
} // namespace weft::models
