#include "runner/async_stage.hpp"
#include "simpson/config.hpp"

#include <future>

namespace bench::simpson {
namespace {

double serial_integrate(const interval& whole) {
    const halving halves{whole};
    if (halves.is_done) return halves.area;
    return serial_integrate(halves.left) + serial_integrate(halves.right);
}

double integrate(const interval& whole, int depth) {
    if (depth == 0) return serial_integrate(whole);
    const halving halves{whole};
    if (halves.is_done) return halves.area;
    auto left = std::async(std::launch::async, integrate, std::cref(halves.left), depth - 1);
    const double right = integrate(halves.right, depth - 1);
    return left.get() + right;
}

const registration registered{{"simpson", "async", [](const request& request) {
                                   return contestants<async_stage>(
                                       request,
                                       [](const async_stage& stage, const interval& whole) {
                                           return integrate(whole, stage.depth());
                                       });
                               }}};

} // namespace
} // namespace bench::simpson
