// The product of two matrices, divided as in the paper on the Multi Stealing Scheduler: the columns or the rows of the
// result are halved until a small part is left. The paper's leaf is a cell; a block of 32 × 32 keeps a machine busy.
#pragma once

#include "acts/act.hpp"
#include "acts/stopwatch.hpp"

#include <cstddef>
#include <vector>

namespace weft::demo::matrix {

inline constexpr std::size_t block = 32;

/// Small whole numbers, so that the result is exact.
struct matrices {
    explicit matrices(std::size_t size) : n{size}, a(size * size), b(size * size), c(size * size) {
        for (std::size_t i = 0; i != a.size(); ++i) {
            a[i] = static_cast<double>(i * 7 % 13) - 6;
            b[i] = static_cast<double>(i * 5 % 11) - 5;
        }
    }
    std::size_t n;
    std::vector<double> a;
    std::vector<double> b;
    std::vector<double> c;
};

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

[[gnu::noinline]] inline void multiply_block(matrices& all, const part& where) {
    const std::size_t n = all.n;
    for (std::size_t row = where.first_row; row != where.last_row; ++row) {
        double* c = all.c.data() + row * n;
        for (std::size_t k = 0; k != n; ++k) {
            const double a = all.a[row * n + k];
            const double* b = all.b.data() + k * n;
            for (std::size_t column = where.first_column; column != where.last_column; ++column) {
                c[column] += a * b[column];
            }
        }
    }
}

inline void multiply_serially(matrices& all, const part& where) {
    if (where.is_block()) return multiply_block(all, where);
    multiply_serially(all, where.half(false));
    multiply_serially(all, where.half(true));
}

inline std::vector<double> times(const std::vector<double>& matrix, const std::vector<double>& x) {
    std::vector<double> y(x.size());
    for (std::size_t i = 0; i != matrix.size(); ++i) y[i / x.size()] += matrix[i] * x[i % x.size()];
    return y;
}

/// c x is a (b x) for some x; that it is so by mistake is not likely (Freivalds 1977).
inline bool is_product(const matrices& all) {
    std::vector<double> x(all.n);
    for (std::size_t i = 0; i != all.n; ++i) x[i] = static_cast<double>(i * i % 101);
    return times(all.c, x) == times(all.a, times(all.b, x));
}

/// `multiply(matrices, whole)`, timed and checked.
template <class Multiply>
outcome measure(const settings& how, Multiply multiply) {
    matrices all{how.choose<std::size_t>(640, 160)};
    const stopwatch watch;
    multiply(all, part{0, all.n, 0, all.n});
    const double seconds = watch.seconds();
    return {{{"seconds", seconds, "s"}}, {{"the product is right", is_product(all)}}, {}};
}

} // namespace weft::demo::matrix
