// Orders to steal, which one worker gives by a plan and each worker carries out itself.
#pragma once

#include <weft/detail/sync/atomic.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace weft::inline v0::detail {

/// The victim to take tasks from, and how many, in one word.
class steal_order {
public:
    /// The most tasks of one order: moving them takes some tens of microseconds, and more would
    /// take too long.
    static constexpr std::size_t most = 4096;

    constexpr steal_order() = default; // none
    constexpr steal_order(std::size_t victim, std::size_t count)
        : word_{std::uint64_t{victim} << 32 | std::min(count, most)} {}
    constexpr explicit steal_order(std::uint64_t word) : word_{word} {}

    explicit operator bool() const { return count() != 0; }
    [[nodiscard]] std::size_t victim() const { return static_cast<std::size_t>(word_ >> 32); }
    [[nodiscard]] std::size_t count() const { return static_cast<std::uint32_t>(word_); }
    [[nodiscard]] std::uint64_t word() const { return word_; }

private:
    std::uint64_t word_ = 0;
};

/// A word for each worker with its order to steal, and a flag that lets one worker plan at a time.
///
/// | operation           | called by              | progress                           |
/// |---------------------|------------------------|------------------------------------|
/// | owner_set_hungry    | the worker             | wait-free                          |
/// | owner_take          | the worker             | wait-free                          |
/// | try_begin_plan      | any worker             | wait-free: fails if another plans  |
/// | give, end_plan      | the worker that plans  | wait-free                          |
/// | look, is_hungry     | any thread             | wait-free                          |
///
/// Invariants
///  O1  One worker plans at a time. None waits for it: one that finds another planning steals by
///      itself.
///  O2  An order names a queue and a number, and nothing else: it hands nothing over. The tasks
///      stay in the queue of the victim until the receiver steals them, one by one, as any thief
///      does.
///  O3  An order is carried out at most once: only the receiver takes it, and empties the word
///      first.
///
/// What may be lost: orders, never tasks. One that is overwritten, or comes while the receiver
/// empties the word, or is found too late, when the victim has fewer tasks or none, or that is not
/// taken because the pool ends, leaves the tasks where they were (O2), where `pool_core::has_work`
/// sees them and every thief finds them.
///
/// Why no wake-up is missed. Nothing waits for an order. A worker sleeps only after it has looked
/// at all queues, as `sleep_control` says, and the tasks that an order is about are in one of them,
/// or, while they are being carried, in the hands of a worker that searches and that calls `notify`
/// when they are in its queue. Waking the worker that gets an order is only faster than letting the
/// workers wake each other in turn.
///
/// For other workers it is an estimate whether a worker is hungry: one that has just found
/// something may get an order that it carries out at its next search, or never.
class steal_orders {
public:
    explicit steal_orders(std::size_t workers) : cells_{std::make_unique<cell[]>(workers)} {}

    void owner_set_hungry(std::size_t worker, bool hungry) noexcept {
        cells_[worker].hungry.store(hungry, sync::relaxed);
    }
    [[nodiscard]] bool is_hungry(std::size_t worker) const noexcept {
        return cells_[worker].hungry.load(sync::relaxed);
    }

    [[nodiscard]] steal_order owner_take(std::size_t worker) noexcept {
        const steal_order found = look(worker);
        if (found) cells_[worker].order.store(0, sync::relaxed); // O3
        return found;
    }
    [[nodiscard]] steal_order look(std::size_t worker) const noexcept {
        return steal_order{cells_[worker].order.load(sync::relaxed)};
    }

    [[nodiscard]] bool try_begin_plan() noexcept {
        if (planning_.load(sync::relaxed)) return false;
        // O1: acquire, pairs with end_plan(): what the last one wrote in the tables of plans
        // [ORDER-1]
        return !planning_.exchange(true, sync::acquire);
    }
    void give(std::size_t worker, steal_order order) noexcept {
        cells_[worker].order.store(order.word(), sync::relaxed); // O2
    }
    void end_plan() noexcept {
        // release, pairs with try_begin_plan() [ORDER-2]
        planning_.store(false, sync::release);
    }

private:
    struct alignas(64) cell {
        sync::atomic<std::uint64_t> order{0};
        sync::atomic<bool> hungry{false};
    };

    std::unique_ptr<cell[]> cells_;
    alignas(64) sync::atomic<bool> planning_{false};
};

} // namespace weft::inline v0::detail
