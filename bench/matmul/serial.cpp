#include "matmul/config.hpp"
#include "runner/serial_stage.hpp"

namespace bench::matmul {
namespace {

void multiply(const product& some) {
    if (some.is_block()) return multiply_block(some);
    for (const std::size_t step : steps) {
        multiply(some.part(0, 0, step));
        multiply(some.part(0, 1, step));
        multiply(some.part(1, 0, step));
        multiply(some.part(1, 1, step));
    }
}

const registration registered{
    {"matmul", "serial", [](const request& request) {
         return contestants<serial_stage>(
             request, [](const serial_stage& /*stage*/, const product& all) { multiply(all); });
     }}};

} // namespace
} // namespace bench::matmul
