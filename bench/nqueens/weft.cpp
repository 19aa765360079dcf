#include "nqueens/config.hpp"
#include "runner/weft_stage.hpp"

namespace bench::nqueens {
namespace {

std::int64_t count(board placed) {
    if (placed.is_full()) return 1;
    const choices free{placed};
    return fork_sum(0, free.count,
                    [&placed, &free](int each) { return count(placed.with_queen(free[each])); });
}

const registration registered{
    {"nqueens", "weft", [](const request& request) {
         return contestants<weft_stage>(
             request, [](const weft_stage& /*stage*/, board start) { return count(start); });
     }}};

} // namespace
} // namespace bench::nqueens
