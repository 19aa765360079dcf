// Parallel algorithms: loops, sums, sorts, and what can be set.
#include <weft/algorithm.hpp>
#include <weft/future.hpp>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <numeric>
#include <vector>

namespace {

bool run_inside(weft::pool& pool) {
    // [inside]
    std::vector<double> roots(10'000);
    double sum = 0;
    pool.run([&] {
        weft::parallel_for(0, roots.size(),
                           [&](std::size_t i) { roots[i] = std::sqrt(static_cast<double>(i)); });
        weft::parallel_sort(roots, std::greater<>{});
        sum = weft::parallel_reduce(roots, 0.0, std::plus<>{}, {.reproducible = true});
    });
    // [/inside]
    return roots.back() == 0 && sum > 666'000;
}

bool run_outside(weft::pool& pool) {
    // [outside]
    std::vector<int> numbers(1'000, 3);
    weft::parallel_inclusive_scan(pool, numbers, numbers.begin());
    const auto found = weft::parallel_find(pool, numbers, 300);
    // [/outside]
    return found - numbers.begin() == 99;
}

bool run_block(weft::pool& pool) {
    // [block]
    std::vector<int> table(12 * 12);
    const weft::block_2d cells{.rows = {0, 12}, .columns = {0, 12}};
    weft::parallel_for(pool, cells, [&](std::size_t row, std::size_t column) {
        table[row * 12 + column] = static_cast<int>((row + 1) * (column + 1));
    });
    // [/block]
    return table.back() == 144;
}

} // namespace

int main() { // NOLINT(bugprone-exception-escape): then it ends, and says why
    weft::pool pool;
    const bool right = run_inside(pool) && run_outside(pool) && run_block(pool);
    std::cout << (right ? "right" : "WRONG") << '\n';
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
