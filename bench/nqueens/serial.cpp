#include "nqueens/config.hpp"
#include "runner/serial_stage.hpp"

namespace bench::nqueens {
namespace {

std::int64_t count(board placed) {
    if (placed.is_full()) return 1;
    const choices free{placed};
    std::int64_t found = 0;
    for (int each = 0; each != free.count; ++each) found += count(placed.with_queen(free[each]));
    return found;
}

const registration registered{
    {"nqueens", "serial", [](const request& request) {
         return contestants<serial_stage>(
             request, [](const serial_stage& /*stage*/, board start) { return count(start); });
     }}};

} // namespace
} // namespace bench::nqueens
