// The backend of src/sync: the machine, or in model builds the explorer.
//
// In model builds each operation also takes the source line of its call, for traces and mutants:
// WEFT_SYNC_HERE declares that parameter, WEFT_SYNC_AT passes it on. In other builds both are
// empty.
#pragma once

#ifdef WEFT_MODEL

#include <weft/explorer.hpp>

#define WEFT_SYNC_HERE                                                                             \
    , const ::weft::explorer::detail::site& where = ::weft::explorer::detail::site::current()
#define WEFT_SYNC_AT , where

namespace weft::inline v0::sync::backend {
using explorer::atomic;
using explorer::atomic_thread_fence;
} // namespace weft::inline v0::sync::backend

#else

#include <atomic>

#define WEFT_SYNC_HERE
#define WEFT_SYNC_AT

namespace weft::inline v0::sync::backend {
using std::atomic;
using std::atomic_thread_fence;
} // namespace weft::inline v0::sync::backend

#endif
