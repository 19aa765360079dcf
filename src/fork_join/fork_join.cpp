#include <weft/fork_join.hpp>

namespace weft::inline v0 {

void detail::fork_join_outside() { throw error{errc::outside_pool, "weft::fork_join"}; }

std::vector<std::exception_ptr> suppressed_exceptions() {
    detail::worker* caller = detail::worker::current();
    return caller != nullptr ? caller->suppressed : std::vector<std::exception_ptr>{};
}

} // namespace weft::inline v0
