// The queue of Michael and Scott over nodes that are used again, with and without tags: a specimen
// for the explorer.
#pragma once

#include <weft/detail/sync/atomic.hpp>

#include <array>
#include <cstdint>
#include <optional>

namespace weft::specimen {

/// Whether each change of a link also counts up a tag in it. Without tags, a compare-and-exchange
/// cannot tell a node that was taken out and put back from one that never left (ABA).
enum class links : std::uint8_t { tagged, untagged };

/// A queue of numbers in the nodes below `Capacity`. Node 0 is the first dummy; a caller owns the
/// other nodes until it puts them into the queue.
template <std::uint32_t Capacity, links Links>
class michael_scott_queue {
    using link = sync::atomic<std::uint64_t>;

public:
    michael_scott_queue() noexcept {
        for (link& each : next_) each.store(nothing, sync::relaxed);
    }

    struct taken {
        int value;
        std::uint32_t node; // the caller's now
    };

    void put(std::uint32_t node, int value) noexcept {
        values_[node].store(value, sync::relaxed);
        const std::uint64_t before = next_[node].load(sync::relaxed);
        next_[node].store(successor(before, nothing), sync::relaxed);
        for (;;) {
            std::uint64_t tail = tail_.load(sync::acquire);
            std::uint64_t next = next_[index_of(tail)].load(sync::acquire);
            if (index_of(next) != nothing) { // another thread has not moved the tail yet
                advance(tail_, tail, index_of(next));
                continue;
            }
            if (advance(next_[index_of(tail)], next, node)) {
                advance(tail_, tail, node);
                return;
            }
        }
    }

    std::optional<taken> take() noexcept {
        for (;;) {
            std::uint64_t head = head_.load(sync::acquire);
            std::uint64_t tail = tail_.load(sync::acquire);
            const std::uint32_t next = index_of(next_[index_of(head)].load(sync::acquire));
            if (head_.load(sync::acquire) != head) continue;
            if (next == nothing) return std::nullopt;
            if (index_of(head) == index_of(tail)) {
                advance(tail_, tail, next);
                continue;
            }
            const int value = values_[next].load(sync::relaxed);
            const std::uint32_t dummy = index_of(head);
            if (advance(head_, head, next)) return taken{value, dummy};
        }
    }

private:
    static constexpr std::uint32_t nothing = ~std::uint32_t{0};

    static std::uint32_t index_of(std::uint64_t word) noexcept {
        return static_cast<std::uint32_t>(word);
    }
    static std::uint64_t successor(std::uint64_t word, std::uint32_t node) noexcept {
        const std::uint64_t tag = Links == links::tagged ? (word >> 32) + 1 : 0;
        return tag << 32 | node;
    }
    static bool advance(link& place, std::uint64_t& expected, std::uint32_t node) noexcept {
        return place.compare_exchange_strong(expected, successor(expected, node), sync::acq_rel,
                                             sync::relaxed);
    }

    link head_{0};
    link tail_{0};
    std::array<link, Capacity> next_{};
    std::array<sync::atomic<int>, Capacity> values_{};
};

} // namespace weft::specimen
