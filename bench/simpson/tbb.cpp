#include "runner/tbb_stage.hpp"
#include "simpson/config.hpp"

namespace bench::simpson {
namespace {

double integrate(const interval& whole) {
    const halving halves{whole};
    if (halves.is_done) return halves.area;
    double left = 0;
    tbb::task_group group;
    group.run([&halves, &left] { left = integrate(halves.left); });
    const double right = integrate(halves.right);
    group.wait();
    return left + right;
}

const registration registered{
    {"simpson", "tbb", [](const request& request) {
         return contestants<tbb_stage>(
             request,
             [](const tbb_stage& /*stage*/, const interval& whole) { return integrate(whole); });
     }}};

} // namespace
} // namespace bench::simpson
