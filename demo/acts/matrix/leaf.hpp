// A part of a matrix product, for one core. The demonstration, the benchmark matmul and a test use
// it.
#pragma once

#include "acts/matrix/matrices.hpp"

#include <weft/index_range.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace weft::demo::matrix {

/// A block of b with this number of rows and columns stays in the cache for all rows of a.
inline constexpr std::size_t side = 128;

/// Sums for a part of a row of c. They are copied, so that the compiler knows that they are apart
/// from a and b, and uses vectors.
using line = std::array<double, side>;

/// Adds `Count` rows of b, each times a number of a. Several at a time, since reading and writing
/// the sums costs more than to multiply.
template <std::size_t Count>
inline void add_rows(line& sums, std::size_t columns, const double* a, const double* b,
                     std::size_t stride) {
    std::array<double, Count> factors;
    std::copy_n(a, Count, factors.begin());
    for (std::size_t j = 0; j != columns; ++j) {
        double sum = sums[j];
        for (std::size_t k = 0; k != Count; ++k) sum += factors[k] * b[k * stride + j];
        sums[j] = sum;
    }
}

/// c += a b in these cells, at most `side` in a row, for a part of the inner dimension.
inline void add_block(matrices& all, const block_2d& cells, const index_range& inner) {
    const std::size_t columns = cells.columns.size();
    line sums;
    for (std::size_t i = cells.rows.first; i != cells.rows.last; ++i) {
        double* c = all.c.data() + i * all.columns + cells.columns.first;
        const double* a = all.a.data() + i * all.inner;
        const double* b = all.b.data() + cells.columns.first;
        std::copy_n(c, columns, sums.begin());
        std::size_t k = inner.first;
        for (; inner.last - k >= 4; k += 4) {
            add_rows<4>(sums, columns, a + k, b + k * all.columns, all.columns);
        }
        for (; k != inner.last; ++k) {
            add_rows<1>(sums, columns, a + k, b + k * all.columns, all.columns);
        }
        std::copy_n(sums.begin(), columns, c);
    }
}

/// c += a b in these cells. Out of line, so that every library runs the same code.
[[gnu::noinline]] inline void multiply_cells(matrices& all, const block_2d& cells) {
    const auto next = [](std::size_t first, std::size_t last) {
        return std::min(first + side, last);
    };
    for (std::size_t j = cells.columns.first; j < cells.columns.last; j += side) {
        const block_2d strip{cells.rows, {j, next(j, cells.columns.last)}};
        for (std::size_t k = 0; k < all.inner; k += side) {
            add_block(all, strip, {k, next(k, all.inner)});
        }
    }
}

} // namespace weft::demo::matrix
