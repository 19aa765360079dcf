#include "runner/omp_stage.hpp"
#include "simpson/config.hpp"

namespace bench::simpson {
namespace {

double integrate(const interval& whole) {
    const halving halves{whole};
    if (halves.is_done) return halves.area;
    double left = 0;
#pragma omp task default(none) shared(left, halves)
    left = integrate(halves.left);
    const double right = integrate(halves.right);
#pragma omp taskwait
    return left + right;
}

const registration registered{
    {"simpson", "omp", [](const request& request) {
         return contestants<omp_stage>(
             request,
             [](const omp_stage& /*stage*/, const interval& whole) { return integrate(whole); });
     }}};

} // namespace
} // namespace bench::simpson
