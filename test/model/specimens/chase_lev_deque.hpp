// A deque after Chase and Lev, with the fences of Le, Pop, Cohen and Zappa Nardelli: a specimen for
// the explorer.
#pragma once

#include "sync/atomic.hpp"
#include "sync/fence.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace weft::specimen {

/// The owner pushes and pops at the bottom, thieves steal at the top.
template <std::int64_t Capacity>
class chase_lev_deque {
public:
    bool owner_try_push(int item) noexcept {
        const std::int64_t bottom = bottom_.load(sync::relaxed);
        if (bottom - top_.load(sync::acquire) >= Capacity) return false;
        slot(bottom).store(item, sync::relaxed);
        // A fence, not a release store: pop() stores to bottom_ too, and what a thief reads there
        // must cover every push before it.
        sync::fence(sync::release);
        bottom_.store(bottom + 1, sync::relaxed);
        return true;
    }

    std::optional<int> owner_pop() noexcept {
        const std::int64_t bottom = bottom_.load(sync::relaxed) - 1;
        bottom_.store(bottom, sync::relaxed);
        sync::fence(sync::seq_cst);
        std::int64_t top = top_.load(sync::relaxed);
        if (top < bottom) return slot(bottom).load(sync::relaxed);
        std::optional<int> item;
        if (top == bottom) { // the last one: thieves may want it too
            const int last = slot(bottom).load(sync::relaxed);
            if (top_.compare_exchange_strong(top, top + 1, sync::relaxed, sync::relaxed)) {
                item = last;
            }
        }
        bottom_.store(bottom + 1, sync::relaxed);
        return item;
    }

    std::optional<int> steal() noexcept {
        std::int64_t top = top_.load(sync::relaxed);
        sync::fence(sync::seq_cst);
        if (top >= bottom_.load(sync::acquire)) return std::nullopt;
        const int item = slot(top).load(sync::relaxed);
        // Release: the owner must not fill the slot again before it was read here.
        if (!top_.compare_exchange_strong(top, top + 1, sync::release, sync::relaxed)) {
            return std::nullopt;
        }
        return item;
    }

private:
    sync::atomic<int>& slot(std::int64_t position) noexcept {
        return slots_[static_cast<std::size_t>(position % Capacity)];
    }

    sync::atomic<std::int64_t> top_{0};
    sync::atomic<std::int64_t> bottom_{0};
    std::array<sync::atomic<int>, Capacity> slots_{};
};

} // namespace weft::specimen
