// Problems for the multi-stealing model: their threads, how a thread is divided, and how leaves
// make up the result.
//
// A problem has the types thread, leaf and result, and the functions root(), divide(thread),
// start() and solve(result, leaf), which are pure.
#pragma once

#include "models/matrix_division.hpp"
#include <weft/lab/colour.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace weft::models {

using matrix = std::vector<std::vector<std::int32_t>>;

/// The colour of a token without information.
struct nothing {
    [[nodiscard]] static std::tuple<> fields() { return {}; }
    friend bool operator==(const nothing&, const nothing&) = default;
};

template <class Thread, class Leaf>
struct parts {
    std::vector<Thread> threads;
    std::vector<Leaf> leaves;
};

/// The product of an m×n and an n×p matrix.
struct matrix_product {
    using thread = normal_thread;
    using leaf = leaf_thread;
    using result = matrix;

    matrix a;
    matrix b;
    std::size_t most_children = 4;

    [[nodiscard]] thread root() const {
        return {1, 0, 1, size_of(a), size_of(b), 1, size_of(b.front())};
    }
    [[nodiscard]] parts<thread, leaf> divide(const thread& whole) const {
        matrix_parts made = models::divide(whole, most_children);
        return {std::move(made.threads), std::move(made.leaves)};
    }
    [[nodiscard]] result start() const {
        result zero(a.size(), std::vector<std::int32_t>(b.front().size(), 0));
        return zero;
    }
    [[nodiscard]] static result solve(const matrix& a, const matrix& b, result so_far,
                                      const leaf& cell) {
        const auto row = static_cast<std::size_t>(cell.row) - 1;
        const auto column = static_cast<std::size_t>(cell.column) - 1;
        std::int32_t sum = 0;
        for (std::size_t each = 0; each != b.size(); ++each) sum += a[row][each] * b[each][column];
        so_far[row][column] = sum;
        return so_far;
    }

    /// Matrices of these sizes with small numbers.
    static matrix_product of_sizes(std::size_t m, std::size_t n, std::size_t p);

private:
    template <class T>
    static std::int32_t size_of(const T& items) {
        return static_cast<std::int32_t>(items.size());
    }
};

/// A matrix product reduced to shapes: the numbers of rows and columns of a thread, and the number
/// of leaves. These alone determine which transitions are enabled, so it has the same runs with far
/// fewer markings.
struct matrix_shapes {
    /// A range of rows or columns. Its start matters only if some half is odd: a range that starts
    /// with the first row or column is then divided differently from later ones.
    struct range {
        std::int32_t size = 1;
        bool from_first = false;

        friend bool operator==(const range&, const range&) = default;
        [[nodiscard]] std::int32_t begin() const { return from_first ? 1 : size + 1; }
        [[nodiscard]] std::int32_t end() const { return begin() + size - 1; }
        static range between(std::int32_t first, std::int32_t last) {
            const std::int32_t size = last - first + 1;
            const bool always_even = (size & (size - 1)) == 0;
            return {size, !always_even && first == 1};
        }
    };
    struct thread {
        range rows;
        range columns;

        [[nodiscard]] auto fields() const {
            return std::tie(rows.size, rows.from_first, columns.size, columns.from_first);
        }
        [[nodiscard]] std::string text() const {
            return std::to_string(rows.size) + "x" + std::to_string(columns.size);
        }
        friend bool operator==(const thread&, const thread&) = default;
    };
    using leaf = nothing;
    using result = nothing;

    std::int32_t rows = 1;
    std::int32_t columns = 1;
    std::size_t most_children = 4;

    [[nodiscard]] thread root() const {
        return {range::between(1, rows), range::between(1, columns)};
    }
    [[nodiscard]] parts<thread, leaf> divide(const thread& whole) const {
        const normal_thread example = {1,
                                       0,
                                       whole.rows.begin(),
                                       whole.rows.end(),
                                       1,
                                       whole.columns.begin(),
                                       whole.columns.end()};
        const matrix_parts made = models::divide(example, most_children);
        parts<thread, leaf> shapes;
        for (const normal_thread& each : made.threads) {
            shapes.threads.push_back({range::between(each.first_row, each.last_row),
                                      range::between(each.first_column, each.last_column)});
        }
        shapes.leaves.resize(made.leaves.size());
        return shapes;
    }
    [[nodiscard]] static result start() { return {}; }
    [[nodiscard]] static result solve(result /*so_far*/, const leaf& /*one*/) { return {}; }
};

/// Fibonacci numbers by their recursive definition.
struct fibonacci {
    using thread = std::int32_t;
    using leaf = std::int32_t;
    using result = std::int64_t;

    std::int32_t n = 0;

    [[nodiscard]] thread root() const { return n; }
    [[nodiscard]] static parts<thread, leaf> divide(thread number) {
        if (number < 2) return {{}, {number}};
        return {{number - 1, number - 2}, {}};
    }
    [[nodiscard]] static result start() { return 0; }
    [[nodiscard]] static result solve(result so_far, leaf value) { return so_far + value; }
};

/// The positions of a value in a sorted list: a range that cannot contain it is dropped, any other
/// is halved.
struct binary_search {
    struct thread {
        std::int32_t first = 0;
        std::int32_t last = 0;

        [[nodiscard]] auto fields() const { return std::tie(first, last); }
        friend bool operator==(const thread&, const thread&) = default;
    };
    using leaf = std::int32_t;
    using result = std::vector<std::int32_t>; // the positions, ascending

    std::vector<std::int32_t> sorted;
    std::int32_t wanted = 0;

    [[nodiscard]] thread root() const { return {0, static_cast<std::int32_t>(sorted.size()) - 1}; }
    [[nodiscard]] parts<thread, leaf> divide(const thread& range) const {
        if (range.first == range.last) return {{}, {range.first}};
        const std::int32_t middle = (range.first + range.last) / 2;
        parts<thread, leaf> kept;
        for (const thread& half : {thread{range.first, middle}, thread{middle + 1, range.last}}) {
            if (value_at(half.first) <= wanted && wanted <= value_at(half.last))
                kept.threads.push_back(half);
        }
        return kept;
    }
    [[nodiscard]] static result start() { return {}; }
    [[nodiscard]] result solve(result so_far, leaf position) const {
        if (value_at(position) == wanted) {
            so_far.insert(std::ranges::lower_bound(so_far, position), position);
        }
        return so_far;
    }

private:
    [[nodiscard]] std::int32_t value_at(std::int32_t position) const {
        return sorted[static_cast<std::size_t>(position)];
    }
};

/// The Tower of Hanoi. Every move has its number, so that moves may be found in any order.
struct hanoi {
    struct thread {
        std::int32_t disks = 0;
        std::int32_t source = 0;
        std::int32_t target = 0;
        std::int32_t first_move = 0;

        [[nodiscard]] auto fields() const { return std::tie(disks, source, target, first_move); }
        friend bool operator==(const thread&, const thread&) = default;
    };
    struct leaf {
        std::int32_t number = 0;
        std::int32_t source = 0;
        std::int32_t target = 0;

        [[nodiscard]] auto fields() const { return std::tie(number, source, target); }
        friend auto operator<=>(const leaf&, const leaf&) = default;
    };
    using result = std::vector<leaf>; // by number

    std::int32_t disks = 1;

    [[nodiscard]] thread root() const { return {disks, 1, 3, 1}; }
    [[nodiscard]] static parts<thread, leaf> divide(const thread& whole) {
        if (whole.disks == 1) return {{}, {{whole.first_move, whole.source, whole.target}}};
        const std::int32_t spare = 6 - whole.source - whole.target;
        const std::int32_t half = (1 << (whole.disks - 1)) - 1; // moves of all but the largest disk
        const std::int32_t middle = whole.first_move + half;
        return {{{whole.disks - 1, whole.source, spare, whole.first_move},
                 {1, whole.source, whole.target, middle},
                 {whole.disks - 1, spare, whole.target, middle + 1}},
                {}};
    }
    [[nodiscard]] static result start() { return {}; }
    [[nodiscard]] static result solve(result so_far, const leaf& move) {
        so_far.insert(std::ranges::lower_bound(so_far, move), move);
        return so_far;
    }
};

} // namespace weft::models
