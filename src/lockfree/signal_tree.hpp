// Millions of signals: raised without waiting, found without looking at each.
#pragma once

#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/fence.hpp>
#include <weft/detail/sync/memory.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

namespace weft::inline v0::detail {

/// Where a select begins to look, and what it looks at first. A thread has its own, or several; it
/// may use another one for each call.
///
/// A node of the tree has 32 children, so a step down takes five bits of a position where a step in
/// a binary tree takes one. They mean the same in both: the child to begin with. If nothing is set
/// there, the next children follow, and after the last the first: a select takes the first set
/// signal at or after its position, round the end.
class selection_bias {
public:
    /// Walks over all signals: the next select begins behind what the last one took.
    static selection_bias fair(std::size_t start = 0) noexcept { return {start, 0, 0}; }
    /// Favours the signals from `first` to before `last`, a branch of the tree for example, and
    /// walks over these; where none of them is set, it walks over all others.
    static selection_bias favour(std::size_t first, std::size_t last) noexcept {
        return {0, first, last};
    }

private:
    friend class signal_tree;
    selection_bias(std::size_t start, std::size_t first, std::size_t last) noexcept
        : position_{start}, favoured_{first}, first_{first}, last_{last} {}

    std::size_t position_; // among all
    std::size_t favoured_; // among the favoured
    std::size_t first_;
    std::size_t last_;
};

/// A set of signals, each raised or not.
///
/// | operation   | who | progress                                                  |
/// |-------------|-----|-----------------------------------------------------------|
/// | set, mark   | any | wait-free: two looks, and an update for each level at most |
/// | select      | any | lock-free                                                 |
/// | take        | any | lock-free                                                 |
/// | find        | any | wait-free: one pass over the marks                        |
/// | retire      | any | lock-free                                                 |
/// | empty       | any | wait-free: one load                                       |
/// | reserve     | any | lock-free, allocates                                      |
///
/// The signals stand in segments; the second is as large as the first, and each further one is as
/// large as all before it. A segment is published once and never moves. In it 32 signals are one
/// word; above it stand the summaries: a word for 32 words, and so on up to one word; the root has a
/// place for each segment. So a level is written only when what is below it becomes empty or is so
/// no longer, and an empty tree is known by one load however large it is.
///
/// A place in a word has two bits. *Marked*: there is something below. *Suspect*: somebody believes
/// that there is nothing below, and is about to look again. Both say: look here.
///
///   nothing --set, mark----> marked       after the signal itself was written
///   marked  --retire-------> suspect      nothing seems to be below
///   suspect --set, mark----> marked + suspect
///   suspect --retire-------> nothing      there is nothing below
///   marked + suspect --retire--> marked   there is again
///
/// Invariants
///  T1  Who has written a place, or has seen that another has marked it, looks above afterwards, and
///      marks what is not marked. Who withdraws a mark looks below afterwards, and marks again if
///      there is something. Each has a seq_cst fence between its two steps: either the former sees
///      the mark withdrawn, or the latter sees what was written. So once a set has returned there is
///      a way of marked or suspect places to its signal until it is taken, whoever else has stopped
///      on that way. Where all is marked one fence does for all levels: each place is seen marked
///      before it, and the one above it after it.
///  T2  A place is nothing only by the hand of the one who made it suspect, and it looks below in
///      between. So nobody who is stopped in the middle of a retire hides a signal.
///  T3  A place that is suspect is not made suspect by another. For that reason, and because a set may
///      come to mark its way when its signal has been taken already, a mark may be left above what is
///      empty. Who comes there and finds nothing withdraws it; so after a select or a find over all
///      signals that finds nothing, with none concurrent, nothing is marked.
///  T4  What came before a set happens before the return of the take or select that takes it.
class signal_tree {
public:
    static constexpr std::size_t width = 32;
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

    /// The first segment holds that many signals, rounded up to a power of two, at least 32. It is
    /// made at once; throws std::bad_alloc.
    explicit signal_tree(std::size_t first = width)
        : first_{std::bit_ceil(first < width ? width : first)} {
        reserve(first_);
    }
    ~signal_tree() {
        for (auto& each : segments_) sync::destroy(each.load(sync::relaxed));
    }
    signal_tree(const signal_tree&) = delete;
    signal_tree& operator=(const signal_tree&) = delete;

    /// There are at least that many signals then; throws std::bad_alloc, and what is there stays.
    void reserve(std::size_t signals) {
        for (std::size_t number = 0; capacity_before(number) < signals; ++number) {
            if (segments_[number].load(sync::relaxed) != nullptr) continue;
            auto* made = sync::make<segment>(size_of(number));
            segment* expected = nullptr;
            // release, pairs with segment_at() [TREE-1]
            if (!segments_[number].compare_exchange_strong(expected, made, sync::release,
                                                           sync::relaxed)) {
                sync::destroy(made); // another was quicker
            }
        }
    }
    /// How many there are.
    [[nodiscard]] std::size_t capacity() const noexcept {
        std::size_t number = 0;
        while (number < most_segments && segments_[number].load(sync::relaxed) != nullptr) ++number;
        return capacity_before(number);
    }
    /// Bytes of memory for that many signals, the object itself not counted.
    [[nodiscard]] std::size_t memory() const noexcept {
        std::size_t sum = 0;
        for (std::size_t number = 0; number < most_segments; ++number) {
            const segment* each = segment_at(number);
            if (each == nullptr) break;
            sum += sizeof(segment) + each->node_count() * sizeof(node);
        }
        return sum;
    }

    /// Raises a signal; true if it was not raised before. The signal must be within the capacity.
    bool set(std::size_t signal) noexcept {
        const place at = place_of(signal);
        node& leaf = at.in->at(0, at.index / width);
        const std::uint64_t bit = marked(at.index);
        // One bit of what was there is asked for: that is one instruction, without a loop, on x86.
        // release, pairs with take() [TREE-2]
        const bool was_set = (leaf.fetch_or(bit, sync::release) & bit) != 0;
        mark_above(at, 1);
        return !was_set;
    }

    /// As `set`, for a signal that only points to something elsewhere, which the caller has written
    /// before: this writes nothing if all is marked. Pairs with the look again in `retire`.
    void mark(std::size_t signal) noexcept { mark_above(place_of(signal), 0); }

    /// Takes back a signal; false if it was not raised.
    bool take(std::size_t signal) noexcept {
        const place at = place_of(signal);
        node& leaf = at.in->at(0, at.index / width);
        const std::uint64_t bit = marked(at.index);
        if ((leaf.load(sync::relaxed) & bit) == 0) return false;
        // acquire, pairs with set(), and with take() for the one who leaves it empty; release, for who
        // finds nothing here [TREE-4]
        const std::uint64_t before = leaf.fetch_and(~bit, sync::acq_rel);
        if ((before & bit) == 0) return false;
        if (before == bit) retire_above(at, 1);
        return true;
    }

    /// Takes the first raised signal, as `bias` has it, and moves the bias on.
    std::optional<std::size_t> select(selection_bias& bias) noexcept {
        if (empty()) return std::nullopt;
        if (bias.first_ != bias.last_) {
            const std::size_t found = take_round(bias.favoured_, bias.first_, bias.last_);
            if (found != none) {
                bias.favoured_ = found + 1 < bias.last_ ? found + 1 : bias.first_;
                return found;
            }
        }
        const std::size_t found = take_round(bias.position_, 0, none);
        if (found == none) return std::nullopt;
        bias.position_ = found + 1;
        return found;
    }

    /// The first signal from `from` to before `end` that is raised or suspect, without taking it;
    /// `none` if there is none.
    [[nodiscard]] std::size_t find(std::size_t from, std::size_t end) noexcept {
        if (from >= end) return none;
        std::size_t number = number_of(from);
        if (number >= most_segments) return none;
        std::size_t index = from - capacity_before(number);
        std::uint32_t left = visible(root_.load(sync::relaxed)) & from_bit(number);
        for (; left != 0; left &= left - 1) {
            const auto next = static_cast<std::size_t>(std::countr_zero(left));
            if (next != number) index = 0;
            number = next;
            segment* in = segment_at(number);
            if (in == nullptr) continue; // its mark was seen before itself: it is just being made
            const std::size_t found = in->find(index, [&](unsigned level, std::size_t empty_word) {
                retire_above({in, empty_word << digit * level, number}, level); // T3
            });
            if (found == none) continue;
            const std::size_t signal = capacity_before(number) + found;
            return signal < end ? signal : none;
        }
        return none;
    }

    /// For signals that point to something elsewhere: withdraws the signal unless `needed()` says
    /// that there is something. It is asked after the signal has become suspect. True if it is
    /// withdrawn.
    template <class Needed>
    bool retire(std::size_t signal, Needed needed) noexcept {
        const place at = place_of(signal);
        bool empty = false;
        if (!retire_place(at.in->at(0, at.index / width), at.index % width, needed, empty)) {
            return false;
        }
        if (empty) retire_above(at, 1);
        return true;
    }

    /// Whether nothing is raised. Who learns this from a withdrawn mark has what came before that.
    [[nodiscard]] bool empty() const noexcept {
        // acquire, pairs with retire_place() [TREE-5]
        return visible(root_.load(sync::acquire)) == 0;
    }

private:
    using node = sync::atomic<std::uint64_t>;
    static constexpr unsigned digit = 5; // bits of a position that one level takes
    static constexpr unsigned most_levels = 7;
    static constexpr std::size_t most_segments = width;

    static std::uint64_t marked(std::size_t index) noexcept {
        return std::uint64_t{1} << index % width;
    }
    static std::uint64_t suspect(std::size_t index) noexcept {
        return std::uint64_t{1} << (index % width + width);
    }
    static std::uint32_t visible(std::uint64_t word) noexcept {
        return static_cast<std::uint32_t>(word | word >> width);
    }
    static std::uint32_t from_bit(std::size_t index) noexcept {
        return std::numeric_limits<std::uint32_t>::max() << index % width;
    }

    /// Words of 32 places each; level 0 has the signals, and the highest level is one word.
    class segment {
    public:
        explicit segment(std::size_t signals) {
            std::size_t words = signals / width;
            for (;;) {
                start_[levels_++] = count_;
                count_ += words;
                if (words == 1) break;
                words = (words + width - 1) / width;
            }
            start_[levels_] = count_;
            nodes_ = static_cast<node*>(sync::allocate(count_ * sizeof(node), alignment));
            for (std::size_t i = 0; i < count_; ++i) std::construct_at(nodes_ + i, 0);
        }
        ~segment() {
            std::destroy_n(nodes_, count_);
            sync::deallocate(nodes_, alignment);
        }
        segment(const segment&) = delete;
        segment& operator=(const segment&) = delete;

        [[nodiscard]] unsigned levels() const noexcept { return levels_; }
        [[nodiscard]] std::size_t node_count() const noexcept { return count_; }
        [[nodiscard]] node& at(unsigned level, std::size_t index) const noexcept {
            return nodes_[start_[level] + index];
        }

        /// The first visible signal at or behind `index`: up while there is nothing to the right,
        /// then down along the first marks. `stale(level, word)` is told of a word of the level below
        /// that is empty though it may be marked.
        template <class Stale>
        [[nodiscard]] std::size_t find(std::size_t index, Stale stale) const noexcept {
            if (visible(at(levels_ - 1, 0).load(sync::relaxed)) == 0) {
                stale(levels_, 0);
                return none;
            }
            for (unsigned level = 0; level < levels_;) {
                const std::size_t word = index / width;
                if (word >= start_[level + 1] - start_[level]) return none;
                // acquire, pairs with the fences of mark_above(): who comes to what a mark points to has
                // what was there before the mark [TREE-11]
                const std::uint32_t seen = visible(at(level, word).load(sync::acquire));
                const std::uint32_t right = seen & from_bit(index);
                if (right == 0) {
                    if (seen == 0 && level + 1 < levels_)
                        stale(level + 1, word); // it may be marked
                    ++level;
                    index = word + 1;
                    continue;
                }
                index = word * width + static_cast<std::size_t>(std::countr_zero(right));
                if (level == 0) return index;
                if (visible(at(level - 1, index).load(sync::relaxed)) == 0) {
                    stale(level, index);
                    ++index;
                    continue;
                }
                --level;
                index *= width;
            }
            return none;
        }

    private:
        static constexpr std::size_t alignment = 64;
        unsigned levels_ = 0;
        std::size_t count_ = 0;
        std::array<std::size_t, most_levels + 1> start_{};
        node* nodes_ = nullptr;
    };

    struct place {
        segment* in;
        std::size_t index; // in the segment
        std::size_t number;
    };

    [[nodiscard]] std::size_t number_of(std::size_t signal) const noexcept {
        return static_cast<std::size_t>(std::bit_width(signal / first_));
    }
    [[nodiscard]] std::size_t size_of(std::size_t number) const noexcept {
        return number == 0 ? first_ : first_ << (number - 1);
    }
    [[nodiscard]] std::size_t capacity_before(std::size_t number) const noexcept {
        return number == 0 ? 0 : first_ << (number - 1);
    }
    [[nodiscard]] segment* segment_at(std::size_t number) const noexcept {
        return segments_[number].load(sync::acquire); // pairs with reserve() [TREE-6]
    }
    [[nodiscard]] place place_of(std::size_t signal) const noexcept {
        const std::size_t number = number_of(signal);
        return {segment_at(number), signal - capacity_before(number), number};
    }

    /// The way to a signal, from `level` up: calls `visit(word, index)` until it returns false.
    template <class Visit>
    bool all_above(const place& at, unsigned level, Visit visit) noexcept {
        std::size_t index = at.index >> digit * level;
        for (; level < at.in->levels(); ++level, index /= width) {
            if (!visit(at.in->at(level, index / width), index)) return false;
        }
        return visit(root_, at.number);
    }

    /// Marks this way, after what it leads to was written (T1).
    void mark_above(const place& at, unsigned level) noexcept {
        const auto is_marked = [](const node& word, std::size_t index) {
            return (word.load(sync::relaxed) & marked(index)) != 0;
        };
        const bool was_marked = all_above(at, level, is_marked);
        // T1, pairs with the fence in retire_place() [TREE-3]
        sync::fence(sync::seq_cst);
        if (was_marked && all_above(at, level, is_marked)) return;
        all_above(at, level, [&is_marked](node& word, std::size_t index) {
            if (!is_marked(word, index)) word.fetch_or(marked(index), sync::relaxed);
            // T1, between this mark and the look at the one above; pairs with retire_place() [TREE-7]
            sync::fence(sync::seq_cst);
            return true;
        });
    }

    /// After a word of `level - 1` has become empty.
    void retire_above(const place& at, unsigned level) noexcept {
        std::size_t index = at.index >> digit * level;
        for (;; ++level, index /= width) {
            const node& below = at.in->at(level - 1, index);
            const auto needed = [&below] {
                return below.load(sync::acquire) != 0; // pairs with retire_place() [TREE-8]
            };
            const bool top = level == at.in->levels();
            node& word = top ? root_ : at.in->at(level, index / width);
            bool empty = false;
            if (!retire_place(word, top ? at.number : index % width, needed, empty)) return;
            if (top || !empty) return;
        }
    }

    /// Withdraws a mark if nothing is below it (T1 to T3). True if it is withdrawn; `empty` says
    /// then whether its word has become empty by that.
    template <class Needed>
    static bool retire_place(node& word, std::size_t index, Needed needed, bool& empty) noexcept {
        std::uint64_t now = word.load(sync::relaxed);
        do {
            if ((now & marked(index)) == 0 || (now & suspect(index)) != 0) return false;
        } while (!word.compare_exchange_weak(now, (now & ~marked(index)) | suspect(index),
                                             sync::relaxed, sync::relaxed));
        // T1, pairs with the fences of mark_above() [TREE-9]
        sync::fence(sync::seq_cst);
        if (needed()) word.fetch_or(marked(index), sync::relaxed);
        // release, pairs with empty() and retire_above(): what was seen below. What others did who
        // withdrew other marks of this word is passed on by the fence, one level higher [TREE-10]
        const std::uint64_t before = word.fetch_and(~suspect(index), sync::release);
        if ((before & marked(index)) != 0) return false;
        empty = before == suspect(index);
        return true;
    }

    /// Takes the first signal from `from` to before `last`, or else from `first` to before `from`.
    [[nodiscard]] std::size_t take_round(std::size_t from, std::size_t first,
                                         std::size_t last) noexcept {
        for (std::size_t at = from; (at = find(at, last)) != none; ++at) {
            if (take(at)) return at;
        }
        for (std::size_t at = first; (at = find(at, from)) != none; ++at) {
            if (take(at)) return at;
        }
        return none;
    }

    const std::size_t first_;
    std::array<sync::atomic<segment*>, most_segments> segments_{};
    alignas(64) node root_{0};
};

} // namespace weft::inline v0::detail
