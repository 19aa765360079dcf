#include "mergesort/config.hpp"
#include "runner/async_stage.hpp"

#include <future>

namespace bench::mergesort {
namespace {

void sort(part some, int depth) {
    if (some.is_small()) return sort_grain(some.data);
    const int below = depth == 0 ? 0 : depth - 1;
    std::future<void> left;
    if (depth != 0) left = std::async(std::launch::async, sort, some.left(), below);
    else sort(some.left(), below);
    sort(some.right(), below);
    if (depth != 0) left.get();
    merge(some);
}

const registration registered{
    {"mergesort", "async", [](const request& request) {
         return contestants<async_stage>(
             request, [](const async_stage& stage, part all) { sort(all, stage.depth()); });
     }}};

} // namespace
} // namespace bench::mergesort
