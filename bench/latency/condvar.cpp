#include "latency/condvar_pool.hpp"
#include "latency/config.hpp"

namespace bench::latency {
namespace {

const registration registered{{"latency", "condvar", contestants<condvar_pool>}};

} // namespace
} // namespace bench::latency
