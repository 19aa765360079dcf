// The queue of one resource: its entries, and the words that the resource consists of.
#pragma once

#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/check.hpp>
#include <weft/detail/sync/plain.hpp>

#include <cstdint>

namespace weft::inline v0::detail {

class ticket;
class resource_word;

/// What has happened to an entry so far, in one word. Three things happen to it, each once, in any
/// order except that an entry must have had the turn before it is passed.
///
///   settled   its ticket has entered all its queues
///   passed    it had the turn, and has passed it on
///   followed  the next entry of the queue is known
///
/// Since each happens once, each is an addition, and its result tells which thread came last and
/// has to act:
///
/// | before \ now  | settled                          | passed            | followed                  |
/// |---------------|----------------------------------|-------------------|---------------------------|
/// | nothing       |                                  |                   | the follower is suspended |
/// | settled       |                                  | [1]               |                           |
/// | passed        | [1]                              |                   | the follower is suspended |
/// | followed      | resume the follower              |                   |                           |
/// | both others   | resume the follower, it has the turn | grant the follower | the follower has the turn [2] |
///
/// [1] Without a follower, the queue is left empty if the entry is still its tail; otherwise the
///     follower is about to arrive and finds both.
/// [2] And it is the last to use the entry.
class entry_state {
public:
    static constexpr std::uintptr_t settled_bit = 1;
    static constexpr std::uintptr_t passed_bit = 2;

    explicit entry_state(std::uintptr_t word) noexcept : word_{word} {}
    [[nodiscard]] bool settled() const noexcept { return (word_ & settled_bit) != 0; }
    [[nodiscard]] bool passed() const noexcept { return (word_ & passed_bit) != 0; }
    [[nodiscard]] bool only_settled() const noexcept { return word_ == settled_bit; }
    /// The next entry of the queue, or null.
    [[nodiscard]] struct queue_entry* follower() const noexcept {
        return reinterpret_cast<struct queue_entry*>(word_ & ~(settled_bit | passed_bit));
    }

private:
    std::uintptr_t word_;
};

/// What the owner of an entry does with the resource. `skipped`: it was cancelled before it had it.
enum class entry_use : std::uint8_t { waits, has, skipped };

/// An entry in the queue of one resource, as a node of an MCS queue (Mellor-Crummey & Scott) in
/// which no thread spins. Part of a ticket, whose invariants say which thread may use it when.
struct queue_entry {
    resource_word* word = nullptr;
    sync::atomic<std::uintptr_t> state{0};
    sync::plain<ticket*> owner{nullptr}; // read by any thread that finds the entry in a queue
    /// Credits that it takes from a limit; 0: the resource is exclusive and has none.
    std::uint32_t weight = 0;
    /// The entry before it has passed, or its queue was empty. Written by the thread that grows its
    /// ticket.
    sync::plain<bool> turn{false};
    /// No other thread will use this entry. Written by the thread that passed its turn on, or that
    /// settled it after that.
    sync::plain<bool> left{false};
    /// The turn was passed on unused, since the task was cancelled. Written by the thread that
    /// granted it.
    sync::plain<bool> skipped{false};
    /// For reports only, which read it without any order.
    entry_use use = entry_use::waits;

    void settle_alone() noexcept { state.store(entry_state::settled_bit, sync::relaxed); }
    [[nodiscard]] bool is_settled() const noexcept {
        // relaxed: once settled, it stays settled; follow() comes next and acquires
        return entry_state{state.load(sync::relaxed)}.settled();
    }
    [[nodiscard]] bool is_only_settled() const noexcept {
        return entry_state{state.load(sync::relaxed)}.only_settled();
    }
    /// Each of these returns the state before it.
    [[nodiscard]] entry_state follow(queue_entry& next) noexcept {
        // release, pairs with settle() and pass(): the follower. acquire, pairs with settle(): its
        // ticket has entered all queues; with pass(): what was done with the resource [TURN-3]
        return entry_state{state.fetch_add(reinterpret_cast<std::uintptr_t>(&next), sync::acq_rel)};
    }
    [[nodiscard]] entry_state settle() noexcept {
        // release, pairs with follow(): all queues were entered before. acquire, pairs with
        // follow() and pass() [TURN-4]
        return entry_state{state.fetch_add(entry_state::settled_bit, sync::acq_rel)};
    }
    [[nodiscard]] entry_state pass() noexcept {
        // release, pairs with follow() and settle(): what was done with the resource. acquire,
        // pairs with follow(): the follower [TURN-5]
        return entry_state{state.fetch_add(entry_state::passed_bit, sync::acq_rel)};
    }
};
static_assert(alignof(queue_entry) > (entry_state::settled_bit | entry_state::passed_bit));

/// The word of an exclusive resource: the tail of its queue, which is the last entry or null.
///
/// | operation | caller                                                      | progress  |
/// |-----------|-------------------------------------------------------------|-----------|
/// | enter     | the thread that grows the entry's ticket                    | wait-free |
/// | try_enter | the same, for the last entry of the ticket                  | wait-free |
/// | try_leave | the thread that passes the entry's turn on, or settles it after that | wait-free |
/// | idle      | any thread                                                  | wait-free |
class resource_word {
public:
    resource_word() noexcept = default;
    ~resource_word() = default;
    resource_word(const resource_word&) = delete;
    resource_word& operator=(const resource_word&) = delete;

    /// Returns the entry before, or null: then this one has the turn.
    [[nodiscard]] queue_entry* enter(queue_entry& last) noexcept {
        // release, pairs with the next enter(): the entry. acquire, pairs with the enter() before,
        // and with try_leave(): what was done with the resource [TURN-1]
        return tail_.exchange(&last, sync::acq_rel);
    }
    /// True if the queue was empty.
    [[nodiscard]] bool try_enter(queue_entry& entry) noexcept {
        if (tail_.load(sync::relaxed) != nullptr) return false;
        queue_entry* expected = nullptr;
        // As enter() [TURN-6]
        return tail_.compare_exchange_strong(expected, &entry, sync::acq_rel, sync::relaxed);
    }
    /// True if no entry came after it: the queue is empty then.
    [[nodiscard]] bool try_leave(queue_entry& last) noexcept {
        queue_entry* expected = &last;
        // release, pairs with enter() and try_enter() [TURN-2]
        return tail_.compare_exchange_strong(expected, nullptr, sync::release, sync::relaxed);
    }
    /// The queue is empty; no task has the resource, unless it is a limit. A guess while tasks are
    /// submitted.
    [[nodiscard]] bool idle() const noexcept { return tail_.load(sync::relaxed) == nullptr; }

private:
    sync::atomic<queue_entry*> tail_{nullptr};
};

/// A resource that several tasks may have at once: each takes as many credits as it weighs. The
/// entry that has the turn takes its credits and passes the turn on; if there are too few it waits,
/// and so do all behind it.
///
/// | operation | caller                                       | progress  |
/// |-----------|----------------------------------------------|-----------|
/// | try_take  | the thread that grants the turn              | wait-free |
/// | give_back | the thread that releases the entry's ticket  | wait-free |
/// | idle, may_take | any thread                              | wait-free |
///
/// Invariants
///  G1  One entry has the turn, so at most one waits for credits. It has taken them already: the
///      count is below zero meanwhile.
///  G2  The thread that lifts the count from below zero to zero or above grants the waiting entry,
///      and no other thread does.
///  G3  The credits of entries that were granted and have not given them back are at most the
///      capacity.
class limit_word : public resource_word {
public:
    explicit limit_word(std::uint32_t capacity) noexcept
        : credits_{static_cast<std::int32_t>(capacity)}, capacity_{capacity} {}

    static constexpr std::uint32_t most_capacity = 1U << 30U;
    [[nodiscard]] std::uint32_t capacity() const noexcept { return capacity_; }

    /// The queue is empty and all credits were given back. A guess while tasks are submitted.
    [[nodiscard]] bool idle() const noexcept {
        return resource_word::idle() &&
               credits_.load(sync::relaxed) == static_cast<std::int32_t>(capacity_);
    }

    /// An entry of this weight would be granted at once. A guess while tasks are submitted.
    [[nodiscard]] bool may_take(std::uint32_t weight) const noexcept {
        return resource_word::idle() &&
               credits_.load(sync::relaxed) >= static_cast<std::int32_t>(weight);
    }

    /// False if there are too few: the entry waits, and may be granted and freed at any moment.
    [[nodiscard]] bool try_take(queue_entry& first) noexcept {
        const auto weight = static_cast<std::int32_t>(first.weight);
        waiting_.store(&first, sync::relaxed);
        // release, pairs with give_back(): the waiting entry. acquire, pairs with give_back(): what
        // was done with the resource [GRANT-1]
        return credits_.fetch_sub(weight, sync::acq_rel) >= weight;
    }
    /// Returns the entry that waited for these credits, or null.
    [[nodiscard]] queue_entry* give_back(std::uint32_t weight) noexcept {
        const auto more = static_cast<std::int32_t>(weight);
        // acquire and release, pairs with try_take() and give_back(): the waiting entry, and what
        // was done with the resource [GRANT-2]
        const std::int32_t before = credits_.fetch_add(more, sync::acq_rel);
        if (before >= 0 || before + more < 0) return nullptr;
        return waiting_.load(sync::relaxed);
    }

private:
    sync::atomic<queue_entry*> waiting_{nullptr};
    sync::atomic<std::int32_t> credits_;
    const std::uint32_t capacity_;
};

#ifndef WEFT_MODEL
static_assert(sizeof(resource_word) == 8);
static_assert(sizeof(limit_word) == 24);
#endif

} // namespace weft::inline v0::detail
