#include "matmul/config.hpp"
#include "runner/weft_stage.hpp"

#include <weft/parallel_for.hpp>

namespace bench::matmul {
namespace {

void multiply(matrices& all) {
    weft::parallel_for(tiles_of(all), [&](const block_2d& part) { multiply_tiles(all, part); });
}

const registration registered{
    {"matmul", "weft", [](const request& request) {
         return contestants<weft_stage>(
             request, [](const weft_stage& /*stage*/, matrices& all) { multiply(all); });
     }}};

} // namespace
} // namespace bench::matmul
