// A matrix product, by quadrants.
#include <weft/fork_join.hpp>
#include <weft/future.hpp>

#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <vector>

namespace {

// [view]
/// A square part of a matrix; it does not own the memory.
template <class T>
struct square {
    T* first;
    std::size_t size;
    std::size_t stride;

    T& at(std::size_t row, std::size_t column) const { return first[row * stride + column]; }
    [[nodiscard]] square quadrant(std::size_t row, std::size_t column) const {
        const std::size_t half = size / 2;
        return {&at(row * half, column * half), half, stride};
    }
};
using target = square<double>;
using source = square<const double>;
// [/view]

void multiply_block(target c, source a, source b) {
    for (std::size_t i = 0; i != c.size; ++i) {
        for (std::size_t k = 0; k != c.size; ++k) {
            for (std::size_t j = 0; j != c.size; ++j) c.at(i, j) += a.at(i, k) * b.at(k, j);
        }
    }
}

// [multiply]
/// c += a b. Each quadrant of c is the sum of two products, one after the other; the quadrants are
/// independent.
void multiply(target c, source a, source b) {
    if (c.size <= 32) {
        multiply_block(c, a, b);
        return;
    }
    const auto quadrant = [=](std::size_t row, std::size_t column) {
        multiply(c.quadrant(row, column), a.quadrant(row, 0), b.quadrant(0, column));
        multiply(c.quadrant(row, column), a.quadrant(row, 1), b.quadrant(1, column));
    };
    weft::fork_join([&] { quadrant(0, 0); }, [&] { quadrant(0, 1); }, //
                    [&] { quadrant(1, 0); }, [&] { quadrant(1, 1); });
}
// [/multiply]

} // namespace

int main() { // NOLINT(bugprone-exception-escape): then it ends, and says why
    constexpr std::size_t size = 256;
    std::vector<double> a(size * size);
    std::vector<double> b(size * size);
    std::vector<double> c(size * size);
    std::vector<double> expected(size * size);
    for (std::size_t i = 0; i != a.size(); ++i) {
        a[i] = static_cast<double>(i % 7); // whole numbers, so that the sums are exact
        b[i] = static_cast<double>(i % 5);
    }

    weft::pool pool;
    pool.run(
        [&] { multiply({c.data(), size, size}, {a.data(), size, size}, {b.data(), size, size}); });

    multiply_block({expected.data(), size, size}, {a.data(), size, size}, {b.data(), size, size});
    std::cout << size << " by " << size << ": " << (c == expected ? "right" : "WRONG") << '\n';
    return c == expected ? EXIT_SUCCESS : EXIT_FAILURE;
}
