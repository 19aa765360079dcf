#include "runner/weft_stage.hpp"
#include "uts/config.hpp"

namespace bench::uts {
namespace {

std::int64_t count(const tree& of, const node& here) {
    return 1 + fork_sum(0, children_of(of, here),
                        [&of, &here](int each) { return count(of, child_of(here, each)); });
}

const registration registered{
    {"uts", "weft", [](const request& how) { return contestants<weft_stage>(how, count); }}};

} // namespace
} // namespace bench::uts
