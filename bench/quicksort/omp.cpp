#include "quicksort/config.hpp"
#include "runner/omp_stage.hpp"

namespace bench::quicksort {
namespace {

void sort(values some) {
    if (is_small(some)) return sort_grain(some);
    const sides both = split(some);
#pragma omp task default(none) firstprivate(both)
    sort(both.left);
    sort(both.right);
#pragma omp taskwait
}

const registration registered{{"quicksort", "omp", [](const request& request) {
                                   return contestants<omp_stage>(
                                       request,
                                       [](const omp_stage& /*stage*/, values all) { sort(all); });
                               }}};

} // namespace
} // namespace bench::quicksort
