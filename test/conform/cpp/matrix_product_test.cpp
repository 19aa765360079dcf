// Matrix products by division of the result into blocks: the work of the paper on the
// multi-stealing scheduler.
#include <weft/parallel_for.hpp>

#include "acts/matrix/leaf.hpp"
#include "acts/matrix/matrices.hpp"

#include "conform/cpp/algorithm_cases.hpp"

#include <weft/index_range.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <random>
#include <vector>

namespace weft {
namespace {

using namespace test;
using demo::matrix::matrices;
using demo::matrix::multiply_cells;

class matrix_product_on : public algorithm_on {};
INSTANTIATE_TEST_SUITE_P(workers, matrix_product_on, testing::Values(1, 2, 8));

/// Table 1 of the paper, without the result.
matrices table_1() {
    matrices all{4, 5, 6};
    all.a = {1, 2, 3, 7, 8, //
             2, 4, 4, 9, 1, //
             3, 1, 7, 8, 2, //
             2, 5, 6, 4, 8};
    all.b = {2, 1, 4, 9, 7, 6, //
             1, 7, 6, 2, 9, 5, //
             9, 9, 8, 1, 2, 4, //
             4, 3, 8, 7, 6, 5, //
             3, 2, 1, 1, 6, 7};
    return all;
}
std::vector<double> table_1_result() {
    return {83,  79,  104, 73, 121, 119, //
            83,  95,  137, 94, 118, 100, //
            108, 101, 140, 94, 104, 105, //
            103, 119, 126, 70, 143, 137};
}

matrices random_matrices(std::mt19937& random, std::size_t rows, std::size_t inner,
                         std::size_t columns) {
    matrices all{rows, inner, columns};
    const auto number = [&] { return static_cast<double>(random() % 201) - 100; };
    std::ranges::generate(all.a, number);
    std::ranges::generate(all.b, number);
    return all;
}

std::vector<double> naive_product(const matrices& all) {
    std::vector<double> c(all.c.size());
    for (std::size_t i = 0; i != c.size(); ++i) {
        for (std::size_t k = 0; k != all.inner; ++k) {
            c[i] +=
                all.a[i / all.columns * all.inner + k] * all.b[k * all.columns + i % all.columns];
        }
    }
    return c;
}

/// The result is divided into tiles of this many rows and columns. A part that is computed twice is
/// added twice.
void multiply(matrices& all, std::size_t rows, std::size_t columns,
              const parallel_options& options) {
    const auto tiles = [](std::size_t cells, std::size_t side) {
        return index_range{0, (cells + side - 1) / side};
    };
    const auto cells = [](const index_range& part, std::size_t side, std::size_t end) {
        return index_range{part.first * side, std::min(part.last * side, end)};
    };
    parallel_for(
        block_2d{tiles(all.rows, rows), tiles(all.columns, columns)},
        [&](const block_2d& part) {
            multiply_cells(
                all, {cells(part.rows, rows, all.rows), cells(part.columns, columns, all.columns)});
        },
        options);
}

TEST_P(matrix_product_on, table_1_is_computed_by_cells) {
    with_each_grain([](const parallel_options& options) {
        matrices all = table_1();
        parallel_for(
            block_2d{{0, 4}, {0, 6}},
            [&](std::size_t row, std::size_t column) {
                for (std::size_t k = 0; k != 5; ++k) {
                    all.c[row * 6 + column] += all.a[row * 5 + k] * all.b[k * 6 + column];
                }
            },
            options);
        EXPECT_EQ(all.c, table_1_result());
    });
}

TEST_P(matrix_product_on, table_1_is_computed_by_blocks_of_any_size) {
    with_each_grain([](const parallel_options& options) {
        for (std::size_t rows = 1; rows <= 5; ++rows) {
            for (std::size_t columns = 1; columns <= 7; ++columns) {
                matrices all = table_1();
                multiply(all, rows, columns, options);
                EXPECT_EQ(all.c, table_1_result()) << rows << " by " << columns;
            }
        }
    });
}

TEST_P(matrix_product_on, table_1_has_as_many_leaves_as_the_result_has_cells) {
    workers.run([] {
        matrices all = table_1();
        std::atomic<int> leaves{0};
        parallel_for(block_2d{{0, 4}, {0, 6}},
                     [&](const block_2d& part) {
                         EXPECT_EQ(part.size(), 1);
                         multiply_cells(all, part);
                         ++leaves;
                     },
                     {.grain = 1});
        EXPECT_EQ(all.c, table_1_result());
        EXPECT_EQ(leaves, 24);
    });
}

TEST_P(matrix_product_on, every_shape_has_the_product) {
    for (const std::size_t rows : {0U, 1U, 4U, 7U, 67U}) {
        for (const std::size_t inner : {0U, 1U, 3U, 5U, 131U}) {
            for (const std::size_t columns : {0U, 1U, 4U, 7U, 131U}) {
                const matrices all = random_matrices(random, rows, inner, columns);
                const std::vector<double> expected = naive_product(all);
                workers.run([&] {
                    for (const std::size_t grain : {0U, 1U}) {
                        matrices divided = all;
                        multiply(divided, 5, 16, {.grain = grain});
                        EXPECT_EQ(divided.c, expected)
                            << rows << " by " << inner << " by " << columns;
                    }
                });
            }
        }
    }
}

TEST_P(matrix_product_on, random_shapes_in_random_tiles_have_the_product) {
    const auto size = [&](std::size_t most) { return 1 + random() % most; };
    for (int each = 0; each != 10; ++each) {
        matrices all = random_matrices(random, size(150), size(300), size(300));
        const std::vector<double> expected = naive_product(all);
        const std::size_t rows = size(40);
        const std::size_t columns = size(150);
        workers.run([&] { multiply(all, rows, columns, {}); });
        EXPECT_EQ(all.c, expected) << all.rows << " by " << all.inner << " by " << all.columns
                                   << " in tiles of " << rows << " by " << columns;
    }
}

} // namespace
} // namespace weft
