#include "runner/weft_stage.hpp"
#include "skynet/config.hpp"

namespace bench::skynet {
namespace {

std::int64_t sum(node here) {
    if (here.is_leaf()) return here.first;
    return fork_sum(0, fan_out, [here](int each) { return sum(here.child(each)); });
}

const registration registered{
    {"skynet", "weft", [](const request& how) { return contestants<weft_stage>(how, sum); }}};

} // namespace
} // namespace bench::skynet
