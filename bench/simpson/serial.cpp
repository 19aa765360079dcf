#include "runner/serial_stage.hpp"
#include "simpson/config.hpp"

namespace bench::simpson {
namespace {

double integrate(const interval& whole) {
    const halving halves{whole};
    if (halves.is_done) return halves.area;
    return integrate(halves.left) + integrate(halves.right);
}

const registration registered{
    {"simpson", "serial", [](const request& request) {
         return contestants<serial_stage>(
             request,
             [](const serial_stage& /*stage*/, const interval& whole) { return integrate(whole); });
     }}};

} // namespace
} // namespace bench::simpson
