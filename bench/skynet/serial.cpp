#include "runner/serial_stage.hpp"
#include "skynet/config.hpp"

namespace bench::skynet {
namespace {

[[gnu::noinline]] std::int64_t sum(node here) {
    if (here.is_leaf()) return here.first;
    std::int64_t total = 0;
    for (int each = 0; each != fan_out; ++each) total += sum(here.child(each));
    return total;
}

const registration registered{
    {"skynet", "serial", [](const request& how) { return contestants<serial_stage>(how, sum); }}};

} // namespace
} // namespace bench::skynet
