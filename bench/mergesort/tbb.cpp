#include "mergesort/config.hpp"
#include "runner/tbb_stage.hpp"

namespace bench::mergesort {
namespace {

void sort(part some) {
    if (some.is_small()) return sort_grain(some.data);
    tbb::task_group group;
    group.run([some] { sort(some.left()); });
    sort(some.right());
    group.wait();
    merge(some);
}

const registration registered{{"mergesort", "tbb", [](const request& request) {
                                   return contestants<tbb_stage>(
                                       request,
                                       [](const tbb_stage& /*stage*/, part all) { sort(all); });
                               }}};

} // namespace
} // namespace bench::mergesort
