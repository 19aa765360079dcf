#include "runner/tbb_stage.hpp"
#include "skynet/config.hpp"

#include <array>
#include <cstddef>
#include <numeric>

namespace bench::skynet {
namespace {

std::int64_t sum(node parent) {
    if (parent.is_leaf()) return parent.first;
    std::array<std::int64_t, fan_out> sums{};
    tbb::task_group group;
    for (int each = 0; each != fan_out; ++each) {
        std::int64_t& result = sums[static_cast<std::size_t>(each)];
        group.run([child = parent.child(each), &result] { result = sum(child); });
    }
    group.wait();
    return std::accumulate(sums.begin(), sums.end(), std::int64_t{0});
}

const registration registered{
    {"skynet", "tbb", [](const request& request) { return contestants<tbb_stage>(request, sum); }}};

} // namespace
} // namespace bench::skynet
