#include "matmul/config.hpp"
#include "runner/omp_stage.hpp"

namespace bench::matmul {
namespace {

/// A team for loops: the body is run by one thread, and opens the parallel region itself.
struct loop_stage : omp_stage {
    explicit loop_stage(const request& request)
        : omp_stage{request}, threads{static_cast<int>(request.threads)} {}
    template <class Body>
    auto run(const Body& body) const {
        return body();
    }
    int threads;
};

void multiply(const loop_stage& stage, matrices& all) {
    const block_2d tiles = tiles_of(all);
#pragma omp parallel for collapse(2) schedule(dynamic) num_threads(stage.threads) default(none)    \
    shared(all, tiles)
    for (std::size_t row = 0; row < tiles.rows.last; ++row) {
        for (std::size_t column = 0; column < tiles.columns.last; ++column) {
            multiply_tiles(all, {{row, row + 1}, {column, column + 1}});
        }
    }
}

const registration registered{
    {"matmul", "omp", [](const request& request) {
         return contestants<loop_stage>(
             request, [](const loop_stage& stage, matrices& all) { multiply(stage, all); });
     }}};

} // namespace
} // namespace bench::matmul
