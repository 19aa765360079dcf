// In how many ways n queens can stand on a board of n rows so that none threatens another; a row is
// filled after the other, and each column that is free of threats is a task.
#pragma once

#include "runner/timed.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench::nqueens {

inline constexpr int most_rows = 16;

/// The queens of the first rows. Small, and passed by value: tasks share no boards.
struct board {
    std::array<std::int8_t, most_rows> columns{};
    std::int8_t rows = 0;
    std::int8_t size = 0;

    [[nodiscard]] bool is_full() const { return rows == size; }
    [[nodiscard]] bool is_free(int column) const {
        for (int row = 0; row != rows; ++row) {
            const int apart = columns[static_cast<std::size_t>(row)] - column;
            if (apart == 0 || apart == rows - row || apart == row - rows) return false;
        }
        return true;
    }
    [[nodiscard]] board with_queen(int column) const {
        board next = *this;
        next.columns[static_cast<std::size_t>(next.rows++)] = static_cast<std::int8_t>(column);
        return next;
    }
};

/// The columns of the next row that are free.
struct choices {
    explicit choices(const board& start) {
        for (int column = 0; column != start.size; ++column) {
            if (start.is_free(column)) columns[static_cast<std::size_t>(count++)] = column;
        }
    }
    [[nodiscard]] int operator[](int index) const {
        return columns[static_cast<std::size_t>(index)];
    }
    std::array<int, most_rows> columns; // NOLINT(cppcoreguidelines-pro-type-member-init): filled
    int count = 0;
};

struct known {
    int size;
    std::int64_t solutions;
    std::int64_t nodes; // placements of any number of queens, one at least
};

class problem {
public:
    explicit problem(const known& answer) : known_{answer} {}
    [[nodiscard]] board start() const {
        return {.columns = {}, .rows = 0, .size = static_cast<std::int8_t>(known_.size)};
    }
    [[nodiscard]] parameters describe() const { return {{"n", std::int64_t{known_.size}}}; }
    [[nodiscard]] std::int64_t tasks() const { return known_.nodes; }
    [[nodiscard]] static no_state make() { return {}; }
    void check(no_state /*state*/, std::int64_t found) const {
        expect_equal("nqueens", found, known_.solutions);
    }

private:
    known known_;
};

template <class Stage, class Solve>
std::vector<contestant> contestants(const request& request, Solve solve) {
    const problem twelve{{.size = 12, .solutions = 14'200, .nodes = 856'188}};
    const problem thirteen{{.size = 13, .solutions = 73'712, .nodes = 4'674'889}};
    return on_stage<Stage>(request,
                           request.choose<std::vector<problem>>({twelve}, {twelve, thirteen}),
                           [solve](const Stage& stage, const problem& some, no_state /*state*/) {
                               return solve(stage, some.start());
                           });
}

} // namespace bench::nqueens
