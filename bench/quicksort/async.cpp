#include "quicksort/config.hpp"
#include "runner/async_stage.hpp"

#include <future>

namespace bench::quicksort {
namespace {

void sort(values some, int depth) {
    if (is_small(some)) return sort_grain(some);
    const int below = depth == 0 ? 0 : depth - 1;
    const sides both = split(some);
    std::future<void> left;
    if (depth != 0) left = std::async(std::launch::async, sort, both.left, below);
    else sort(both.left, below);
    sort(both.right, below);
    if (depth != 0) left.get();
}

const registration registered{
    {"quicksort", "async", [](const request& request) {
         return contestants<async_stage>(
             request, [](const async_stage& stage, values all) { sort(all, stage.depth()); });
     }}};

} // namespace
} // namespace bench::quicksort
