// Views: what a thread, or a store, knows of the others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace weft::inline v0::explorer::detail {

/// A clock value or the position of a store in an object's history. Signed and 16 bits wide,
/// because every x86-64 takes the maximum of eight such at once.
using stamp = std::int16_t;
using row_index = std::uint32_t;

constexpr std::size_t max_threads = 8;

/// Rows of equal width: first a clock value per thread (happens-before), then a history position
/// per atomic object (coherence). Rows are named by index, since the table moves when it grows.
class view_table {
public:
    explicit view_table(std::size_t fixed_rows) : fixed_rows_{fixed_rows} { reset(); }

    /// Forgets all rows but the fixed ones, which become empty. The width is kept.
    void reset() {
        used_ = fixed_rows_;
        if (cells_.size() < used_ * width_) cells_.resize(used_ * width_);
        std::fill_n(cells_.begin(), used_ * width_, stamp{0});
    }

    /// Makes room for the column of one more atomic object.
    void need_objects(std::size_t count) {
        if (max_threads + count <= width_) return;
        const std::size_t wider = width_ * 2;
        std::vector<stamp> cells(cells_.size() * 2);
        for (std::size_t row = 0; row < used_; ++row) {
            std::copy_n(cells_.data() + row * width_, width_, cells.data() + row * wider);
        }
        cells_ = std::move(cells);
        width_ = wider;
    }

    /// A new row; its content is unspecified.
    row_index take() {
        if (cells_.size() < (used_ + 1) * width_) cells_.resize((used_ + 1) * width_ * 2);
        return static_cast<row_index>(used_++);
    }

    void clear(row_index row) { std::fill_n(cells(row), width_, stamp{0}); }
    void copy(row_index source, row_index target) {
        std::copy_n(cells(source), width_, cells(target));
    }
    void join(row_index target, row_index source) { join_from(target, source, 0); }
    void join_objects(row_index target, row_index source) {
        join_from(target, source, max_threads);
    }

    [[nodiscard]] stamp& clock(row_index row, std::size_t thread) { return cells(row)[thread]; }
    [[nodiscard]] stamp& seen(row_index row, std::size_t object) {
        return cells(row)[max_threads + object];
    }

private:
    [[nodiscard]] stamp* cells(row_index row) { return cells_.data() + row * width_; }

    // Eight at a time, whatever the compiler makes of loops; the width is a multiple of that.
    void join_from(row_index target_row, row_index source_row, std::size_t first) {
        using eight [[gnu::vector_size(8 * sizeof(stamp))]] = stamp;
        stamp* target = cells(target_row);
        const stamp* source = cells(source_row);
        for (std::size_t i = first; i < width_; i += 8) {
            eight a;
            eight b;
            std::memcpy(&a, target + i, sizeof a);
            std::memcpy(&b, source + i, sizeof b);
            a = a > b ? a : b;
            std::memcpy(target + i, &a, sizeof a);
        }
    }

    std::size_t fixed_rows_;
    std::size_t width_ = 32;
    std::size_t used_ = 0;
    std::vector<stamp> cells_;
};

} // namespace weft::inline v0::explorer::detail
