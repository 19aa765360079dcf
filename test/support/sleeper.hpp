// A worker that sleeps, to see what wakes it.
#pragma once

#include "pool/pool_core.hpp"

#include <cstddef>
#include <thread>

namespace weft::test {

/// Runs `action` while this worker of a pool without threads sleeps: true if that has woken it.
template <class Action>
[[nodiscard]] bool wakes_sleeper(detail::pool_core& core, std::size_t index, Action action) {
    detail::sleep_control& sleep = core.sleep;
    std::thread sleeper{[&] {
        sleep.come_back();
        sleep.sleep(index, [] { return false; });
        sleep.stay_away([] { return false; });
    }};
    while (sleep.wakeable() == 0 || sleep.asleep() < sleep.workers()) std::this_thread::yield();
    action();
    const bool woken = sleep.wakeable() == 0;
    sleep.wake_all();
    sleeper.join();
    return woken;
}

} // namespace weft::test
