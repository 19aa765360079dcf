#include "nqueens/config.hpp"
#include "runner/tbb_stage.hpp"

#include <array>
#include <cstddef>
#include <numeric>

namespace bench::nqueens {
namespace {

std::int64_t count(board placed) {
    if (placed.is_full()) return 1;
    const choices free{placed};
    std::array<std::int64_t, most_rows> found{};
    tbb::task_group group;
    for (int each = 0; each != free.count; ++each) {
        std::int64_t& result = found[static_cast<std::size_t>(each)];
        group.run([next = placed.with_queen(free[each]), &result] { result = count(next); });
    }
    group.wait();
    return std::accumulate(found.begin(), found.begin() + free.count, std::int64_t{0});
}

const registration registered{
    {"nqueens", "tbb", [](const request& request) {
         return contestants<tbb_stage>(
             request, [](const tbb_stage& /*stage*/, board start) { return count(start); });
     }}};

} // namespace
} // namespace bench::nqueens
