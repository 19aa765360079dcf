#include "runner/omp_stage.hpp"
#include "sum/config.hpp"

namespace bench::sum {
namespace {

std::int64_t sum(numbers some) {
    if (some.size() <= grain) return sum_grain(some);
    const std::size_t half = some.size() / 2;
    std::int64_t right = 0;
#pragma omp task default(none) shared(right) firstprivate(some, half)
    right = sum(some.subspan(half));
    const std::int64_t left = sum(some.first(half));
#pragma omp taskwait
    return left + right;
}

const registration registered{
    {"sum", "omp", [](const request& request) {
         return contestants<omp_stage>(
             request, [](const omp_stage& /*stage*/, numbers all) { return sum(all); });
     }}};

} // namespace
} // namespace bench::sum
