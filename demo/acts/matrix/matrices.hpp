// Two square matrices and their product. The benchmark matmul has the same.
#pragma once

#include <cstddef>
#include <vector>

namespace weft::demo::matrix {

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

inline std::vector<double> times(const std::vector<double>& matrix, const std::vector<double>& x) {
    std::vector<double> y(x.size());
    for (std::size_t i = 0; i != matrix.size(); ++i) y[i / x.size()] += matrix[i] * x[i % x.size()];
    return y;
}

/// Whether c is a b: compares c x with a (b x) for one x, which a wrong c is unlikely to pass
/// (Freivalds 1977).
inline bool is_product(const matrices& all) {
    std::vector<double> x(all.n);
    for (std::size_t i = 0; i != all.n; ++i) x[i] = static_cast<double>(i * i % 101);
    return times(all.c, x) == times(all.a, times(all.b, x));
}

} // namespace weft::demo::matrix
