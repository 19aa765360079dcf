#include "matmul/config.hpp"
#include "runner/tbb_stage.hpp"

#include <tbb/blocked_range2d.h>
#include <tbb/parallel_for.h>

namespace bench::matmul {
namespace {

/// oneTBB divides the cells themselves, into parts that are not much smaller than a tile.
void multiply(matrices& all) {
    using range = tbb::blocked_range2d<std::size_t>;
    tbb::parallel_for(range{0, all.rows, tile_rows, 0, all.columns, tile_columns},
                      [&all](const range& part) {
                          multiply_cells(all, {{part.rows().begin(), part.rows().end()},
                                               {part.cols().begin(), part.cols().end()}});
                      });
}

const registration registered{
    {"matmul", "tbb", [](const request& request) {
         return contestants<tbb_stage>(
             request, [](const tbb_stage& /*stage*/, matrices& all) { multiply(all); });
     }}};

} // namespace
} // namespace bench::matmul
