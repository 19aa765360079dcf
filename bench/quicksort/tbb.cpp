#include "quicksort/config.hpp"
#include "runner/tbb_stage.hpp"

namespace bench::quicksort {
namespace {

void sort(values some) {
    if (is_small(some)) return sort_grain(some);
    const auto [left, right] = split(some);
    tbb::task_group group;
    group.run([part = left] { sort(part); });
    sort(right);
    group.wait();
}

const registration registered{{"quicksort", "tbb", [](const request& request) {
                                   return contestants<tbb_stage>(
                                       request,
                                       [](const tbb_stage& /*stage*/, values all) { sort(all); });
                               }}};

} // namespace
} // namespace bench::quicksort
