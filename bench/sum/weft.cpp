#include "runner/weft_stage.hpp"
#include "sum/config.hpp"

namespace bench::sum {
namespace {

std::int64_t sum(numbers some) {
    if (some.size() <= grain) return sum_grain(some);
    const std::size_t half = some.size() / 2;
    const auto [left, right] = weft::fork_join([part = some.first(half)] { return sum(part); },
                                               [part = some.subspan(half)] { return sum(part); });
    return left + right;
}

const registration registered{
    {"sum", "weft", [](const request& request) {
         return contestants<weft_stage>(
             request, [](const weft_stage& /*stage*/, numbers all) { return sum(all); });
     }}};

} // namespace
} // namespace bench::sum
