#include "mergesort/config.hpp"
#include "runner/weft_stage.hpp"

namespace bench::mergesort {
namespace {

void sort(part some) {
    if (some.is_small()) return sort_grain(some.data);
    weft::fork_join([&some] { sort(some.left()); }, [&some] { sort(some.right()); });
    merge(some);
}

const registration registered{{"mergesort", "weft", [](const request& request) {
                                   return contestants<weft_stage>(
                                       request,
                                       [](const weft_stage& /*stage*/, part all) { sort(all); });
                               }}};

} // namespace
} // namespace bench::mergesort
