// The product of two matrices, divided as in the paper on the Multi Stealing Scheduler: the columns
// or the rows of the result are halved until a small part is left. The paper's leaf is a cell; a
// block of 32 × 32 keeps a machine busy.
#pragma once

#include "acts/act.hpp"
#include "acts/matrix/leaf.hpp"
#include "acts/matrix/matrices.hpp"
#include "acts/timing.hpp"

#include <cstddef>

namespace weft::demo::matrix {

inline constexpr std::size_t block = 32;

/// A part of the result.
struct part {
    std::size_t first_row;
    std::size_t last_row; // one beyond
    std::size_t first_column;
    std::size_t last_column;

    [[nodiscard]] std::size_t rows() const { return last_row - first_row; }
    [[nodiscard]] std::size_t columns() const { return last_column - first_column; }
    [[nodiscard]] bool is_block() const { return rows() <= block && columns() <= block; }
    [[nodiscard]] part half(bool second) const {
        part made = *this;
        const bool by_columns = columns() >= rows();
        std::size_t& first = by_columns ? made.first_column : made.first_row;
        std::size_t& last = by_columns ? made.last_column : made.last_row;
        const std::size_t middle = first + (last - first) / 2;
        (second ? first : last) = middle;
        return made;
    }
};

inline void multiply_block(matrices& all, const part& area) {
    multiply_cells(all, {{area.first_row, area.last_row}, {area.first_column, area.last_column}});
}

inline void multiply_serially(matrices& all, const part& area) {
    if (area.is_block()) return multiply_block(all, area);
    multiply_serially(all, area.half(false));
    multiply_serially(all, area.half(true));
}

/// `multiply(matrices, whole)`, timed and checked.
template <class Multiply>
outcome measure(const settings& settings, Multiply multiply) {
    const auto size = settings.choose<std::size_t>(640, 160);
    matrices all{size, size, size};
    const stopwatch watch;
    multiply(all, part{0, size, 0, size});
    const double seconds = watch.seconds();
    return {{{"seconds", seconds, "s"}}, {{"the product is right", is_product(all)}}, {}};
}

} // namespace weft::demo::matrix
