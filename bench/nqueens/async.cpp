#include "nqueens/config.hpp"
#include "runner/async_stage.hpp"

#include <future>
#include <vector>

namespace bench::nqueens {
namespace {

std::int64_t serial_count(board placed) {
    if (placed.is_full()) return 1;
    const choices free{placed};
    std::int64_t found = 0;
    for (int each = 0; each != free.count; ++each)
        found += serial_count(placed.with_queen(free[each]));
    return found;
}

/// A row has as many forks as a few levels by two; only the first is forked.
struct first_row_stage : async_stage {
    using async_stage::async_stage;
    [[nodiscard]] static parameters limits() { return {{"cut_off_depth", std::int64_t{1}}}; }
};

std::int64_t count(board placed) {
    const choices free{placed};
    std::vector<std::future<std::int64_t>> results;
    for (int each = 0; each != free.count; ++each) {
        results.push_back(
            std::async(std::launch::async, serial_count, placed.with_queen(free[each])));
    }
    std::int64_t found = 0;
    for (auto& each : results) found += each.get();
    return found;
}

const registration registered{
    {"nqueens", "async", [](const request& request) {
         return contestants<first_row_stage>(
             request, [](const first_row_stage& /*stage*/, board start) { return count(start); });
     }}};

} // namespace
} // namespace bench::nqueens
