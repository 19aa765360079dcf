#include "mergesort/config.hpp"
#include "runner/serial_stage.hpp"

namespace bench::mergesort {
namespace {

void sort(part some) {
    if (some.is_small()) return sort_grain(some.data);
    sort(some.left());
    sort(some.right());
    merge(some);
}

const registration registered{{"mergesort", "serial", [](const request& request) {
                                   return contestants<serial_stage>(
                                       request,
                                       [](const serial_stage& /*stage*/, part all) { sort(all); });
                               }}};

} // namespace
} // namespace bench::mergesort
