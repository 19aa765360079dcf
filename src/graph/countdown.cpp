#include <weft/countdown.hpp>

#include <weft/detail/pool/worker.hpp>

namespace weft::inline v0::detail {

pool_front& countdown_pool() {
    const worker* caller = worker::current();
    if (caller == nullptr) throw error{errc::outside_pool, "weft::countdown"};
    return caller->pool();
}

} // namespace weft::inline v0::detail
