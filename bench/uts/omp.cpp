#include "runner/omp_stage.hpp"
#include "uts/config.hpp"

namespace bench::uts {
namespace {

std::int64_t count(const tree& whole, const node& parent) {
    const int children = children_of(whole, parent);
    std::int64_t total = 1;
    for (int each = 0; each != children; ++each) {
#pragma omp task default(none) shared(whole, parent, total) firstprivate(each)
        {
            const std::int64_t below = count(whole, child_of(parent, each));
#pragma omp atomic
            total += below;
        }
    }
#pragma omp taskwait
    return total;
}

const registration registered{
    {"uts", "omp", [](const request& request) { return contestants<omp_stage>(request, count); }}};

} // namespace
} // namespace bench::uts
