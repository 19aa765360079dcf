#include "fib/config.hpp"
#include "runner/omp_stage.hpp"

namespace bench::fib {
namespace {

std::int64_t fib(int n) {
    if (n < 2) return n;
    std::int64_t one = 0;
#pragma omp task default(none) shared(one) firstprivate(n)
    one = fib(n - 1);
    const std::int64_t two = fib(n - 2);
#pragma omp taskwait
    return one + two;
}

const registration registered{{"fib", "omp", [](const request& request) {
                                   return contestants<omp_stage>(
                                       request, forks::slow,
                                       [](const omp_stage& /*stage*/, int n) { return fib(n); });
                               }}};

} // namespace
} // namespace bench::fib
