// c += a * b of square matrices, by quadrants: four products in parallel, then the other four;
// small blocks by loops.
#pragma once

#include "runner/timed.hpp"

#include "acts/matrix/matrices.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench::matmul {

inline constexpr std::size_t block = 32;

/// The products are done in two steps, since two of them add up in each quadrant of c.
inline constexpr std::array<std::size_t, 2> steps{0, 1};

/// A square part of a matrix.
struct view {
    double* data;
    std::size_t stride;
    std::size_t size;

    [[nodiscard]] view quadrant(std::size_t row, std::size_t column) const {
        const std::size_t half = size / 2;
        return {data + row * half * stride + column * half, stride, half};
    }
    [[nodiscard]] double* row(std::size_t index) const { return data + index * stride; }
};

/// c += a * b
struct product {
    view c;
    view a;
    view b;

    [[nodiscard]] bool is_block() const { return c.size <= block; }
    [[nodiscard]] product part(std::size_t row, std::size_t column, std::size_t step) const {
        return {c.quadrant(row, column), a.quadrant(row, step), b.quadrant(step, column)};
    }
};

[[gnu::noinline]] inline void multiply_block(const product& some) {
    for (std::size_t i = 0; i != block; ++i) {
        double* c = some.c.row(i);
        for (std::size_t k = 0; k != block; ++k) {
            const double a = some.a.row(i)[k];
            const double* b = some.b.row(k);
            for (std::size_t j = 0; j != block; ++j) c[j] += a * b[j];
        }
    }
}

using weft::demo::matrix::matrices;

inline product whole_of(matrices& all) {
    const std::size_t n = all.n;
    return {{all.c.data(), n, n}, {all.a.data(), n, n}, {all.b.data(), n, n}};
}

class problem {
public:
    explicit problem(std::size_t n) : n_{n} {}
    [[nodiscard]] parameters describe() const {
        return {{"n", static_cast<std::int64_t>(n_)}, {"block", static_cast<std::int64_t>(block)}};
    }
    /// Six for each product that is not a block: three of each four are forked.
    [[nodiscard]] std::int64_t tasks() const { return forks(n_); }
    [[nodiscard]] matrices make() const { return matrices{n_}; }
    void check(const matrices& state, int /*result*/) const {
        expect_equal("product", weft::demo::matrix::is_product(state), true);
    }

private:
    static std::int64_t forks(std::size_t n) { return n <= block ? 0 : 6 + 8 * forks(n / 2); }

    std::size_t n_;
};

template <class Stage, class Multiply>
std::vector<contestant> contestants(const request& request, Multiply multiply) {
    const problem usual{512};
    const problem large{1024};
    return on_stage<Stage>(request, request.choose<std::vector<problem>>({usual}, {usual, large}),
                           [multiply](const Stage& stage, const problem& /*some*/, matrices& all) {
                               multiply(stage, whole_of(all));
                               return 0;
                           });
}

} // namespace bench::matmul
