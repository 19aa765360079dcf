#include "runner/serial_stage.hpp"
#include "uts/config.hpp"

namespace bench::uts {
namespace {

std::int64_t count(const tree& whole, const node& parent) {
    const int children = children_of(whole, parent);
    std::int64_t total = 1;
    for (int each = 0; each != children; ++each) total += count(whole, child_of(parent, each));
    return total;
}

const registration registered{{"uts", "serial", [](const request& request) {
                                   return contestants<serial_stage>(request, count);
                               }}};

} // namespace
} // namespace bench::uts
