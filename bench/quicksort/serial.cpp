#include "quicksort/config.hpp"
#include "runner/serial_stage.hpp"

namespace bench::quicksort {
namespace {

void sort(values some) {
    if (is_small(some)) return sort_grain(some);
    const auto [left, right] = split(some);
    sort(left);
    sort(right);
}

const registration registered{
    {"quicksort", "serial", [](const request& request) {
         return contestants<serial_stage>(
             request, [](const serial_stage& /*stage*/, values all) { sort(all); });
     }}};

} // namespace
} // namespace bench::quicksort
