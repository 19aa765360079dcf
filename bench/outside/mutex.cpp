#include "outside/config.hpp"

#include "latency/condvar_pool.hpp"

namespace bench::outside {
namespace {

const registration registered{{"outside", "mutex-queue", contestants<latency::condvar_pool>}};

} // namespace
} // namespace bench::outside
