// Two matrices and their product. The benchmark matmul has the same.
#pragma once

#include <cstddef>
#include <vector>

namespace weft::demo::matrix {

/// c = a b, row by row. a and b have small whole numbers, so that the result is exact.
struct matrices {
    matrices(std::size_t height, std::size_t depth, std::size_t width)
        : rows{height}, inner{depth}, columns{width}, a(height * depth), b(depth * width),
          c(height * width) {
        for (std::size_t i = 0; i != a.size(); ++i) a[i] = static_cast<double>(i * 7 % 13) - 6;
        for (std::size_t i = 0; i != b.size(); ++i) b[i] = static_cast<double>(i * 5 % 11) - 5;
    }
    std::size_t rows;    // of a and c
    std::size_t inner;   // columns of a, rows of b
    std::size_t columns; // of b and c
    std::vector<double> a;
    std::vector<double> b;
    std::vector<double> c;
};

/// A matrix with this number of rows, times x.
inline std::vector<double> times(const std::vector<double>& matrix, std::size_t rows,
                                 const std::vector<double>& x) {
    std::vector<double> y(rows);
    for (std::size_t i = 0; i != matrix.size(); ++i) y[i / x.size()] += matrix[i] * x[i % x.size()];
    return y;
}

/// Whether c is a b: compares c x with a (b x) for one x, which a wrong c is unlikely to pass
/// (Freivalds 1977).
inline bool is_product(const matrices& all) {
    std::vector<double> x(all.columns);
    for (std::size_t i = 0; i != x.size(); ++i) x[i] = static_cast<double>(i * i % 101);
    return times(all.c, all.rows, x) == times(all.a, all.rows, times(all.b, all.inner, x));
}

} // namespace weft::demo::matrix
