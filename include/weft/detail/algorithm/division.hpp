// Where a range of indices is divided.
#pragma once

#include <cstddef>
#include <initializer_list>

namespace weft::inline v0::detail {

/// The shape of what a loop runs over, and where a part of it is divided: the cells of a box, row
/// by row. A part with several pages is divided between two pages, one with several rows between
/// two rows, and one row in its middle, as close to the half as that allows. This is how the Local
/// Threads Scheduler of the multi-stealing model divides a matrix product.
struct division {
    std::size_t row = 1;  // cells
    std::size_t page = 1; // cells

    /// A place strictly inside the range, which has two cells or more. Neither part has fewer than
    /// `least` cells if both can have them.
    [[nodiscard]] std::size_t middle(std::size_t first, std::size_t last,
                                     std::size_t least = 1) const noexcept {
        const std::size_t half = first + (last - first) / 2;
        for (const std::size_t unit : {page, row}) {
            if (unit == 1) continue;
            std::size_t border = half / unit * unit;
            if (border <= first) border += unit;
            if (border < last && border - first >= least && last - border >= least) return border;
        }
        // No two pieces write to one cache line, whatever the size of an element.
        const std::size_t even = half / line * line;
        return row == 1 && last - first >= line * line && even - first >= least ? even : half;
    }

    /// The end of a block of about `count` cells: whole rows, if that is a row or more.
    [[nodiscard]] std::size_t block_end(std::size_t first, std::size_t count) const noexcept {
        const std::size_t end = first + count;
        if (row == 1 || count < row) return end;
        const std::size_t border = end / row * row;
        return border > first ? border : end;
    }

private:
    static constexpr std::size_t line = 64;
};

} // namespace weft::inline v0::detail
