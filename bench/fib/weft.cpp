#include "fib/config.hpp"
#include "runner/weft_stage.hpp"

namespace bench::fib {
namespace {

std::int64_t fib(int n) {
    if (n < 2) return n;
    const auto [one, two] = weft::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
    return one + two;
}

const registration registered{{"fib", "weft", [](const request& request) {
                                   return contestants<weft_stage>(
                                       request, forks::fast,
                                       [](const weft_stage& /*stage*/, int n) { return fib(n); });
                               }}};

} // namespace
} // namespace bench::fib
