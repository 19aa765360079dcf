// A matrix product, by tiles of the result.
#include <weft/parallel_for.hpp>
#include <weft/pool.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <vector>

namespace {

class matrix {
public:
    matrix(std::size_t rows, std::size_t columns)
        : rows_{rows}, columns_{columns}, cells_(rows * columns) {}

    [[nodiscard]] std::size_t rows() const { return rows_; }
    [[nodiscard]] std::size_t columns() const { return columns_; }
    double* row(std::size_t index) { return cells_.data() + index * columns_; }
    [[nodiscard]] const double* row(std::size_t index) const {
        return cells_.data() + index * columns_;
    }
    friend bool operator==(const matrix&, const matrix&) = default;

private:
    std::size_t rows_;
    std::size_t columns_;
    std::vector<double> cells_;
};

constexpr std::size_t tile_rows = 32;
constexpr std::size_t tile_columns = 128;

// [tile]
/// Adds `Count` rows of b to the sums, each times a number of a. The sums are read and written once
/// for all of them.
template <std::size_t Count>
void add_rows(std::array<double, tile_columns>& sums, const double* a, const matrix& b,
              std::size_t row, const weft::index_range& columns) {
    const double* first = b.row(row) + columns.first;
    std::array<double, Count> factors;
    std::copy_n(a + row, Count, factors.begin());
    for (std::size_t j = 0; j != columns.size(); ++j) {
        for (std::size_t k = 0; k != Count; ++k) sums[j] += factors[k] * first[k * b.columns() + j];
    }
}

/// c = a b in the cells of a tile.
void multiply_tile(matrix& c, const matrix& a, const matrix& b, const weft::block_2d& tile) {
    for (std::size_t i = tile.rows.first; i != tile.rows.last; ++i) {
        std::array<double, tile_columns> sums{};
        std::size_t k = 0;
        for (; k + 4 <= b.rows(); k += 4) add_rows<4>(sums, a.row(i), b, k, tile.columns);
        for (; k != b.rows(); ++k) add_rows<1>(sums, a.row(i), b, k, tile.columns);
        std::copy_n(sums.begin(), tile.columns.size(), c.row(i) + tile.columns.first);
    }
}
// [/tile]

// [multiply]
/// c = a b. A cell of the block is a tile of c; tiles are independent of each other.
void multiply(matrix& c, const matrix& a, const matrix& b) {
    const weft::block_2d tiles{.rows = {0, (c.rows() + tile_rows - 1) / tile_rows},
                               .columns = {0, (c.columns() + tile_columns - 1) / tile_columns}};
    weft::parallel_for(tiles, [&](std::size_t row, std::size_t column) {
        const std::size_t top = row * tile_rows;
        const std::size_t left = column * tile_columns;
        multiply_tile(c, a, b,
                      {.rows = {top, std::min(top + tile_rows, c.rows())},
                       .columns = {left, std::min(left + tile_columns, c.columns())}});
    });
}
// [/multiply]

/// Small whole numbers, so that sums are exact.
matrix numbers(std::size_t rows, std::size_t columns, std::size_t modulus) {
    matrix made{rows, columns};
    for (std::size_t i = 0; i != rows * columns; ++i) {
        made.row(0)[i] = static_cast<double>(i % modulus);
    }
    return made;
}

} // namespace

int main() { // NOLINT(bugprone-exception-escape): then it ends, and says why
    const matrix a = numbers(300, 210, 7);
    const matrix b = numbers(210, 270, 5);
    matrix c{300, 270};
    weft::pool pool;
    pool.run([&] { multiply(c, a, b); });

    matrix expected{300, 270};
    for (std::size_t i = 0; i != a.rows(); ++i) {
        for (std::size_t k = 0; k != b.rows(); ++k) {
            for (std::size_t j = 0; j != b.columns(); ++j) {
                expected.row(i)[j] += a.row(i)[k] * b.row(k)[j];
            }
        }
    }
    std::cout << "300 by 210 times 210 by 270: " << (c == expected ? "right" : "WRONG") << '\n';
    return c == expected ? EXIT_SUCCESS : EXIT_FAILURE;
}
