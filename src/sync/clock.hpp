// The one clock: steady, and virtual in model builds.
#pragma once

#ifdef WEFT_MODEL
#include <weft/explorer/blocking.hpp>
#else
#include <chrono>
#endif

namespace weft::sync {

#ifdef WEFT_MODEL
using clock = explorer::clock;
#else
using clock = std::chrono::steady_clock;
#endif

} // namespace weft::sync
