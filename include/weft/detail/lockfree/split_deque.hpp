// The deque of a worker's scoped children: private at no cost, shared when another worker has no
// work.
#pragma once

#include <weft/detail/sync/atomic.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace weft::inline v0::detail {

/// A split deque, after Lace (van Dijk and van de Pol): slots that one owner uses as a stack and
/// thieves empty from the other end.
///
/// ```
///   0 ........ tail ........ split ........ head ........ capacity
///     stolen         shared        private        unused
/// ```
///
/// | operation                         | caller | progress                                  |
/// |-----------------------------------|--------|-------------------------------------------|
/// | owner_next, owner_push, owner_pop | owner  | wait-free, nothing atomic                 |
/// | owner_share, owner_share_all      | owner  | wait-free, one update                     |
/// | owner_take_back                   | owner  | lock-free: fails only if a thief succeeds |
/// | owner_forget_stolen, owner_renew  | owner  | wait-free                                 |
/// | steal, steal_while                | any    | lock-free                                 |
///
/// Invariants
///  S1  Slots below tail belong to thieves until their owner has seen that they are done; those
///      from tail to split belong to the thread that takes them; those from split on belong to the
///      owner.
///  S2  Tail and split (as its distance from tail) live in one word and every change of either is
///      an update of that word, so a slot is taken by one thief or taken back, never both. Only the
///      owner changes split, of which it has a copy; only thieves change tail, but for S3.
///  S3  When tail equals split no update by a thief can succeed, and the owner may store the word.
///  S4  A slot's content is read only by the thread that has taken it; it was written before the
///      share that made it visible.
///  S5  `steal_while(first, holds)` takes only slots that were shared while `holds` was true, if
///      the owner calls `owner_renew` after it ceases to be true and before its next share.
///
/// A slow thief may update a word that has had other values in between. That does no harm to
/// `steal`, since it takes what the word describes now (S4). For `steal_while` the word has an age,
/// which `owner_renew` raises. If the thief has read the age before the renewal, its update fails;
/// if it has read the later one, it sees with it that `holds` is false, which it asks afterwards.
/// The age wraps around after 2^20 renewals: a thief would have to stand still between two
/// instructions for exactly that many.
template <class Slot>
class split_deque {
public:
    /// The slots must outlive the deque. The owner must know that there is room before it pushes.
    explicit split_deque(Slot* slots) noexcept : head_{slots}, split_{slots}, slots_{slots} {}

    // The private end.

    /// The slot for the next child; `owner_push` follows.
    [[nodiscard]] Slot* owner_next() const noexcept { return head_; }
    void owner_push(Slot* next) noexcept { head_ = next + 1; }
    /// Removes the youngest child, which must be `last`; true if it is private.
    bool owner_pop(Slot* last) noexcept {
        head_ = last;
        return last >= split_;
    }
    [[nodiscard]] std::uint32_t owner_position() const noexcept { return index_of(head_); }
    [[nodiscard]] bool owner_has_private() const noexcept { return head_ != split_; }

    /// Shares the older half of the private slots, at least one; `prepare` is called for each
    /// first. At most 4,095 are shared at a time.
    template <class Prepare>
    void owner_share(Prepare prepare) noexcept {
        owner_share_until(split_ + (head_ - split_ + 1) / 2, prepare);
    }
    /// Shares all private slots.
    template <class Prepare>
    void owner_share_all(Prepare prepare) noexcept {
        owner_share_until(head_, prepare);
    }

    /// After a pop that found its child shared: true if it is the owner's again. If it was stolen,
    /// it stays where it is, and the owner may push above it, until `owner_forget_stolen`.
    bool owner_take_back() noexcept {
        std::uint64_t range = range_.load(sync::relaxed);
        for (;;) {
            const std::uint64_t count = count_of(range);
            if (count == 0) {
                head_ = split_;
                return false;
            }
            const std::uint64_t left = count / 2;
            // Relaxed: what comes back was written by the owner itself.
            if (range_.compare_exchange_weak(range, range - (count - left) * one_shared,
                                             sync::relaxed, sync::relaxed)) {
                split_ = slots_ + tail_of(range) + left;
                return true;
            }
        }
    }

    /// The youngest child, which was stolen, is done: its slot may be used again.
    void owner_forget_stolen(Slot* last) noexcept {
        head_ = split_ = last;
        // Relaxed (S3): the next share publishes what will be in these slots.
        const std::uint64_t age = range_.load(sync::relaxed) & age_bits;
        range_.store(age | index_of(last), sync::relaxed);
    }

    /// Separates what is shared from now on from what was shared before (S5).
    void owner_renew() noexcept {
        range_.fetch_add(one_older, sync::relaxed); // the next share publishes the reason
    }

    // The shared end.

    /// The oldest shared slot, now the caller's, or null.
    Slot* steal() noexcept {
        return steal_while(0, [] { return true; });
    }

    /// The same for slots from position `first` on, as long as `holds()` (S5).
    template <class Holds>
    Slot* steal_while(std::uint32_t first, Holds holds) noexcept {
        // acquire, pairs with owner_share_until(): whether `holds` [SPLIT-3]
        std::uint64_t range = range_.load(sync::acquire);
        for (;;) {
            const std::uint32_t tail = tail_of(range);
            if (count_of(range) == 0 || tail < first || !holds()) return nullptr;
            // acquire, pairs with owner_share_until(): the slot's content; if it fails, as above
            // [SPLIT-2]
            if (range_.compare_exchange_weak(range, range + 1 - one_shared, sync::acquire,
                                             sync::acquire)) {
                return slots_ + tail;
            }
        }
    }

    /// An estimate, for thieves.
    [[nodiscard]] std::uint32_t shared_count() const noexcept {
        return static_cast<std::uint32_t>(count_of(range_.load(sync::relaxed)));
    }

private:
    // The word: 20 bits of age, 12 bits for the number of shared slots, 32 bits of tail.
    static constexpr std::uint64_t one_shared = std::uint64_t{1} << 32;
    static constexpr std::uint64_t most_shared = (std::uint64_t{1} << 12) - 1;
    static constexpr std::uint64_t one_older = std::uint64_t{1} << 44;
    static constexpr std::uint64_t age_bits = ~(one_older - 1);

    static std::uint32_t tail_of(std::uint64_t range) noexcept {
        return static_cast<std::uint32_t>(range);
    }
    static std::uint64_t count_of(std::uint64_t range) noexcept {
        return range / one_shared & most_shared;
    }
    [[nodiscard]] std::uint32_t index_of(const Slot* slot) const noexcept {
        return static_cast<std::uint32_t>(slot - slots_);
    }

    template <class Prepare>
    void owner_share_until(Slot* upper, Prepare prepare) noexcept {
        const std::uint64_t room = most_shared - shared_count(); // thieves only increase it
        const std::uint64_t count = std::min(static_cast<std::uint64_t>(upper - split_), room);
        for (Slot* each = split_; each != split_ + count; ++each) prepare(*each);
        split_ += count;
        // release, pairs with steal_while() [SPLIT-1]
        range_.fetch_add(count * one_shared, sync::release);
    }

    // Written by the owner alone.
    Slot* head_;
    Slot* split_;
    Slot* const slots_;

    // Written by the owner and thieves.
    alignas(64) sync::atomic<std::uint64_t> range_{0};
};

} // namespace weft::inline v0::detail
