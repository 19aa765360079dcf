#include "fib/config.hpp"
#include "runner/weft_c_stage.hpp"

namespace bench::fib {
namespace {

/// The number is in the pointer, as in many a C program.
void* fib(thread_pool* pool, void* data) {
    const auto n = reinterpret_cast<std::intptr_t>(data);
    if (n < 2) return data;
    future* one = thread_pool_submit(pool, fib, reinterpret_cast<void*>(n - 1));
    const auto two = reinterpret_cast<std::intptr_t>(fib(pool, reinterpret_cast<void*>(n - 2)));
    const auto sum = two + reinterpret_cast<std::intptr_t>(future_get(one));
    future_free(one);
    return reinterpret_cast<void*>(sum);
}

const registration registered{
    {"fib", "weft-c", [](const request& request) {
         return contestants<weft_c_stage>(
             request, forks::fast, [](const weft_c_stage& stage, int n) {
                 void* found = fib(stage.pool(), reinterpret_cast<void*>(std::intptr_t{n}));
                 return std::int64_t{reinterpret_cast<std::intptr_t>(found)};
             });
     }}};

} // namespace
} // namespace bench::fib
