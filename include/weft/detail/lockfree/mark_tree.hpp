// The marks of up to millions of signals: set without waiting, found without checking each.
#pragma once

#include <weft/detail/lockfree/nearest_bit.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/fence.hpp>
#include <weft/detail/sync/memory.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

namespace weft::inline v0::detail {

/// Marks of signals. A signal points to something that is due elsewhere, such as a block of
/// contracts or a word of the public `signal_tree`: a thread that makes something due marks its
/// signal afterwards, and a thread that finds nothing due there withdraws the mark.
///
/// | operation | caller     | progress                                                           |
/// |-----------|------------|--------------------------------------------------------------------|
/// | mark      | any thread | wait-free: two looks, and at most one update for each level        |
/// | find, find_nearest | any thread | wait-free: one pass over the marks                        |
/// | retire    | any thread | lock-free                                                          |
/// | empty     | any thread | wait-free: one load                                                |
/// | reserve   | any thread | lock-free, allocates                                               |
/// | memory    | any thread | wait-free                                                          |
///
/// The signals are in segments; the second is as large as the first, and each further one is as
/// large as all before it. A segment is published once and never moves. In it 32 signals are one
/// word; above them are the summaries: a word for 32 words, and so on up to one word; the root has
/// a position for each segment. So a level is written only when what is below it becomes empty or
/// stops being so, and an empty tree is known by one load however large it is.
///
/// A position in a word has two bits. *Marked*: there is something below. *Suspect*: a thread
/// believes that there is nothing below, and is about to look again. Both say: look here.
///
///   nothing --mark----> marked            after what the signal points to was written
///   marked  --retire--> suspect           nothing seems to be below
///   suspect --mark----> marked + suspect
///   suspect --retire--> nothing           there is nothing below
///   marked + suspect --retire--> marked   there is something again
///
/// Invariants
///  T1  A thread that has written a position, or has seen that another has marked it, looks above
///      afterwards, and marks what is not marked. A thread that withdraws a mark looks below
///      afterwards, and marks again if there is something. Each has a seq_cst fence between its two
///      steps: either the former sees the mark withdrawn, or the latter sees what was written. So
///      once a mark has returned there is a path of marked or suspect positions to its signal until
///      it is withdrawn, wherever other threads have stopped on that path. Where all is marked one
///      fence is enough for all levels: each position is seen marked before it, and the one above
///      it after it.
///  T2  A position becomes nothing only by the thread that made it suspect, and that thread looks
///      below in between. So a thread that is stopped in the middle of a retire hides no signal.
///  T3  A suspect position is not made suspect by another thread. For that reason, and because a
///      mark may come after what it points to has been dealt with, a mark may be left above what is
///      empty. A thread that comes there and finds nothing withdraws it; so after a find over all
///      signals that finds nothing, with no concurrent operation, nothing is marked.
class mark_tree {
public:
    static constexpr std::size_t width = 32;
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

    /// The first segment holds `first` signals, rounded up to a power of two, at least 32. It is
    /// made at once; throws std::bad_alloc.
    explicit mark_tree(std::size_t first = width)
        : first_{std::bit_ceil(first < width ? width : first)} {
        reserve(first_);
    }
    ~mark_tree() {
        for (auto& each : segments_) sync::destroy(each.load(sync::relaxed));
    }
    mark_tree(const mark_tree&) = delete;
    mark_tree& operator=(const mark_tree&) = delete;

    /// Makes room for at least that many signals; throws std::bad_alloc, and changes nothing then.
    void reserve(std::size_t signals) {
        for (std::size_t number = 0; capacity_before(number) < signals; ++number) {
            if (segments_[number].load(sync::relaxed) != nullptr) continue;
            auto* made = sync::make<segment>(size_of(number));
            segment* expected = nullptr;
            // release, pairs with segment_at() [TREE-1]
            if (!segments_[number].compare_exchange_strong(expected, made, sync::release,
                                                           sync::relaxed)) {
                sync::destroy(made); // another thread was faster
            }
        }
    }
    /// Bytes that were allocated for the signals.
    [[nodiscard]] std::size_t memory() const noexcept {
        std::size_t sum = 0;
        for (std::size_t number = 0; number < most_segments; ++number) {
            const segment* each = segment_at(number);
            if (each == nullptr) break;
            sum += sizeof(segment) + each->node_count() * sizeof(node);
        }
        return sum;
    }

    /// Raises a signal, after what it points to was written. The signal must have been reserved.
    /// Writes nothing if all is marked. Pairs with the second look in `retire`.
    void mark(std::size_t signal) noexcept { mark_above(position_of(signal), 0); }

    /// The first signal from `start` to before `end` that is raised or suspect; `none` if there is
    /// none.
    [[nodiscard]] std::size_t find(std::size_t start, std::size_t end) noexcept {
        if (start >= end) return none;
        std::size_t number = number_of(start);
        if (number >= most_segments) return none;
        std::size_t index = start - capacity_before(number);
        std::uint32_t left = visible(root_.load(sync::relaxed)) & from_bit(number);
        for (; left != 0; left &= left - 1) {
            const auto next = static_cast<std::size_t>(std::countr_zero(left));
            if (next != number) index = 0;
            number = next;
            segment* owner = segment_at(number);
            if (owner == nullptr)
                continue; // the mark was seen before the segment: it is being made
            const std::size_t found = owner->find(index, stale_marks{*this, owner, number});
            if (found == none) continue;
            const std::size_t signal = capacity_before(number) + found;
            return signal < end ? signal : none;
        }
        return none;
    }

    /// The signal that a thread comes to from the root if at each node of two children it goes to
    /// the one that the bit of `target` says, or to the other if nothing is raised there: of the
    /// raised and suspect signals the one whose number has the least difference, as `xor`, from
    /// `target`. `none` if there is none.
    [[nodiscard]] std::size_t find_nearest(std::size_t target) noexcept {
        std::uint32_t left = visible(root_.load(sync::relaxed));
        while (left != 0) {
            const std::size_t number = nearest_segment(left, target);
            left &= ~static_cast<std::uint32_t>(marked(number));
            segment* owner = segment_at(number);
            if (owner == nullptr) continue; // as above
            const std::size_t index = target & (size_of(number) - 1);
            const std::size_t found = owner->find_nearest(index, stale_marks{*this, owner, number});
            if (found != none) return capacity_before(number) + found;
        }
        return none;
    }

    /// Withdraws the signal unless `needed()` says that something is due; it is called after the
    /// signal has become suspect. True if the signal is withdrawn.
    template <class Needed>
    bool retire(std::size_t signal, Needed needed) noexcept {
        const position leaf = position_of(signal);
        bool empty = false;
        if (!retire_position(leaf.owner->word(0, leaf.index / width), leaf.index % width, needed,
                             empty)) {
            return false;
        }
        if (empty) retire_above(leaf, 1);
        return true;
    }

    /// Whether nothing is raised. A caller that learns this from a withdrawn mark sees what came
    /// before that.
    [[nodiscard]] bool empty() const noexcept {
        // acquire, pairs with retire_position() [TREE-5]
        return visible(root_.load(sync::acquire)) == 0;
    }

private:
    using node = sync::atomic<std::uint64_t>;
    static constexpr unsigned digit = 5; // bits of an index that one level takes
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

    /// Words of 32 positions each; level 0 has the signals, and the highest level is one word.
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
        [[nodiscard]] node& word(unsigned level, std::size_t index) const noexcept {
            return nodes_[start_[level] + index];
        }

        /// What is visible in a word.
        [[nodiscard]] std::uint32_t look(unsigned level, std::size_t number) const noexcept {
            // acquire, pairs with the fences of mark_above(): a thread that comes to what a mark
            // points to sees what came before the mark [TREE-11]
            return visible(word(level, number).load(sync::acquire));
        }

        /// The first visible signal at or after `index`: up while there is nothing to the right,
        /// then down along the first marks. Calls `stale(level, word)` for a word of the level
        /// below that is empty though it may be marked.
        template <class Stale>
        [[nodiscard]] std::size_t find(std::size_t index, Stale stale) const noexcept {
            if (visible(word(levels_ - 1, 0).load(sync::relaxed)) == 0) {
                stale(levels_, 0);
                return none;
            }
            for (unsigned level = 0; level < levels_;) {
                const std::size_t number = index / width;
                if (number >= start_[level + 1] - start_[level]) return none;
                const std::uint32_t seen = look(level, number);
                const std::uint32_t right = seen & from_bit(index);
                if (right == 0) {
                    if (seen == 0) stale(level + 1, number); // it may be marked
                    ++level;
                    index = number + 1;
                    continue;
                }
                index = number * width + static_cast<std::size_t>(std::countr_zero(right));
                if (level == 0) return index;
                if (visible(word(level - 1, index).load(sync::relaxed)) == 0) {
                    stale(level, index);
                    ++index;
                    continue;
                }
                --level;
                index *= width;
            }
            return none;
        }

        /// The visible signal nearest to `target`: down to the nearest child each time, and up
        /// where all children were tried. `stale` as above.
        template <class Stale>
        [[nodiscard]] std::size_t find_nearest(std::size_t target, Stale stale) const noexcept {
            std::array<std::uint32_t, most_levels> untried{};
            unsigned level = levels_ - 1;
            std::size_t number = 0;
            untried[level] = look(level, number);
            if (untried[level] == 0) stale(levels_, 0);
            for (;;) {
                if (untried[level] == 0) {
                    if (++level == levels_) return none;
                    number /= width;
                    continue;
                }
                const unsigned child = nearest_bit(
                    untried[level], static_cast<unsigned>(target >> digit * level) % width);
                untried[level] &= ~(std::uint32_t{1} << child);
                const std::size_t below = number * width + child;
                if (level == 0) return below;
                untried[level - 1] = look(level - 1, below);
                if (untried[level - 1] == 0) {
                    stale(level, below); // it may be marked
                    continue;
                }
                --level;
                number = below;
            }
        }

    private:
        static constexpr std::size_t alignment = 64;
        unsigned levels_ = 0;
        std::size_t count_ = 0;
        std::array<std::size_t, most_levels + 1> start_{};
        node* nodes_ = nullptr;
    };

    struct position {
        segment* owner;
        std::size_t index;  // in the segment
        std::size_t number; // of the segment
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
    /// A segment is a subtree: all its signals have the same difference from the target in the bits
    /// above its size.
    [[nodiscard]] std::size_t nearest_segment(std::uint32_t left,
                                              std::size_t target) const noexcept {
        std::size_t nearest = none;
        std::size_t least = none;
        for (; left != 0; left &= left - 1) {
            const auto number = static_cast<std::size_t>(std::countr_zero(left));
            const std::size_t difference =
                (capacity_before(number) ^ target) & ~(size_of(number) - 1);
            if (nearest != none && difference >= least) continue;
            nearest = number;
            least = difference;
        }
        return nearest;
    }
    [[nodiscard]] segment* segment_at(std::size_t number) const noexcept {
        return segments_[number].load(sync::acquire); // pairs with reserve() [TREE-6]
    }
    [[nodiscard]] position position_of(std::size_t signal) const noexcept {
        const std::size_t number = number_of(signal);
        return {segment_at(number), signal - capacity_before(number), number};
    }

    /// For the searches in a segment: withdraws a mark above an empty word (T3).
    struct stale_marks {
        mark_tree& tree;
        segment* owner;
        std::size_t number;
        void operator()(unsigned level, std::size_t empty) const noexcept {
            tree.retire_above({owner, empty << digit * level, number}, level);
        }
    };

    /// Walks the path of a signal, from `level` up: calls `visit(word, index)` until it returns
    /// false.
    template <class Visit>
    bool all_above(const position& leaf, unsigned level, Visit visit) noexcept {
        std::size_t index = leaf.index >> digit * level;
        for (; level < leaf.owner->levels(); ++level, index /= width) {
            if (!visit(leaf.owner->word(level, index / width), index)) return false;
        }
        return visit(root_, leaf.number);
    }

    /// Marks the path, after what it leads to was written (T1).
    void mark_above(const position& leaf, unsigned level) noexcept {
        const auto is_marked = [](const node& word, std::size_t index) {
            return (word.load(sync::relaxed) & marked(index)) != 0;
        };
        const bool was_marked = all_above(leaf, level, is_marked);
        // T1, pairs with the fence in retire_position() [TREE-3]
        sync::fence(sync::seq_cst);
        if (was_marked && all_above(leaf, level, is_marked)) return;
        all_above(leaf, level, [&is_marked](node& word, std::size_t index) {
            if (!is_marked(word, index)) word.fetch_or(marked(index), sync::relaxed);
            // T1, between this mark and the look at the one above; pairs with retire_position()
            // [TREE-7]
            sync::fence(sync::seq_cst);
            return true;
        });
    }

    /// After a word of `level - 1` has become empty.
    void retire_above(const position& leaf, unsigned level) noexcept {
        std::size_t index = leaf.index >> digit * level;
        for (;; ++level, index /= width) {
            const node& below = leaf.owner->word(level - 1, index);
            const auto needed = [&below] {
                return below.load(sync::acquire) != 0; // pairs with retire_position() [TREE-8]
            };
            const bool top = level == leaf.owner->levels();
            node& word = top ? root_ : leaf.owner->word(level, index / width);
            bool empty = false;
            if (!retire_position(word, top ? leaf.number : index % width, needed, empty)) return;
            if (top || !empty) return;
        }
    }

    /// Withdraws a mark if nothing is below it (T1 to T3). True if it is withdrawn; `empty` says
    /// then whether its word has become empty by that.
    template <class Needed>
    static bool retire_position(node& word, std::size_t index, Needed needed,
                                bool& empty) noexcept {
        std::uint64_t now = word.load(sync::relaxed);
        do {
            if ((now & marked(index)) == 0 || (now & suspect(index)) != 0) return false;
        } while (!word.compare_exchange_weak(now, (now & ~marked(index)) | suspect(index),
                                             sync::relaxed, sync::relaxed));
        // T1, pairs with the fences of mark_above() [TREE-9]
        sync::fence(sync::seq_cst);
        if (needed()) word.fetch_or(marked(index), sync::relaxed);
        // release, pairs with empty() and retire_above(): what was seen below. What other threads
        // did that withdrew other marks of this word is passed on by the fence, one level higher
        // [TREE-10]
        const std::uint64_t before = word.fetch_and(~suspect(index), sync::release);
        if ((before & marked(index)) != 0) return false;
        empty = before == suspect(index);
        return true;
    }

    const std::size_t first_;
    std::array<sync::atomic<segment*>, most_segments> segments_{};
    alignas(64) node root_{0};
};

} // namespace weft::inline v0::detail
