#include "matmul/config.hpp"
#include "runner/weft_stage.hpp"

namespace bench::matmul {
namespace {

void multiply(const product& some) {
    if (some.is_block()) return multiply_block(some);
    for (const std::size_t step : steps) {
        weft::fork_join([&some, step] { multiply(some.part(0, 0, step)); },
                        [&some, step] { multiply(some.part(0, 1, step)); },
                        [&some, step] { multiply(some.part(1, 0, step)); },
                        [&some, step] { multiply(some.part(1, 1, step)); });
    }
}

const registration registered{
    {"matmul", "weft", [](const request& request) {
         return contestants<weft_stage>(
             request, [](const weft_stage& /*stage*/, const product& all) { multiply(all); });
     }}};

} // namespace
} // namespace bench::matmul
