// The deque of a worker's scoped children: private at no cost, shared when somebody is hungry.
#pragma once

#include "sync/atomic.hpp"

#include <cstddef>
#include <cstdint>

namespace weft::detail {

/// Slots that one owner uses as a stack and thieves empty from the other end.
///
/// ```
///   0 ........ tail ........ split ........ head ........ capacity
///     stolen         shared        private        unused
/// ```
///
/// | operation            | who   | progress                                  |
/// |----------------------|-------|-------------------------------------------|
/// | next, push, pop      | owner | wait-free, nothing atomic                 |
/// | share                | owner | wait-free, one update                     |
/// | take_back            | owner | lock-free: fails only if a thief succeeds |
/// | forget_stolen        | owner | wait-free, one store                      |
/// | steal                | any   | lock-free                                 |
///
/// Invariants
///  S1  Slots below tail belong to thieves until their owner has seen that they are done; those from
///      tail to split belong to whoever takes them; those from split on belong to the owner.
///  S2  Tail and split live in one word and every change of either is an update of that word, so a
///      slot is taken by one thief or taken back, never both. Only the owner changes split, of
///      which it has a copy; only thieves change tail, but for S3.
///  S3  When tail equals split no update by a thief can succeed, and the owner may store the word.
///  S4  A slot's content is read only by who has taken it; it was written before the share that
///      made it visible.
///
/// A thief that was slow may update a word that has had other values in between: that is no harm,
/// since what it takes is what the word describes now (S4).
template <class Slot>
class split_deque {
public:
    /// The slots must outlive the deque. Whoever pushes knows that there is room.
    explicit split_deque(Slot* slots) noexcept : head_{slots}, split_{slots}, slots_{slots} {}

    // The private end.

    /// The slot to describe the next child in; then comes push.
    [[nodiscard]] Slot* owner_next() const noexcept { return head_; }
    void owner_push(Slot* next) noexcept { head_ = next + 1; }
    /// Removes the youngest child, which must be `last`; true if it is private.
    bool owner_pop(Slot* last) noexcept {
        head_ = last;
        return last >= split_;
    }
    [[nodiscard]] std::uint32_t owner_position() const noexcept { return index_of(head_); }
    [[nodiscard]] bool owner_has_private() const noexcept { return head_ != split_; }

    /// Shares the older half of the private slots, at least one; `prepare` is called for each first.
    template <class Prepare>
    void owner_share(Prepare prepare) noexcept {
        owner_share_until(split_ + (head_ - split_ + 1) / 2, prepare);
    }
    /// Shares all private slots.
    template <class Prepare>
    void owner_share_all(Prepare prepare) noexcept {
        owner_share_until(head_, prepare);
    }

    /// After a pop that found its child shared: true if it is the owner's again. If it was stolen, it
    /// stays where it is, and the owner may push above it, until `owner_forget_stolen`.
    bool owner_take_back() noexcept {
        std::uint64_t range = range_.load(sync::relaxed);
        for (;;) {
            const std::uint32_t tail = tail_of(range);
            const std::uint32_t split = split_of(range);
            if (tail == split) {
                head_ = split_;
                return false;
            }
            const std::uint32_t lower = tail + (split - tail) / 2;
            // Relaxed: what comes back was written by the owner itself.
            if (range_.compare_exchange_weak(range, make_range(tail, lower), sync::relaxed,
                                             sync::relaxed)) {
                split_ = slots_ + lower;
                return true;
            }
        }
    }

    /// The youngest child, which was stolen, is done: its slot may be used again.
    void owner_forget_stolen(Slot* last) noexcept {
        head_ = split_ = last;
        // Relaxed (S3): the next share publishes what will be in these slots.
        range_.store(make_range(index_of(last), index_of(last)), sync::relaxed);
    }

    // The shared end.

    /// The oldest shared slot, now the caller's, or null. Takes none below `from`.
    Slot* steal(std::uint32_t from = 0) noexcept {
        std::uint64_t range = range_.load(sync::relaxed);
        for (;;) {
            const std::uint32_t tail = tail_of(range);
            const std::uint32_t split = split_of(range);
            if (tail >= split || tail < from) return nullptr;
            // acquire, pairs with the share that made the slot visible [SPLIT-2]
            if (range_.compare_exchange_weak(range, make_range(tail + 1, split), sync::acquire,
                                             sync::relaxed)) {
                return slots_ + tail;
            }
        }
    }

    /// A guess, for thieves.
    [[nodiscard]] std::uint32_t shared_count() const noexcept {
        const std::uint64_t range = range_.load(sync::relaxed);
        return split_of(range) - tail_of(range);
    }

private:
    static std::uint32_t tail_of(std::uint64_t range) noexcept {
        return static_cast<std::uint32_t>(range);
    }
    static std::uint32_t split_of(std::uint64_t range) noexcept {
        return static_cast<std::uint32_t>(range >> 32);
    }
    static std::uint64_t make_range(std::uint32_t tail, std::uint32_t split) noexcept {
        return std::uint64_t{split} << 32 | tail;
    }
    [[nodiscard]] std::uint32_t index_of(const Slot* slot) const noexcept {
        return static_cast<std::uint32_t>(slot - slots_);
    }

    template <class Prepare>
    void owner_share_until(Slot* upper, Prepare prepare) noexcept {
        for (Slot* each = split_; each != upper; ++each) prepare(*each);
        const auto count = static_cast<std::uint64_t>(upper - split_);
        split_ = upper;
        // release, pairs with steal() [SPLIT-1]
        range_.fetch_add(count << 32, sync::release);
    }

    // Written by the owner alone.
    Slot* head_;
    Slot* split_;
    Slot* const slots_;

    // Written by the owner and thieves.
    alignas(64) sync::atomic<std::uint64_t> range_{0};
};

} // namespace weft::detail
