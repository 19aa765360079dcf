#include "fib/config.hpp"
#include "runner/async_stage.hpp"

#include <future>

namespace bench::fib {
namespace {

[[gnu::noinline]] std::int64_t serial_fib(int n) {
    if (n < 2) return n;
    return serial_fib(n - 1) + serial_fib(n - 2);
}

std::int64_t fib(int n, int depth) {
    if (n < 2 || depth == 0) return serial_fib(n);
    auto one = std::async(std::launch::async, [=] { return fib(n - 1, depth - 1); });
    const std::int64_t two = fib(n - 2, depth - 1);
    return one.get() + two;
}

const registration registered{{"fib", "async", [](const request& request) {
                                   return contestants<async_stage>(
                                       request, forks::fast, [](const async_stage& stage, int n) {
                                           return fib(n, stage.depth());
                                       });
                               }}};

} // namespace
} // namespace bench::fib
