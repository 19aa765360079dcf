// Ranges and blocks of indices.
#pragma once

#include <cstddef>

namespace weft::inline v0 {

/// Indices from `first` to `last - 1`.
struct index_range {
    std::size_t first = 0; ///< the first index
    std::size_t last = 0;  ///< the one behind the last

    /// The number of indices.
    [[nodiscard]] constexpr std::size_t size() const noexcept {
        return last > first ? last - first : 0;
    }
    /// Compares both ends.
    friend bool operator==(const index_range&, const index_range&) = default;
};

/// A block of cells in two dimensions. It is divided between rows, and a single row between
/// columns.
struct block_2d {
    index_range rows;    ///< the outer dimension
    index_range columns; ///< the inner dimension

    /// The number of cells.
    [[nodiscard]] constexpr std::size_t size() const noexcept {
        return rows.size() * columns.size();
    }
    /// Compares all ends.
    friend bool operator==(const block_2d&, const block_2d&) = default;
};

/// A block of cells in three dimensions. It is divided between pages, then as `block_2d`.
struct block_3d {
    index_range pages;   ///< the outermost dimension
    index_range rows;    ///< the dimension within a page
    index_range columns; ///< the innermost dimension

    /// The number of cells.
    [[nodiscard]] constexpr std::size_t size() const noexcept {
        return pages.size() * rows.size() * columns.size();
    }
    /// Compares all ends.
    friend bool operator==(const block_3d&, const block_3d&) = default;
};

} // namespace weft::inline v0
