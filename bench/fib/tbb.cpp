#include "fib/config.hpp"
#include "runner/tbb_stage.hpp"

namespace bench::fib {
namespace {

std::int64_t fib(int n) {
    if (n < 2) return n;
    std::int64_t one = 0;
    tbb::task_group group;
    group.run([n, &one] { one = fib(n - 1); });
    const std::int64_t two = fib(n - 2);
    group.wait();
    return one + two;
}

const registration registered{{"fib", "tbb", [](const request& request) {
                                   return contestants<tbb_stage>(
                                       request, forks::slow,
                                       [](const tbb_stage& /*stage*/, int n) { return fib(n); });
                               }}};

} // namespace
} // namespace bench::fib
