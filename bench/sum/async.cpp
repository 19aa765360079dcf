#include "runner/async_stage.hpp"
#include "sum/config.hpp"

#include <future>

namespace bench::sum {
namespace {

std::int64_t serial_sum(numbers some) {
    if (some.size() <= grain) return sum_grain(some);
    const std::size_t half = some.size() / 2;
    return serial_sum(some.first(half)) + serial_sum(some.subspan(half));
}

std::int64_t sum(numbers some, int depth) {
    if (depth == 0) return serial_sum(some);
    const std::size_t half = some.size() / 2;
    auto right = std::async(std::launch::async, sum, some.subspan(half), depth - 1);
    const std::int64_t left = sum(some.first(half), depth - 1);
    return left + right.get();
}

const registration registered{{"sum", "async", [](const request& request) {
                                   return contestants<async_stage>(
                                       request, [](const async_stage& stage, numbers all) {
                                           return sum(all, stage.depth());
                                       });
                               }}};

} // namespace
} // namespace bench::sum
