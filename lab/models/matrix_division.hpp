// The division of a matrix product into cells: the Local Threads Scheduler of the multi-stealing
// model.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace weft::models {

/// A normal thread: rows `first_row` to `last_row` of the product of an m×n and an n×p matrix, and
/// the columns likewise, counted from 1.
struct normal_thread {
    std::uint32_t id = 0;
    std::uint32_t father = 0;
    std::int32_t first_row = 0;
    std::int32_t last_row = 0;
    std::int32_t inner = 0; // n
    std::int32_t first_column = 0;
    std::int32_t last_column = 0;

    [[nodiscard]] auto fields() const {
        return std::tie(id, father, first_row, last_row, inner, first_column, last_column);
    }
    [[nodiscard]] std::string text() const;
    friend bool operator==(const normal_thread&, const normal_thread&) = default;
};

/// One row times one column, which cannot be divided.
struct leaf_thread {
    std::int32_t row = 0;
    std::int32_t inner = 0;
    std::int32_t column = 0;

    [[nodiscard]] auto fields() const { return std::tie(row, inner, column); }
    friend bool operator==(const leaf_thread&, const leaf_thread&) = default;
};

/// The seven cases of the division. 1 is a leaf; 2 to 4 divide columns, 5 to 7 rows.
[[nodiscard]] int status_of(const normal_thread& whole);

/// The two halves of a thread that is not a leaf.
[[nodiscard]] std::vector<normal_thread> halves_of(const normal_thread& whole);

/// The result of dividing a thread by one firing.
struct matrix_parts {
    std::vector<normal_thread> threads;
    std::vector<leaf_thread> leaves;
};

/// `most` is the number of threads that one firing may create: 2, 4 (as in the paper), 8 or 16.
/// Another level of halves is created while it fits and no thread of the current level is a leaf,
/// unless the thread is a pair of columns or rows.
[[nodiscard]] matrix_parts divide(const normal_thread& whole, std::size_t most = 4);

} // namespace weft::models
