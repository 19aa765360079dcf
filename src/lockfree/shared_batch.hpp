// What one thread has claimed and works through, and what others may free of it.
#pragma once

#include "sync/asymmetric_fence.hpp"

#include <weft/detail/sync/atomic.hpp>

#include <bit>
#include <cstdint>
#include <optional>

namespace weft::inline v0::detail {

/// Up to 32 items, claimed together by their owner, which deals with them one after the other.
/// While it is busy with one for long, anybody may free the others: those that it has not begun, and
/// those that it is done with and has not given back yet.
///
/// | operation                             | who       | progress                          |
/// |---------------------------------------|-----------|-----------------------------------|
/// | owner_begin, owner_single, owner_publish, owner_end | the owner | wait-free           |
/// | owner_advance                         | the owner | wait-free; two stores and a load  |
/// | owner_close                           | the owner | wait-free                         |
/// | look, may_have, idle_since            | any       | wait-free                         |
/// | try_free                              | any       | wait-free; pays for a heavy fence |
///
/// The word says the batch's number and what it is in. The position is the item that the owner is
/// at; it goes through its items from the lowest to the highest, so that the items that are done and
/// those that are not begun follow from it and from the set of items.
///
///   idle    --begin----> claiming  the owner, before it claims
///   claiming --single--> busy      the owner, having claimed one
///   claiming --publish-> open      the owner, having claimed several
///   open    --try_free-> at risk   another, before it looks at the position
///   at risk --try_free-> freed     the same: the owner has only the item at this position
///   at risk --try_free-> open      the same: the owner has moved on
///   at risk --advance--> open      the owner, which goes on under another number: nothing is freed
///   open, at risk --close--> busy  the owner, after the last item: nothing is freed
///   any     --end------> idle      the owner, after it has given back what is its own
///
/// Invariants
///  B1  The owner moves its position, and looks at the word afterwards. Another puts the batch at
///      risk, and looks at the position afterwards. Between their two steps the one has a light fence
///      and the other a heavy one: either the owner sees the risk, or the other sees where it is.
///  B2  Only one of the two ends the risk, by an update of the word. If it is the other, the position
///      that it saw is in the word: the owner has this item and no more, whether it was about to go
///      on to it or from it. So each item has one that answers for it. Numbers do not come again: a
///      risk that the owner has ended is not mistaken for one that somebody else begins later.
///  B3  The outcome of an item is written before the position leaves it. Who frees reads it after the
///      position, and it counts for items before that one only.
///  B4  The word says *claiming* before the claim: who has seen that items were claimed sees a batch
///      that is not idle, until they are given back, and knows whether there may be more to free.
///      Who frees says so in its own batch first, and has happened before the owner's end.
class shared_batch {
public:
    /// What became of items: to be dealt with again, and gone, which are not given back.
    struct outcome {
        std::uint32_t again = 0;
        std::uint32_t gone = 0;
    };
    /// What somebody else has seen of a batch that is open.
    struct view {
        std::uint64_t word;
        std::uint64_t position;
        std::uint32_t where;
        std::uint32_t items;
        outcome so_far;
        [[nodiscard]] std::uint32_t current() const noexcept { return bit(position); }
        [[nodiscard]] std::uint32_t done() const noexcept { return items & (current() - 1); }
        [[nodiscard]] std::uint32_t not_begun() const noexcept {
            return items & ~current() & ~(current() - 1);
        }
        /// What others could deal with if it was freed; of what is done, `due` says what is due again.
        [[nodiscard]] std::uint32_t worth_freeing(std::uint32_t due) const noexcept {
            return not_begun() | (done() & ~so_far.gone & (so_far.again | due));
        }
        /// Another as soon as the owner has moved; never 0.
        [[nodiscard]] std::uint64_t key() const noexcept { return word | position << low_shift; }
    };
    /// What was freed: all of these are now the caller's to give back.
    struct freed {
        std::uint32_t where;
        std::uint32_t done;
        std::uint32_t not_begun;
        std::uint32_t note;
        outcome of_done;
    };
    enum class step : std::uint8_t {
        on,    ///< the next item is the owner's
        alone, ///< the same, and all others were freed
        stop,  ///< the last item is the owner's, and all others were freed
    };

    void owner_begin() noexcept {
        now_ = ((now_ >> number_shift) + 1) << number_shift | claiming;
        word_.store(now_, sync::relaxed); // B4: the claim that follows releases
    }
    /// One item, which nobody can free.
    void owner_single() noexcept {
        now_ = (now_ & ~low_bits) | busy;
        word_.store(now_, sync::relaxed);
    }

    /// Several items at `where`, the lowest of which is begun; `note` is for who frees them.
    void owner_publish(std::uint32_t where, std::uint32_t items, std::uint32_t note) noexcept {
        content_.store(std::uint64_t{where} << 32 | items, sync::relaxed);
        note_.store(note, sync::relaxed);
        again_.store(0, sync::relaxed);
        gone_.store(0, sync::relaxed);
        position_.store(lowest(items), sync::relaxed);
        now_ = (now_ & ~low_bits) | open;
        word_.store(now_, sync::release); // pairs with look() [BATCH-1]
    }

    /// On to the lowest of `left`.
    [[nodiscard]] step owner_advance(std::uint32_t left, outcome so_far) noexcept {
        // Two words: one of both would be read from where one half was just written, and wait for it.
        again_.store(so_far.again, sync::relaxed);
        if (so_far.gone != 0) gone_.store(so_far.gone, sync::relaxed); // it was published as none
        position_.store(lowest(left),
                        sync::release); // B3, pairs with look() [BATCH-2]
        sync::light_fence();            // B1, pairs with try_free()
        if (word_.load(sync::relaxed) == now_) [[likely]]
            return step::on;
        // B2. It was at risk, or is open again, or was freed. acquire: what who freed did [BATCH-7]
        std::uint64_t now = word_.load(sync::acquire);
        const std::uint64_t next = now_ + (std::uint64_t{1} << number_shift);
        while ((now & state) == at_risk) {
            // relaxed, if it was freed now: who did that has fenced before the fence above (B1)
            if (word_.compare_exchange_strong(now, next, sync::relaxed, sync::relaxed)) {
                now_ = next;
                return step::on;
            }
        }
        if (now == now_) return step::on;
        const bool moved = (now & low_bits) >> low_shift == lowest(left);
        now_ = now;
        return moved ? step::alone : step::stop;
    }

    /// After the last item; false if all others were freed.
    [[nodiscard]] bool owner_close() noexcept {
        std::uint64_t now = now_;
        const std::uint64_t next = (now_ & ~low_bits) | busy;
        while ((now & state) == open || (now & state) == at_risk) {
            // acquire, if it was freed: what who freed did [BATCH-8]
            if (word_.compare_exchange_strong(now, next, sync::relaxed, sync::acquire)) {
                return true;
            }
        }
        return false;
    }

    /// After all was given back, or nothing was claimed.
    void owner_end() noexcept {
        now_ &= ~low_bits;
        word_.store(now_, sync::release); // pairs with idle_since() [BATCH-3]
    }

    /// The batch, if it is open.
    [[nodiscard]] std::optional<view> look() const noexcept {
        // acquire, pairs with owner_publish() [BATCH-4]
        const std::uint64_t word = word_.load(sync::acquire);
        if ((word & state) != open) return std::nullopt;
        return view_of(word);
    }
    /// Whether there is something to free, as `worth(view)` says, or may be in a moment: its owner is
    /// about to claim, or somebody who is about to free may find that it has to leave it.
    template <class Worth>
    [[nodiscard]] bool may_have(Worth worth) const noexcept {
        // acquire, pairs with owner_publish() [BATCH-9]
        const std::uint64_t word = word_.load(sync::acquire);
        const std::uint64_t now = word & state;
        return now == claiming || now == at_risk || (now == open && worth(view_of(word)));
    }

    /// Frees all items but the one that the owner is at, if it still is where it was seen and the
    /// kernel grants the fence. The caller's own batch is claiming meanwhile (B4).
    [[nodiscard]] std::optional<freed> try_free(const view& seen) noexcept {
        const std::uint64_t risky = (seen.word & ~low_bits) | at_risk;
        std::uint64_t expected = seen.word;
        if (!word_.compare_exchange_strong(expected, risky, sync::relaxed, sync::relaxed)) {
            return std::nullopt;
        }
        const bool ordered = sync::heavy_fence(); // B1, pairs with owner_advance()
        const bool stays = ordered && position_.load(sync::relaxed) == seen.position;
        const std::uint32_t note = note_.load(sync::relaxed);
        const outcome so_far{again_.load(sync::relaxed), gone_.load(sync::relaxed)};
        expected = risky;
        const std::uint64_t next =
            stays ? (seen.word & ~low_bits) | seen.position << low_shift | freed_state : seen.word;
        // relaxed: the fence releases, for owner_advance() and owner_close() (B4)
        const bool ended =
            word_.compare_exchange_strong(expected, next, sync::relaxed, sync::relaxed);
        if (!ended || !stays) return std::nullopt;
        const std::uint32_t done = seen.done();
        return freed{
            seen.where, done, seen.not_begun(), note, {so_far.again & done, so_far.gone & done}};
    }

    /// A number that is another for each batch, or nothing while there is one. Who learns from it
    /// that a batch has ended has what came before that.
    [[nodiscard]] std::optional<std::uint64_t> idle_since() const noexcept {
        const std::uint64_t word = word_.load(sync::acquire); // pairs with owner_end() [BATCH-5]
        if ((word & state) != idle) return std::nullopt;
        return word;
    }

private:
    static constexpr std::uint64_t idle = 0;
    static constexpr std::uint64_t busy = 1;
    static constexpr std::uint64_t open = 2;
    static constexpr std::uint64_t at_risk = 3;
    static constexpr std::uint64_t freed_state = 4; // with the position
    static constexpr std::uint64_t claiming = 5;
    static constexpr std::uint64_t state = 7;
    static constexpr unsigned low_shift = 3;
    static constexpr unsigned number_shift = 8;
    static constexpr std::uint64_t low_bits = (std::uint64_t{1} << number_shift) - 1;

    [[nodiscard]] view view_of(std::uint64_t word) const noexcept {
        const std::uint64_t content = content_.load(sync::relaxed);
        // acquire, pairs with owner_advance(): B3, and what the owner did to the items. The fence in
        // try_free() would do, but for ThreadSanitizer [BATCH-6]
        const std::uint64_t position = position_.load(sync::acquire);
        return {word,
                position,
                static_cast<std::uint32_t>(content >> 32),
                static_cast<std::uint32_t>(content),
                {again_.load(sync::relaxed), gone_.load(sync::relaxed)}};
    }
    static std::uint64_t lowest(std::uint32_t items) noexcept {
        return static_cast<std::uint64_t>(std::countr_zero(items));
    }
    static std::uint32_t bit(std::uint64_t position) noexcept {
        return std::uint32_t{1} << position;
    }

    std::uint64_t now_ = 0; // the owner's: what it has left in the word
    sync::atomic<std::uint64_t> word_{0};
    sync::atomic<std::uint64_t> position_{0};
    sync::atomic<std::uint64_t> content_{0};
    sync::atomic<std::uint32_t> note_{0};
    sync::atomic<std::uint32_t> again_{0};
    sync::atomic<std::uint32_t> gone_{0};
};

} // namespace weft::inline v0::detail
