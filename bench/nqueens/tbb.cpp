#include "nqueens/config.hpp"
#include "runner/tbb_stage.hpp"

#include <array>
#include <cstddef>
#include <numeric>

namespace bench::nqueens {
namespace {

std::int64_t count(board from) {
    if (from.is_full()) return 1;
    const choices free{from};
    std::array<std::int64_t, most_rows> found{};
    tbb::task_group group;
    for (int each = 0; each != free.count; ++each) {
        std::int64_t& result = found[static_cast<std::size_t>(each)];
        group.run([next = from.with(free[each]), &result] { result = count(next); });
    }
    group.wait();
    return std::accumulate(found.begin(), found.begin() + free.count, std::int64_t{0});
}

const registration registered{
    {"nqueens", "tbb", [](const request& how) {
         return contestants<tbb_stage>(
             how, [](const tbb_stage& /*stage*/, board start) { return count(start); });
     }}};

} // namespace
} // namespace bench::nqueens
