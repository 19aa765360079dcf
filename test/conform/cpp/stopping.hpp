// What happens while a pool stops.
#pragma once

#include "conform/cpp/rendezvous.hpp"

#include <weft/future.hpp>

#include <chrono>
#include <thread>

namespace weft::test {

/// On a worker: waits until `stop` was called, and for the other workers to see that.
inline void await_stop(pool& workers) {
    std::jthread{[&] {
        spin_until([&] { return error_of([&] { workers.submit([] {}); }) == "stopped"; });
        std::this_thread::sleep_for(
            std::chrono::milliseconds{5}); // makes a failure likely; no success depends on it
    }};
}

/// Cancels a pool that has a task which waits for `go`: that happens once the pool is cancelled.
inline void cancel_before(pool& workers, event& go) {
    const std::jthread stopper{[&] { workers.stop(on_stop::cancel); }};
    spin_until([&] { return workers.front().cancelling(); });
    go.happen();
}

/// Waits with an end, for what would otherwise be a test that never ends.
inline bool has_soon(const event& awaited) {
    return comes_soon([&] { return awaited.has_happened(); });
}

} // namespace weft::test
