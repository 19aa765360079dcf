#include "runner/weft_c_stage.hpp"
#include "sum/config.hpp"

namespace bench::sum {
namespace {

/// `data` points to numbers; the result is in the pointer.
void* sum(thread_pool* pool, void* data) {
    const numbers some = *static_cast<numbers*>(data);
    if (some.size() <= grain) return reinterpret_cast<void*>(std::intptr_t{sum_grain(some)});
    const std::size_t half = some.size() / 2;
    numbers left = some.first(half);
    numbers right = some.subspan(half);
    future* forked = thread_pool_submit(pool, sum, &right);
    auto total = reinterpret_cast<std::intptr_t>(sum(pool, &left));
    total += reinterpret_cast<std::intptr_t>(future_get(forked));
    future_free(forked);
    return reinterpret_cast<void*>(total);
}

const registration registered{
    {"sum", "weft-c", [](const request& request) {
         return contestants<weft_c_stage>(request, [](const weft_c_stage& stage, numbers all) {
             return std::int64_t{reinterpret_cast<std::intptr_t>(sum(stage.pool(), &all))};
         });
     }}};

} // namespace
} // namespace bench::sum
