#include "matmul/config.hpp"
#include "runner/omp_stage.hpp"

namespace bench::matmul {
namespace {

void multiply(product some) {
    if (some.is_block()) return multiply_block(some);
    for (const std::size_t step : steps) {
#pragma omp task default(none) firstprivate(some, step)
        multiply(some.part(0, 0, step));
#pragma omp task default(none) firstprivate(some, step)
        multiply(some.part(0, 1, step));
#pragma omp task default(none) firstprivate(some, step)
        multiply(some.part(1, 0, step));
        multiply(some.part(1, 1, step));
#pragma omp taskwait
    }
}

const registration registered{
    {"matmul", "omp", [](const request& request) {
         return contestants<omp_stage>(
             request, [](const omp_stage& /*stage*/, const product& all) { multiply(all); });
     }}};

} // namespace
} // namespace bench::matmul
