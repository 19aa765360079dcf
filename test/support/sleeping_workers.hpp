// Workers that sleep, to see what wakes them.
#pragma once

#include "pool/pool_core.hpp"

#include <cstddef>
#include <initializer_list>
#include <thread>
#include <vector>

namespace weft::test {

/// Runs `action` while these workers of a pool without threads sleep: how many that has woken.
template <class Action>
[[nodiscard]] std::size_t count_woken(detail::pool_core& core,
                                      std::initializer_list<std::size_t> indices, Action action) {
    detail::sleep_control& sleep = core.sleep;
    std::vector<std::thread> sleepers;
    for (const std::size_t index : indices) {
        sleepers.emplace_back([&sleep, index] {
            sleep.come_back();
            sleep.sleep(index, [] { return false; });
            sleep.stay_away([] { return false; });
        });
    }
    while (sleep.wakeable() < indices.size() || sleep.asleep() < sleep.workers()) {
        std::this_thread::yield();
    }
    action();
    const std::size_t woken = indices.size() - sleep.wakeable();
    sleep.wake_all();
    for (std::thread& each : sleepers) each.join();
    return woken;
}

template <class Action>
[[nodiscard]] bool wakes_sleeper(detail::pool_core& core, std::size_t index, Action action) {
    return count_woken(core, {index}, action) != 0;
}

} // namespace weft::test
