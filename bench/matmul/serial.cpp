#include "matmul/config.hpp"
#include "runner/serial_stage.hpp"

#include <array>

namespace bench::matmul {
namespace {

/// The plain loops in blocks, of the sizes that were fastest here: one of b stays in the cache for
/// 64 rows of a.
[[gnu::noinline]] void multiply_plainly(matrices& all) {
    constexpr std::size_t row_step = 64;
    constexpr std::size_t inner_step = 64;
    constexpr std::size_t column_step = 256;
    const auto [rows, inner, columns] = std::array{all.rows, all.inner, all.columns};
    for (std::size_t i0 = 0; i0 < rows; i0 += row_step) {
        const std::size_t i1 = std::min(i0 + row_step, rows);
        for (std::size_t k0 = 0; k0 < inner; k0 += inner_step) {
            const std::size_t k1 = std::min(k0 + inner_step, inner);
            for (std::size_t j0 = 0; j0 < columns; j0 += column_step) {
                const std::size_t j1 = std::min(j0 + column_step, columns);
                for (std::size_t i = i0; i != i1; ++i) {
                    double* c = all.c.data() + i * columns;
                    for (std::size_t k = k0; k != k1; ++k) {
                        const double a = all.a[i * inner + k];
                        const double* b = all.b.data() + k * columns;
                        for (std::size_t j = j0; j != j1; ++j) c[j] += a * b[j];
                    }
                }
            }
        }
    }
}

/// What the libraries divide, one tile after the other.
void multiply_by_tiles(matrices& all) {
    const block_2d tiles = tiles_of(all);
    for (std::size_t row = 0; row != tiles.rows.last; ++row) {
        for (std::size_t column = 0; column != tiles.columns.last; ++column) {
            multiply_tiles(all, {{row, row + 1}, {column, column + 1}});
        }
    }
}

const registration plainly{
    {"matmul", serial_library, [](const request& request) {
         return contestants<serial_stage>(
             request, [](const serial_stage& /*stage*/, matrices& all) { multiply_plainly(all); });
     }}};
const registration by_tiles{
    {"matmul", "serial-tiles", [](const request& request) {
         return contestants<serial_stage>(
             request, [](const serial_stage& /*stage*/, matrices& all) { multiply_by_tiles(all); });
     }}};

} // namespace
} // namespace bench::matmul
