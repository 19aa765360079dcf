// A place in the queue of one resource, and the words that the resource is made of.
#pragma once

#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/check.hpp>
#include <weft/detail/sync/plain.hpp>

#include <cstdint>

namespace weft::inline v0::detail {

class ticket;
class resource_word;

/// What has happened to an entry so far, in one word. Three things happen to it, each once, in any order
/// but one: an entry is passed only after it was given the turn.
///
///   settled   its ticket has entered all its queues
///   passed    it had the turn, and has given it on
///   followed  the next entry of the queue is known
///
/// Since each happens once, each is an addition, and the sum of what was there before tells who came
/// last and has to act:
///
/// | before \ now  | settled                          | passed            | followed                  |
/// |---------------|----------------------------------|-------------------|---------------------------|
/// | nothing       |                                  |                   | the follower is suspended |
/// | settled       |                                  | [1]               |                           |
/// | passed        | [1]                              |                   | the follower is suspended |
/// | followed      | resume the follower              |                   |                           |
/// | both others   | resume the follower, it has the turn | grant the follower | the follower has the turn [2] |
///
/// [1] Without a follower the queue is left empty if the entry is still its tail; otherwise the follower
///     is on its way and finds both.
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

/// What a task has of a resource: `gave_on` if it was cancelled before it had it.
enum class entry_use : std::uint8_t { waits, has, gave_on };

/// A place in the queue of one resource. Belongs to a ticket, which tells who may use it when.
struct queue_entry {
    resource_word* word = nullptr;
    sync::atomic<std::uintptr_t> state{0};
    sync::plain<ticket*> owner{nullptr}; // read by who finds the entry in a queue
    /// Credits that it takes of a limit; 0: the resource is exclusive and has none.
    std::uint32_t weight = 0;
    /// Found its queue empty, or passed: by who lets its ticket grow.
    sync::plain<bool> turn{false};
    /// Nobody else will use this entry: by who gave its turn on, or settled it after that.
    sync::plain<bool> left{false};
    /// Given on without being used, for its task was cancelled: by who granted it.
    sync::plain<bool> skipped{false};
    /// For introspection only, which reads it without any order.
    entry_use use = entry_use::waits;

    void settle_alone() noexcept { state.store(entry_state::settled_bit, sync::relaxed); }
    [[nodiscard]] bool is_settled() const noexcept {
        // relaxed: only once settled, always settled matters; follow() comes next and acquires
        return entry_state{state.load(sync::relaxed)}.settled();
    }
    [[nodiscard]] bool is_only_settled() const noexcept {
        return entry_state{state.load(sync::relaxed)}.only_settled();
    }
    /// Each of these returns what was before.
    [[nodiscard]] entry_state follow(queue_entry& next) noexcept {
        // release, pairs with settle() and pass(): the follower. acquire, pairs with settle(): its
        // ticket has entered all queues; with pass(): what was done with the resource [TURN-3]
        return entry_state{state.fetch_add(reinterpret_cast<std::uintptr_t>(&next), sync::acq_rel)};
    }
    [[nodiscard]] entry_state settle() noexcept {
        // release, pairs with follow(): all queues were entered before. acquire, pairs with follow()
        // and pass() [TURN-4]
        return entry_state{state.fetch_add(entry_state::settled_bit, sync::acq_rel)};
    }
    [[nodiscard]] entry_state pass() noexcept {
        // release, pairs with follow() and settle(): what was done with the resource. acquire, pairs
        // with follow(): the follower [TURN-5]
        return entry_state{state.fetch_add(entry_state::passed_bit, sync::acq_rel)};
    }
};
static_assert(alignof(queue_entry) > (entry_state::settled_bit | entry_state::passed_bit));

/// All that an exclusive resource needs: the last entry of its queue, or null.
///
/// | operation   | who                            | progress  |
/// |-------------|--------------------------------|-----------|
/// | enter       | who lets the entry's ticket grow | wait-free |
/// | try_enter   | the same, for the last entry    | wait-free |
/// | try_leave   | who has its turn to give on    | wait-free |
class resource_word {
public:
    resource_word() noexcept = default;
    ~resource_word() = default;
    resource_word(const resource_word&) = delete;
    resource_word& operator=(const resource_word&) = delete;

    /// The entry before, or null: then it is the turn of this one.
    [[nodiscard]] queue_entry* enter(queue_entry& last) noexcept {
        // release, pairs with the next enter(): the entry. acquire, pairs with the enter() before, and
        // with try_leave(): what was done with the resource [TURN-1]
        return tail_.exchange(&last, sync::acq_rel);
    }
    /// True if nobody was there.
    [[nodiscard]] bool try_enter(queue_entry& only) noexcept {
        if (tail_.load(sync::relaxed) != nullptr) return false;
        queue_entry* nobody = nullptr;
        // As enter() [TURN-6]
        return tail_.compare_exchange_strong(nobody, &only, sync::acq_rel, sync::relaxed);
    }
    /// True if nobody came after it.
    [[nodiscard]] bool try_leave(queue_entry& last) noexcept {
        queue_entry* expected = &last;
        // release, pairs with enter() and try_enter() [TURN-2]
        return tail_.compare_exchange_strong(expected, nullptr, sync::release, sync::relaxed);
    }
    /// Nobody is queued; nobody has it, unless it is a limit. A guess while tasks are submitted.
    [[nodiscard]] bool idle() const noexcept { return tail_.load(sync::relaxed) == nullptr; }

private:
    sync::atomic<queue_entry*> tail_{nullptr};
};

/// A resource that several may have at once: each takes credits, as many as it weighs. Who has the
/// turn takes them and gives the turn on; if there are too few it waits, and all behind it too.
///
/// | operation | who                          | progress  |
/// |-----------|------------------------------|-----------|
/// | try_take  | who has the turn             | wait-free |
/// | give_back | who has taken                | wait-free |
///
/// Invariants
///  G1  One entry has the turn, so one at most waits for credits. It has taken them already: the count
///      is below zero meanwhile.
///  G2  Who lifts the count from below zero to zero or above grants who waits, and nobody else does.
///  G3  Taken by those who were granted and not given back: at most the capacity.
class limit_word : public resource_word {
public:
    explicit limit_word(std::uint32_t capacity) noexcept
        : credits_{static_cast<std::int32_t>(capacity)}, capacity_{capacity} {}

    static constexpr std::uint32_t most_capacity = 1U << 30U;
    [[nodiscard]] std::uint32_t capacity() const noexcept { return capacity_; }

    /// Nobody is queued, and all has been given back. A guess while tasks are submitted.
    [[nodiscard]] bool idle() const noexcept {
        return resource_word::idle() &&
               credits_.load(sync::relaxed) == static_cast<std::int32_t>(capacity_);
    }

    /// False if there are too few: the entry waits, and may be granted and be gone at once.
    [[nodiscard]] bool try_take(queue_entry& first) noexcept {
        const auto weight = static_cast<std::int32_t>(first.weight);
        waiting_.store(&first, sync::relaxed);
        // release, pairs with give_back(): who waits. acquire, pairs with give_back(): what was done
        // with the resource [GRANT-1]
        return credits_.fetch_sub(weight, sync::acq_rel) >= weight;
    }
    /// The entry that has waited for these credits, or null.
    [[nodiscard]] queue_entry* give_back(std::uint32_t weight) noexcept {
        const auto more = static_cast<std::int32_t>(weight);
        // release, pairs with try_take() and give_back(): what was done with the resource. acquire,
        // pairs with both: who waits, and what others did [GRANT-2]
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
