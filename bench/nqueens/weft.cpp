#include "nqueens/config.hpp"
#include "runner/weft_stage.hpp"

namespace bench::nqueens {
namespace {

std::int64_t count(board from) {
    if (from.is_full()) return 1;
    const choices free{from};
    return fork_sum(0, free.count,
                    [&from, &free](int each) { return count(from.with(free[each])); });
}

const registration registered{
    {"nqueens", "weft", [](const request& how) {
         return contestants<weft_stage>(
             how, [](const weft_stage& /*stage*/, board start) { return count(start); });
     }}};

} // namespace
} // namespace bench::nqueens
