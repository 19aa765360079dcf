// For the rare paths that may wait: starting and stopping. No worker ever waits on a lock.
#pragma once

#ifdef WEFT_MODEL
#include <weft/explorer/blocking.hpp>

#endif

#include <mutex>

namespace weft::inline v0::sync {

#ifdef WEFT_MODEL
using mutex = explorer::mutex;
#else
using mutex = std::mutex;
#endif

using lock_guard = std::lock_guard<mutex>;

} // namespace weft::inline v0::sync
