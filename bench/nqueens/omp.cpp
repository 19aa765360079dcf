#include "nqueens/config.hpp"
#include "runner/omp_stage.hpp"

#include <array>
#include <cstddef>
#include <numeric>

namespace bench::nqueens {
namespace {

std::int64_t count(board placed) {
    if (placed.is_full()) return 1;
    const choices free{placed};
    std::array<std::int64_t, most_rows> found{};
    for (int each = 0; each != free.count; ++each) {
        const board next = placed.with_queen(free[each]);
        const auto place = static_cast<std::size_t>(each);
#pragma omp task default(none) shared(found) firstprivate(next, place)
        found[place] = count(next);
    }
#pragma omp taskwait
    return std::accumulate(found.begin(), found.begin() + free.count, std::int64_t{0});
}

const registration registered{
    {"nqueens", "omp", [](const request& request) {
         return contestants<omp_stage>(
             request, [](const omp_stage& /*stage*/, board start) { return count(start); });
     }}};

} // namespace
} // namespace bench::nqueens
