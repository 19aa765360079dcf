#include "nqueens/config.hpp"
#include "runner/weft_c_stage.hpp"

#include <array>
#include <cstddef>

namespace bench::nqueens {
namespace {

/// `data` is a board; the result is in the pointer.
void* count(thread_pool* pool, void* data) {
    const board& placed = *static_cast<board*>(data);
    if (placed.is_full()) return reinterpret_cast<void*>(std::intptr_t{1});
    const choices free{placed};
    std::array<board, most_rows> next;
    std::array<future*, most_rows> results{};
    for (int each = 0; each != free.count; ++each) {
        const auto i = static_cast<std::size_t>(each);
        next[i] = placed.with_queen(free[each]);
        results[i] = thread_pool_submit(pool, count, &next[i]);
    }
    std::intptr_t found = 0;
    for (int each = free.count; each != 0; --each) { // the youngest first: it is likely still here
        future* one = results[static_cast<std::size_t>(each - 1)];
        found += reinterpret_cast<std::intptr_t>(future_get(one));
        future_free(one);
    }
    return reinterpret_cast<void*>(found);
}

const registration registered{
    {"nqueens", "weft-c", [](const request& request) {
         return contestants<weft_c_stage>(request, [](const weft_c_stage& stage, board start) {
             return std::int64_t{reinterpret_cast<std::intptr_t>(count(stage.pool(), &start))};
         });
     }}};

} // namespace
} // namespace bench::nqueens
