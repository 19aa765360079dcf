#include "matmul/config.hpp"
#include "runner/weft_c_stage.hpp"

#include <array>

namespace bench::matmul {
namespace {

/// `data` points to a product.
void* multiply(thread_pool* pool, void* data) {
    const product& some = *static_cast<product*>(data);
    if (some.is_block()) {
        multiply_block(some);
        return nullptr;
    }
    for (const std::size_t step : steps) {
        std::array<product, 4> parts{some.part(0, 0, step), some.part(0, 1, step),
                                     some.part(1, 0, step), some.part(1, 1, step)};
        std::array<future*, 3> forked{};
        for (std::size_t i = 0; i != forked.size(); ++i) {
            forked[i] = thread_pool_submit(pool, multiply, &parts[i]);
        }
        multiply(pool, &parts[3]);
        for (std::size_t i = forked.size(); i != 0; --i) {
            future_get(forked[i - 1]);
            future_free(forked[i - 1]);
        }
    }
    return nullptr;
}

const registration registered{
    {"matmul", "weft-c", [](const request& request) {
         return contestants<weft_c_stage>(
             request, [](const weft_c_stage& stage, product all) { multiply(stage.pool(), &all); });
     }}};

} // namespace
} // namespace bench::matmul
