#include "quicksort/config.hpp"
#include "runner/weft_stage.hpp"

namespace bench::quicksort {
namespace {

void sort(values some) {
    if (is_small(some)) return sort_grain(some);
    const auto [left, right] = split(some);
    weft::fork_join([part = left] { sort(part); }, [part = right] { sort(part); });
}

const registration registered{{"quicksort", "weft", [](const request& request) {
                                   return contestants<weft_stage>(
                                       request,
                                       [](const weft_stage& /*stage*/, values all) { sort(all); });
                               }}};

} // namespace
} // namespace bench::quicksort
