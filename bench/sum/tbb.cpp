#include "runner/tbb_stage.hpp"
#include "sum/config.hpp"

namespace bench::sum {
namespace {

std::int64_t sum(numbers some) {
    if (some.size() <= grain) return sum_grain(some);
    const std::size_t half = some.size() / 2;
    std::int64_t right = 0;
    tbb::task_group group;
    group.run([&right, part = some.subspan(half)] { right = sum(part); });
    const std::int64_t left = sum(some.first(half));
    group.wait();
    return left + right;
}

const registration registered{
    {"sum", "tbb", [](const request& request) {
         return contestants<tbb_stage>(
             request, [](const tbb_stage& /*stage*/, numbers all) { return sum(all); });
     }}};

} // namespace
} // namespace bench::sum
