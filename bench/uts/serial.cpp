#include "runner/serial_stage.hpp"
#include "uts/config.hpp"

namespace bench::uts {
namespace {

std::int64_t count(const tree& of, const node& here) {
    const int children = children_of(of, here);
    std::int64_t total = 1;
    for (int each = 0; each != children; ++each) total += count(of, child_of(here, each));
    return total;
}

const registration registered{
    {"uts", "serial", [](const request& how) { return contestants<serial_stage>(how, count); }}};

} // namespace
} // namespace bench::uts
