#include "runner/weft_stage.hpp"
#include "skynet/config.hpp"

namespace bench::skynet {
namespace {

std::int64_t sum(node parent) {
    if (parent.is_leaf()) return parent.first;
    return fork_sum(0, fan_out, [parent](int each) { return sum(parent.child(each)); });
}

const registration registered{{"skynet", "weft", [](const request& request) {
                                   return contestants<weft_stage>(request, sum);
                               }}};

} // namespace
} // namespace bench::skynet
