#include "mergesort/config.hpp"
#include "runner/omp_stage.hpp"

namespace bench::mergesort {
namespace {

void sort(part some) {
    if (some.is_small()) return sort_grain(some.data);
#pragma omp task default(none) firstprivate(some)
    sort(some.left());
    sort(some.right());
#pragma omp taskwait
    merge(some);
}

const registration registered{{"mergesort", "omp", [](const request& request) {
                                   return contestants<omp_stage>(
                                       request,
                                       [](const omp_stage& /*stage*/, part all) { sort(all); });
                               }}};

} // namespace
} // namespace bench::mergesort
