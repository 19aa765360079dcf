#include "runner/omp_stage.hpp"
#include "skynet/config.hpp"

#include <array>
#include <cstddef>
#include <numeric>

namespace bench::skynet {
namespace {

std::int64_t sum(node parent) {
    if (parent.is_leaf()) return parent.first;
    std::array<std::int64_t, fan_out> sums{};
    for (int each = 0; each != fan_out; ++each) {
        const node child = parent.child(each);
        const auto place = static_cast<std::size_t>(each);
#pragma omp task default(none) shared(sums) firstprivate(child, place)
        sums[place] = sum(child);
    }
#pragma omp taskwait
    return std::accumulate(sums.begin(), sums.end(), std::int64_t{0});
}

const registration registered{
    {"skynet", "omp", [](const request& request) { return contestants<omp_stage>(request, sum); }}};

} // namespace
} // namespace bench::skynet
