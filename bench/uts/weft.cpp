#include "runner/weft_stage.hpp"
#include "uts/config.hpp"

namespace bench::uts {
namespace {

std::int64_t count(const tree& whole, const node& parent) {
    return 1 + fork_sum(0, children_of(whole, parent), [&whole, &parent](int each) {
               return count(whole, child_of(parent, each));
           });
}

const registration registered{{"uts", "weft", [](const request& request) {
                                   return contestants<weft_stage>(request, count);
                               }}};

} // namespace
} // namespace bench::uts
