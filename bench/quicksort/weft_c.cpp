#include "quicksort/config.hpp"
#include "runner/weft_c_stage.hpp"

namespace bench::quicksort {
namespace {

/// `data` points to values.
void* sort(thread_pool* pool, void* data) {
    const values some = *static_cast<values*>(data);
    if (is_small(some)) {
        sort_grain(some);
        return nullptr;
    }
    auto [left, right] = split(some);
    future* forked = thread_pool_submit(pool, sort, &left);
    sort(pool, &right);
    future_get(forked);
    future_free(forked);
    return nullptr;
}

const registration registered{
    {"quicksort", "weft-c", [](const request& request) {
         return contestants<weft_c_stage>(
             request, [](const weft_c_stage& stage, values all) { sort(stage.pool(), &all); });
     }}};

} // namespace
} // namespace bench::quicksort
