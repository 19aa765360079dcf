#include "fib/config.hpp"
#include "runner/serial_stage.hpp"

namespace bench::fib {
namespace {

/// With two calls for an addition, which is what a fork is compared with: not inlined into itself,
/// nor the second call made a loop, as compilers do where they see that only an addition follows.
[[gnu::noinline]] std::int64_t fib(int n) {
    if (n < 2) return n;
    const std::int64_t one = fib(n - 1);
    std::int64_t two = fib(n - 2);
    asm volatile("" : "+r"(two));
    return one + two;
}

const registration registered{{"fib", "serial", [](const request& request) {
                                   return contestants<serial_stage>(
                                       request, forks::fast,
                                       [](const serial_stage& /*stage*/, int n) { return fib(n); });
                               }}};

} // namespace
} // namespace bench::fib
