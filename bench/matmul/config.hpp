// A product of matrices of any shape. The result is divided into tiles, which the libraries share
// out; a tile is computed by the same code for all of them.
#pragma once

#include "runner/timed.hpp"

#include "acts/matrix/leaf.hpp"
#include "acts/matrix/matrices.hpp"

#include <weft/index_range.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace bench::matmul {

using weft::block_2d;
using weft::index_range;
using weft::demo::matrix::matrices;
using weft::demo::matrix::multiply_cells;

inline constexpr std::size_t tile_rows = 32;
inline constexpr std::size_t tile_columns = 128;

/// The tiles of the result: its rows and columns of them.
inline block_2d tiles_of(const matrices& all) {
    return {{0, (all.rows + tile_rows - 1) / tile_rows},
            {0, (all.columns + tile_columns - 1) / tile_columns}};
}

/// Computes a part of the tiles. Those at the end of a row or a column may be smaller.
inline void multiply_tiles(matrices& all, const block_2d& tiles) {
    const auto cells = [](const index_range& part, std::size_t side, std::size_t end) {
        return index_range{part.first * side, std::min(part.last * side, end)};
    };
    multiply_cells(all, {cells(tiles.rows, tile_rows, all.rows),
                         cells(tiles.columns, tile_columns, all.columns)});
}

/// For libraries without loops: two halves of some tiles, between two rows if there are several.
inline std::pair<block_2d, block_2d> halves_of(const block_2d& tiles) {
    std::pair<block_2d, block_2d> made{tiles, tiles};
    const auto divide = [](index_range& first, index_range& second) {
        first.last = second.first = first.first + first.size() / 2;
    };
    if (tiles.rows.size() > 1) divide(made.first.rows, made.second.rows);
    else divide(made.first.columns, made.second.columns);
    return made;
}

struct problem {
    std::size_t rows;
    std::size_t inner;
    std::size_t columns;

    [[nodiscard]] parameters describe() const {
        return {{"m", static_cast<std::int64_t>(rows)},
                {"n", static_cast<std::int64_t>(inner)},
                {"p", static_cast<std::int64_t>(columns)}};
    }
    [[nodiscard]] static std::int64_t tasks() { return 0; }
    [[nodiscard]] matrices make() const { return {rows, inner, columns}; }
    void check(const matrices& state, int /*result*/) const {
        expect_equal("product", weft::demo::matrix::is_product(state), true);
    }
};

/// `multiply(stage, matrices)` computes c.
template <class Stage, class Multiply>
std::vector<contestant> contestants(const request& request, Multiply multiply) {
    const std::vector<problem> problems{{512, 512, 512}, {1000, 700, 900}, {1024, 1024, 1024}};
    return on_stage<Stage>(request, problems,
                           [multiply](Stage& stage, const problem& /*some*/, matrices& all) {
                               multiply(stage, all);
                               return 0;
                           });
}

} // namespace bench::matmul
