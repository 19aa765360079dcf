#include "matmul/config.hpp"
#include "runner/async_stage.hpp"

#include <future>

namespace bench::matmul {
namespace {

void multiply(matrices& all, const block_2d& tiles, int depth) {
    if (depth == 0 || tiles.size() == 1) return multiply_tiles(all, tiles);
    const auto [first, second] = halves_of(tiles);
    auto forked = std::async(std::launch::async, multiply, std::ref(all), second, depth - 1);
    multiply(all, first, depth - 1);
    forked.get();
}

const registration registered{{"matmul", "async", [](const request& request) {
                                   return contestants<async_stage>(
                                       request, [](const async_stage& stage, matrices& all) {
                                           multiply(all, tiles_of(all), stage.depth());
                                       });
                               }}};

} // namespace
} // namespace bench::matmul
