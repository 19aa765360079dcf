#include <weft/countdown.hpp>

#include <weft/detail/pool/represented_pool.hpp>

namespace weft::inline v0::detail {

pool_front& countdown_pool() { return implied_pool("weft::countdown"); }

} // namespace weft::inline v0::detail
