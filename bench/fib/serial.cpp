#include "fib/config.hpp"
#include "runner/serial_stage.hpp"

namespace bench::fib {
namespace {

/// Not inlined into itself: a call is what a fork is compared with.
[[gnu::noinline]] std::int64_t fib(int n) {
    if (n < 2) return n;
    return fib(n - 1) + fib(n - 2);
}

const registration registered{{"fib", "serial", [](const request& how) {
                                   return contestants<serial_stage>(
                                       how, forks::fast,
                                       [](const serial_stage& /*stage*/, int n) { return fib(n); });
                               }}};

} // namespace
} // namespace bench::fib
