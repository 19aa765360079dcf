#include "matmul/config.hpp"
#include "runner/weft_c_stage.hpp"

namespace bench::matmul {
namespace {

struct task {
    matrices* all;
    block_2d tiles;
};

/// `data` points to a task.
void* multiply(thread_pool* pool, void* data) {
    const auto& [all, tiles] = *static_cast<task*>(data);
    if (tiles.size() == 1) {
        multiply_tiles(*all, tiles);
        return nullptr;
    }
    const auto [first, second] = halves_of(tiles);
    task left{all, first};
    task right{all, second};
    future* forked = thread_pool_submit(pool, multiply, &right);
    multiply(pool, &left);
    future_get(forked);
    future_free(forked);
    return nullptr;
}

const registration registered{{"matmul", "weft-c", [](const request& request) {
                                   return contestants<weft_c_stage>(
                                       request, [](const weft_c_stage& stage, matrices& all) {
                                           task whole{&all, tiles_of(all)};
                                           multiply(stage.pool(), &whole);
                                       });
                               }}};

} // namespace
} // namespace bench::matmul
