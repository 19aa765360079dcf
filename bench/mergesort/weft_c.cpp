#include "mergesort/config.hpp"
#include "runner/weft_c_stage.hpp"

namespace bench::mergesort {
namespace {

/// `data` points to a part.
void* sort(thread_pool* pool, void* data) {
    const part some = *static_cast<part*>(data);
    if (some.is_small()) {
        sort_grain(some.data);
        return nullptr;
    }
    part left = some.left();
    part right = some.right();
    future* forked = thread_pool_submit(pool, sort, &left);
    sort(pool, &right);
    future_get(forked);
    future_free(forked);
    merge(some);
    return nullptr;
}

const registration registered{
    {"mergesort", "weft-c", [](const request& request) {
         return contestants<weft_c_stage>(
             request, [](const weft_c_stage& stage, part all) { sort(stage.pool(), &all); });
     }}};

} // namespace
} // namespace bench::mergesort
