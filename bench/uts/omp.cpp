#include "runner/omp_stage.hpp"
#include "uts/config.hpp"

namespace bench::uts {
namespace {

std::int64_t count(const tree& of, const node& here) {
    const int children = children_of(of, here);
    std::int64_t total = 1;
    for (int each = 0; each != children; ++each) {
#pragma omp task default(none) shared(of, here, total) firstprivate(each)
        {
            const std::int64_t below = count(of, child_of(here, each));
#pragma omp atomic
            total += below;
        }
    }
#pragma omp taskwait
    return total;
}

const registration registered{
    {"uts", "omp", [](const request& how) { return contestants<omp_stage>(how, count); }}};

} // namespace
} // namespace bench::uts
