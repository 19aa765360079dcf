// A ring for one producer and one consumer: a specimen for the explorer.
#pragma once

#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/plain.hpp>

#include <array>
#include <cstdint>
#include <optional>

namespace weft::specimen {

template <std::uint32_t Capacity>
class spsc_ring {
public:
    bool try_push(int item) noexcept {
        const std::uint32_t tail = tail_.load(sync::relaxed);
        if (tail - head_.load(sync::acquire) == Capacity) return false;
        slots_[tail % Capacity].write(item);
        tail_.store(tail + 1, sync::release);
        return true;
    }

    std::optional<int> try_pop() noexcept {
        const std::uint32_t head = head_.load(sync::relaxed);
        if (head == tail_.load(sync::acquire)) return std::nullopt;
        const int item = slots_[head % Capacity].read();
        head_.store(head + 1, sync::release);
        return item;
    }

private:
    std::array<sync::plain<int>, Capacity> slots_{};
    sync::atomic<std::uint32_t> head_{0}; // written by the consumer
    sync::atomic<std::uint32_t> tail_{0}; // written by the producer
};

} // namespace weft::specimen
