#include "runner/serial_stage.hpp"
#include "sum/config.hpp"

namespace bench::sum {
namespace {

std::int64_t sum(numbers some) {
    if (some.size() <= grain) return sum_grain(some);
    const std::size_t half = some.size() / 2;
    return sum(some.first(half)) + sum(some.subspan(half));
}

const registration registered{
    {"sum", "serial", [](const request& request) {
         return contestants<serial_stage>(
             request, [](const serial_stage& /*stage*/, numbers all) { return sum(all); });
     }}};

} // namespace
} // namespace bench::sum
