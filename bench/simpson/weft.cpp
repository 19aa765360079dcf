#include "runner/weft_stage.hpp"
#include "simpson/config.hpp"

namespace bench::simpson {
namespace {

double integrate(const interval& whole) {
    const halving halves{whole};
    if (halves.is_done) return halves.area;
    const auto [left, right] = weft::fork_join([&halves] { return integrate(halves.left); },
                                               [&halves] { return integrate(halves.right); });
    return left + right;
}

const registration registered{
    {"simpson", "weft", [](const request& request) {
         return contestants<weft_stage>(
             request,
             [](const weft_stage& /*stage*/, const interval& whole) { return integrate(whole); });
     }}};

} // namespace
} // namespace bench::simpson
