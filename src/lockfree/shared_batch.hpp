// A batch of items that one thread works on, and that others may free.
#pragma once

#include "sync/asymmetric_fence.hpp"

#include <weft/detail/sync/atomic.hpp>

#include <bit>
#include <cstdint>
#include <optional>

namespace weft::inline v0::detail {

/// Up to 32 items, claimed together by their owner, which works on them one after the other. While
/// the owner stays with one item for long, any thread may free the others: those that are not
/// begun, and those that are done and have not been given back yet.
///
/// | operation                             | caller     | progress                          |
/// |---------------------------------------|------------|-----------------------------------|
/// | owner_begin, owner_single, owner_publish, owner_end | the owner | wait-free            |
/// | owner_advance, owner_rest             | the owner  | wait-free; two stores and a load  |
/// | owner_resume                          | the owner  | wait-free; a store                |
/// | owner_close                           | the owner  | wait-free                         |
/// | owner_run                             | the owner  | wait-free between its items       |
/// | look, is_resting, may_have, idle_since | any thread | wait-free                        |
/// | try_free                              | any thread | wait-free; pays for a heavy fence |
///
/// The word holds the number of the batch and its state. The position is the item that the owner is
/// at. The owner goes from the lowest item to the highest, so the items that are done and those
/// that are not begun follow from the position and the set of items. Between two items the owner
/// may rest: the position is then the next item, with a mark.
///
///   idle     --owner_begin---> claiming  the owner, before it claims
///   claiming --owner_single--> busy      the owner, having claimed one item
///   claiming --owner_publish-> open      the owner, having claimed several
///   open     --try_free------> at risk   another thread, before it reads the position
///   at risk  --try_free------> freed     the same thread: the owner has only its current item
///   at risk  --try_free------> open      the same thread: the owner has moved on
///   at risk  --owner_advance-> open      the owner, under another number: nothing is freed
///   open, at risk --owner_close-> busy   the owner, after the last item: nothing is freed
///   any      --owner_end-----> idle      the owner, after it has given back what is its own
///
/// Invariants
///  B1  The owner moves its position, and then reads the word. Another thread puts the batch at
///      risk, and then reads the position. Between these steps the owner has a light fence and the
///      other thread a heavy one: either the owner sees the risk, or the other thread sees the new
///      position.
///  B2  Only one of the two ends the risk, by an update of the word. If it is the other thread, the
///      position that it read is in the word: the owner has this item and no other, whether it was
///      about to come to it or to leave it. So exactly one thread is responsible for each item.
///      Numbers are not reused: a risk that the owner has ended is not mistaken for a later one.
///  B3  The outcome of an item is written before the position leaves it. A thread that frees reads
///      it after the position, and it counts only for items before that one.
///  B4  The word says *claiming* before the claim: a thread that has seen that items were claimed
///      sees a batch that is not idle until they are given back, and knows whether there may be
///      more to free. A thread that frees says so in its own batch first, and this happens before
///      the owner's end.
///  B5  While the owner rests, no item is begun, and no thread frees any: a thread that is about to
///      has seen another position. The owner may be another thread afterwards: what owns the batch
///      is not the thread but its seat, which the resting thread has left (seat.hpp).
class shared_batch {
public:
    /// The outcome of items: those in `again` are due again, those in `gone` are not given back.
    struct outcome {
        std::uint32_t again = 0;
        std::uint32_t gone = 0;
    };
    /// What another thread has seen of an open batch.
    struct view {
        std::uint64_t word;
        std::uint64_t position;
        std::uint32_t block;
        std::uint32_t items;
        outcome so_far;
        /// Whether the owner is between two items.
        [[nodiscard]] bool is_resting() const noexcept { return (position & resting) != 0; }
        /// The item that is begun; none while the owner rests.
        [[nodiscard]] std::uint32_t current() const noexcept {
            return is_resting() ? 0 : bit(position);
        }
        [[nodiscard]] std::uint32_t done() const noexcept {
            return items & (bit(position & ~resting) - 1);
        }
        [[nodiscard]] std::uint32_t not_begun() const noexcept {
            return items & ~current() & ~done();
        }
        /// What other threads could run if the batch were freed; `due` says which of the finished
        /// items are due again.
        [[nodiscard]] std::uint32_t worth_freeing(std::uint32_t due) const noexcept {
            return not_begun() | (done() & ~so_far.gone & (so_far.again | due));
        }
        /// Changes when the owner moves; never 0.
        [[nodiscard]] std::uint64_t key() const noexcept { return word | position << low_shift; }
    };
    /// What was freed: the caller gives all of it back.
    struct freed {
        std::uint32_t block;
        std::uint32_t done;
        std::uint32_t not_begun;
        std::uint32_t note;
        outcome of_done;
    };
    enum class step : std::uint8_t {
        next,      ///< the next item is the owner's, and nothing was freed
        only_next, ///< the next item is the owner's, and all others were freed
        only_last, ///< the item that was just done is the owner's, and all others were freed
    };

    void owner_begin() noexcept {
        now_ = ((now_ >> number_shift) + 1) << number_shift | claiming;
        word_.store(now_, sync::relaxed); // B4: the claim that follows releases it
    }
    /// One item, which cannot be freed.
    void owner_single() noexcept {
        now_ = (now_ & ~low_bits) | busy;
        word_.store(now_, sync::relaxed);
    }

    /// Several items of `block`, the lowest of which is begun; `note` is for a thread that frees
    /// them.
    void owner_publish(std::uint32_t block, std::uint32_t items, std::uint32_t note) noexcept {
        content_.store(std::uint64_t{block} << 32 | items, sync::relaxed);
        note_.store(note, sync::relaxed);
        again_.store(0, sync::relaxed);
        gone_.store(0, sync::relaxed);
        position_.store(lowest(items), sync::relaxed);
        now_ = (now_ & ~low_bits) | open;
        word_.store(now_, sync::release); // pairs with look() [BATCH-1]
    }

    /// Moves on to the lowest of `left`.
    [[nodiscard]] step owner_advance(std::uint32_t left, outcome so_far) noexcept {
        return owner_move(lowest(left), so_far);
    }
    /// Rests before the lowest of `left`. Not `only_next`: no other thread frees meanwhile (B5).
    [[nodiscard]] step owner_rest(std::uint32_t left, outcome so_far) noexcept {
        return owner_move(lowest(left) | resting, so_far);
    }
    /// Begins the lowest of `left`, before which the owner has rested. It need not look at the
    /// word: a thread that puts the batch at risk now sees a position that it has not seen before
    /// (B5), or this one.
    void owner_resume(std::uint32_t left) noexcept {
        // release, pairs with view_of(): what became of the items before (B3) [BATCH-10]
        position_.store(lowest(left), sync::release);
    }

    /// Called after the last item; returns false if all others were freed.
    [[nodiscard]] bool owner_close() noexcept {
        std::uint64_t now = now_;
        const std::uint64_t next = (now_ & ~low_bits) | busy;
        while ((now & state) == open || (now & state) == at_risk) {
            // acquire, if it was freed: what the thread that freed did [BATCH-8]
            if (word_.compare_exchange_strong(now, next, sync::relaxed, sync::acquire)) {
                return true;
            }
        }
        return false;
    }

    /// Works on `items` of `block`, the lowest first, until all are done or another thread has
    /// freed the rest. `run(bit)` returns the outcome of all items so far. Returns the items that
    /// the owner gives back: all, or one.
    template <class Run>
    [[nodiscard]] std::uint32_t owner_run(std::uint32_t block, std::uint32_t items,
                                          std::uint32_t note, Run run) noexcept {
        bool published = (items & (items - 1)) != 0;
        if (published) owner_publish(block, items, note);
        else owner_single();
        for (std::uint32_t left = items;;) {
            const std::uint32_t item = lowest_bit(left);
            const outcome so_far = run(item); // in one place: it is inlined there, with its state
            left &= left - 1;
            if (left == 0) return published && owner_close() ? items : item;
            const step advanced = owner_advance(left, so_far);
            if (advanced == step::next) [[likely]]
                continue;
            if (advanced == step::only_last) return item;
            left = lowest_bit(left);
            published = false;
        }
    }

    /// Called after all items were given back, or if none was claimed.
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
    /// Whether the owner rests. A hint: the seat decides.
    [[nodiscard]] bool is_resting() const noexcept {
        // relaxed: the thread that takes the seat sees what was done in it
        return (word_.load(sync::relaxed) & state) == open &&
               (position_.load(sync::relaxed) & resting) != 0;
    }
    /// Whether there is something to free, as `worth(view)` says, or there may be in a moment: the
    /// owner is about to claim, or a thread that is about to free may have to give up.
    template <class Worth>
    [[nodiscard]] bool may_have(Worth worth) const noexcept {
        // acquire, pairs with owner_publish() [BATCH-9]
        const std::uint64_t word = word_.load(sync::acquire);
        const std::uint64_t now = word & state;
        return now == claiming || now == at_risk || (now == open && worth(view_of(word)));
    }

    /// Frees all items but the one that the owner is at, if the owner is still at the position in
    /// `seen`, where it did not rest, and the kernel grants the fence. The caller's own batch is
    /// claiming meanwhile (B4).
    [[nodiscard]] std::optional<freed> try_free(const view& seen) noexcept {
        if (seen.is_resting()) return std::nullopt; // B5
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
            seen.block, done, seen.not_begun(), note, {so_far.again & done, so_far.gone & done}};
    }

    /// A number that differs for each batch, or nothing while there is one. A caller that learns
    /// from it that a batch has ended sees what came before that.
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
    static constexpr std::uint64_t resting = 32; // of a position
    static constexpr unsigned low_shift = 3;
    static constexpr unsigned number_shift = 8;
    static constexpr std::uint64_t low_bits = (std::uint64_t{1} << number_shift) - 1;

    [[nodiscard]] step owner_move(std::uint64_t next_position, outcome so_far) noexcept {
        // Two words: a load of one word right after a store to half of it would have to wait.
        again_.store(so_far.again, sync::relaxed);
        if (so_far.gone != 0) gone_.store(so_far.gone, sync::relaxed); // it was published as none
        position_.store(next_position, sync::release); // B3, pairs with view_of() [BATCH-2]
        sync::light_fence();                           // B1, pairs with try_free()
        if (word_.load(sync::relaxed) == now_) [[likely]]
            return step::next;
        // B2. It was at risk, or is open again, or was freed. acquire: what the thread that freed
        // did [BATCH-7]
        std::uint64_t now = word_.load(sync::acquire);
        const std::uint64_t next = now_ + (std::uint64_t{1} << number_shift);
        while ((now & state) == at_risk) {
            // acquire, if it was freed now: that thread may have seen the new position, and then
            // its fence came after the one above [BATCH-7]
            if (word_.compare_exchange_strong(now, next, sync::relaxed, sync::acquire)) {
                now_ = next;
                return step::next;
            }
        }
        if (now == now_) return step::next;
        const bool moved = (now & low_bits) >> low_shift == next_position;
        now_ = now;
        return moved ? step::only_next : step::only_last;
    }

    [[nodiscard]] view view_of(std::uint64_t word) const noexcept {
        const std::uint64_t content = content_.load(sync::relaxed);
        // acquire, pairs with owner_move() and owner_resume(): B3, and what the owner did to the
        // items. The fence in try_free() is enough, but ThreadSanitizer does not know that
        // [BATCH-6]
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
    static std::uint32_t lowest_bit(std::uint32_t items) noexcept { return items & (~items + 1); }
    static std::uint32_t bit(std::uint64_t position) noexcept {
        return std::uint32_t{1} << position;
    }

    std::uint64_t now_ = 0; // the owner's copy of what it last wrote to the word
    sync::atomic<std::uint64_t> word_{0};
    sync::atomic<std::uint64_t> position_{0};
    sync::atomic<std::uint64_t> content_{0};
    sync::atomic<std::uint32_t> note_{0};
    sync::atomic<std::uint32_t> again_{0};
    sync::atomic<std::uint32_t> gone_{0};
};

} // namespace weft::inline v0::detail
