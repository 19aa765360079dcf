#include <weft/detail/algorithm/call.hpp>

#include <weft/error.hpp>

namespace weft::inline v0::detail {

void algorithm_call::refuse_cancelled(const char* name) { throw error{errc::cancelled, name}; }

pool* find_outside_pool(pool* named, const char* name) {
    if (named == nullptr) return &implied_pool(name).public_pool;
    if (named->front().stopping()) throw error{errc::stopped, name};
    return named;
}

} // namespace weft::inline v0::detail
