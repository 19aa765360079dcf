// A stack after Treiber, correct and as weak in its orders as it may be: a specimen for the
// explorer.
#pragma once

#include <weft/detail/sync/atomic.hpp>

#include <array>
#include <cstdint>
#include <optional>

namespace weft::specimen {

/// A stack of the numbers below `Capacity`; each may be in it once. The head counts its changes, so
/// that a number that was taken and put back is not mistaken for one that never left.
template <std::uint32_t Capacity>
class treiber_stack {
public:
    void push(std::uint32_t item) noexcept {
        std::uint64_t head = head_.load(sync::relaxed);
        for (;;) {
            next_[item].store(index_of(head), sync::relaxed);
            if (head_.compare_exchange_weak(head, successor(head, item), sync::release,
                                            sync::relaxed)) {
                return;
            }
        }
    }

    std::optional<std::uint32_t> pop() noexcept {
        std::uint64_t head = head_.load(sync::acquire);
        for (;;) {
            const std::uint32_t item = index_of(head);
            if (item == nothing) return std::nullopt;
            const std::uint32_t below = next_[item].load(sync::relaxed);
            // Relaxed: an update continues the release sequences of the pushes before it.
            if (head_.compare_exchange_weak(head, successor(head, below), sync::relaxed,
                                            sync::acquire)) {
                return item;
            }
        }
    }

private:
    static constexpr std::uint32_t nothing = ~std::uint32_t{0};

    static std::uint32_t index_of(std::uint64_t head) noexcept {
        return static_cast<std::uint32_t>(head);
    }
    static std::uint64_t successor(std::uint64_t head, std::uint32_t item) noexcept {
        return ((head >> 32) + 1) << 32 | item;
    }

    sync::atomic<std::uint64_t> head_{nothing};
    std::array<sync::atomic<std::uint32_t>, Capacity> next_{};
};

} // namespace weft::specimen
