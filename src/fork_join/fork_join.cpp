#include <weft/fork_join.hpp>

#include <weft/detail/pool/represented_pool.hpp>
#include <weft/future.hpp>

namespace weft::inline v0 {

void detail::run_for_represented(void (*run)(void* data), void* data) {
    pool_front* represented = pool_representative::pool();
    if (represented == nullptr) throw error{errc::outside_pool, "weft::fork_join"};
    represented->public_pool.run([=] { run(data); });
}

std::vector<std::exception_ptr> suppressed_exceptions() {
    detail::worker* caller = detail::worker::current();
    return caller != nullptr ? caller->suppressed : std::vector<std::exception_ptr>{};
}

} // namespace weft::inline v0
