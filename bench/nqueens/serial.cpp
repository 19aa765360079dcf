#include "nqueens/config.hpp"
#include "runner/serial_stage.hpp"

namespace bench::nqueens {
namespace {

std::int64_t count(board from) {
    if (from.is_full()) return 1;
    const choices free{from};
    std::int64_t found = 0;
    for (int each = 0; each != free.count; ++each) found += count(from.with(free[each]));
    return found;
}

const registration registered{
    {"nqueens", "serial", [](const request& how) {
         return contestants<serial_stage>(
             how, [](const serial_stage& /*stage*/, board start) { return count(start); });
     }}};

} // namespace
} // namespace bench::nqueens
