#include "runner/serial_stage.hpp"
#include "skynet/config.hpp"

namespace bench::skynet {
namespace {

[[gnu::noinline]] std::int64_t sum(node parent) {
    if (parent.is_leaf()) return parent.first;
    std::int64_t total = 0;
    for (int each = 0; each != fan_out; ++each) total += sum(parent.child(each));
    return total;
}

const registration registered{{"skynet", "serial", [](const request& request) {
                                   return contestants<serial_stage>(request, sum);
                               }}};

} // namespace
} // namespace bench::skynet
