#include <weft/detail/algorithm/division.hpp>

#include <weft/detail/algorithm/loops.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace weft::detail {
namespace {

TEST(division, of_indices_is_in_the_middle) {
    EXPECT_EQ(division{}.middle(0, 2), 1);
    EXPECT_EQ(division{}.middle(3, 8), 5);
    EXPECT_EQ(division{}.middle(0, 4096), 2048);
    EXPECT_EQ(division{}.middle(100, 10'101), 5056) << "a multiple of 64";
}

/// The tree of Figure 3 of the paper on the multi-stealing scheduler: 3 rows of 4 columns, counted
/// from 1 there.
TEST(division, of_a_matrix_product_is_that_of_the_local_threads_scheduler) {
    const division shape{.row = 4, .page = 12};
    EXPECT_EQ(shape.middle(0, 12), 4) << "rows 1 | 2 and 3";
    EXPECT_EQ(shape.middle(0, 4), 2) << "row 1, columns 1 and 2 | 3 and 4";
    EXPECT_EQ(shape.middle(4, 12), 8) << "row 2 | 3";
    EXPECT_EQ(shape.middle(8, 12), 10);
    EXPECT_EQ(shape.middle(10, 12), 11);
}

TEST(division, of_pages_comes_before_that_of_rows) {
    const division shape{.row = 4, .page = 12};
    EXPECT_EQ(shape.middle(0, 36), 12);
    EXPECT_EQ(shape.middle(5, 36), 12) << "the half is in the second page";
    EXPECT_EQ(shape.middle(12, 24), 16);
}

TEST(division, leaves_each_part_its_least_size) {
    const division shape{.row = 4, .page = 4};
    EXPECT_EQ(shape.middle(0, 6, 3), 3) << "not between the rows, at 4";
    EXPECT_EQ(shape.middle(0, 6, 2), 4);
}

TEST(division, of_any_range_is_inside) {
    for (const division shape : {division{}, division{.row = 5, .page = 5}, division{7, 21}}) {
        for (std::size_t first = 0; first != 50; ++first) {
            for (std::size_t last = first + 2; last != 100; ++last) {
                const std::size_t middle = shape.middle(first, last);
                EXPECT_TRUE(first < middle && middle < last) << first << " to " << last;
            }
        }
    }
}

TEST(cell_order, visits_the_cells_in_order_in_boxes) {
    const block_3d whole{{2, 5}, {3, 7}, {1, 6}};
    const cell_order order{whole};
    for (std::size_t first = 0; first <= whole.size(); ++first) {
        for (std::size_t last = first; last <= whole.size(); ++last) {
            std::size_t next = first;
            std::size_t boxes = 0;
            order.visit(first, last, [&](const block_3d& box) {
                ++boxes;
                for (std::size_t i = box.pages.first; i != box.pages.last; ++i) {
                    for (std::size_t j = box.rows.first; j != box.rows.last; ++j) {
                        for (std::size_t k = box.columns.first; k != box.columns.last; ++k) {
                            ASSERT_EQ(((i - 2) * 4 + j - 3) * 5 + k - 1, next);
                            ++next;
                        }
                    }
                }
            });
            ASSERT_EQ(next, last);
            ASSERT_LE(boxes, 5);
        }
    }
}

} // namespace
} // namespace weft::detail
