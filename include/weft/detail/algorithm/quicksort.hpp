// Sorting in place, without memory: quicksort, whose parts are forked.
#pragma once

#include <weft/detail/algorithm/call.hpp>
#include <weft/detail/algorithm/merges.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>

namespace weft::inline v0::detail {

/// Sorts a short range by insertion. If a comparison throws, no element is lost.
template <class Iterator, class Less>
void insertion_sort(Iterator first, Iterator last, const Less& less) {
    if (first == last) return;
    for (Iterator each = first + 1; each != last; ++each) {
        if (!less(*each, *(each - 1))) continue;
        std::iter_value_t<Iterator> value = std::ranges::iter_move(each);
        Iterator hole = each;
        try {
            do {
                *hole = std::ranges::iter_move(hole - 1);
                --hole;
            } while (hole != first && less(value, *(hole - 1)));
        } catch (...) {
            *hole = std::move(value);
            throw;
        }
        *hole = std::move(value);
    }
}

/// Whether the range was sorted already, or in strictly descending order; then it is reversed,
/// which is stable, since no elements are equal. With random elements this ends soon.
template <class Iterator, class Less>
[[nodiscard]] bool sort_one_run(Iterator first, Iterator last, const Less& less) {
    if (last - first < 2) return true;
    Iterator each = first + 1;
    if (!less(*each, *first)) {
        while (++each != last && !less(*each, *(each - 1))) {
        }
        return each == last;
    }
    while (++each != last && less(*each, *(each - 1))) {
    }
    if (each != last) return false;
    std::ranges::reverse(first, last);
    return true;
}

/// Introspective quicksort. Elements that are cheap to copy are partitioned without branches: a
/// branch on a random comparison is mispredicted every second time, which costs more than two
/// moves. Parts that equal the pivot before them are not sorted again, and after too many uneven
/// partitions a part is sorted as a heap.
template <class Iterator, class Less>
class quicksort {
    using value = std::iter_value_t<Iterator>;
    using difference = std::iter_difference_t<Iterator>;

public:
    quicksort(algorithm_call& call, const Less& less) noexcept
        : call_{&call}, less_{&less}, grain_{least_part(call.options().grain)} {}

    void run(Iterator first, Iterator last) {
        call_->guard([&] {
            if (sort_one_run(first, last, *less_)) return;
            const auto count = static_cast<std::size_t>(last - first);
            sort({first, last, true, static_cast<int>(std::bit_width(count))});
        });
    }

private:
    static constexpr difference few = 24;
    /// Shorter parts, of some tens of microseconds, are not divided, unless a grain says so.
    static constexpr difference divided = 2048;
    static constexpr difference samples = 128; // beyond which nine elements are looked at

    struct part {
        Iterator first;
        Iterator last;
        bool leftmost; // else the element before it is not above any of its elements
        int uneven;    // partitions that may still be uneven

        [[nodiscard]] difference size() const { return last - first; }
    };

    void sort(part all) {
        while (all.size() > few) {
            if (call_->should_end()) return;
            if (all.uneven == 0) return sort_as_heap(all);
            move_pivot_to_front(all);
            if (!all.leftmost && !(*less_)(*(all.first - 1), *all.first)) {
                all.first =
                    partition(
                        all, [this](auto&& each, auto&& pivot) { return !(*less_)(pivot, each); }) +
                    1;
                continue; // the elements that equal the pivot are in their places
            }
            const Iterator middle =
                partition(all, [this](auto&& each, auto&& pivot) { return (*less_)(each, pivot); });
            if (std::min(middle - all.first, all.last - middle) < all.size() / 8) --all.uneven;
            const part left{all.first, middle, all.leftmost, all.uneven};
            const part right{middle + 1, all.last, false, all.uneven};
            if (is_forked(left, right)) {
                return fork_if_possible([this, &left] { sort_guarded(left); },
                                        [this, &right] { sort_guarded(right); });
            }
            sort(left);
            all = right;
        }
        insertion_sort(all.first, all.last, *less_);
    }
    /// 0: there is no grain.
    static difference least_part(std::size_t grain) noexcept {
        constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
        return static_cast<difference>(std::min(grain, most));
    }
    [[nodiscard]] bool is_forked(const part& left, const part& right) const {
        if (grain_ == 0) return left.size() + right.size() >= divided;
        return std::min(left.size(), right.size()) >= grain_;
    }
    void sort_guarded(const part& all) {
        call_->guard([&] { sort(all); });
    }

    /// By swaps: the standard's heap functions hold an element outside the range while they
    /// compare, and lose it if that throws.
    void sort_as_heap(const part& all) {
        const difference count = all.size();
        for (difference top = count / 2; top-- != 0;) sift_down(all.first, top, count);
        for (difference last = count; last-- > 1;) {
            std::ranges::iter_swap(all.first, all.first + last);
            sift_down(all.first, 0, last);
        }
    }
    void sift_down(Iterator heap, difference top, difference count) {
        for (;;) {
            difference child = 2 * top + 1;
            if (child >= count) return;
            if (child + 1 < count && (*less_)(heap[child], heap[child + 1])) ++child;
            if (!(*less_)(heap[top], heap[child])) return;
            std::ranges::iter_swap(heap + top, heap + child);
            top = child;
        }
    }

    /// The median of three elements, each of which may be the median of three.
    void move_pivot_to_front(const part& all) {
        const Iterator middle = all.first + all.size() / 2;
        const Iterator last = all.last - 1;
        if (all.size() > samples) {
            order(all.first + 1, middle - 1, last - 1);
            order(all.first + 2, middle + 1, last - 2);
            order(all.first, middle, last);
            order(middle - 1, middle, middle + 1);
        } else {
            order(all.first, middle, last);
        }
        std::ranges::iter_swap(all.first, middle);
    }
    void order(Iterator low, Iterator middle, Iterator high) {
        if ((*less_)(*middle, *low)) std::ranges::iter_swap(low, middle);
        if ((*less_)(*high, *middle)) {
            std::ranges::iter_swap(middle, high);
            if ((*less_)(*middle, *low)) std::ranges::iter_swap(low, middle);
        }
    }

    /// Moves the elements that belong before the pivot, which is the first element, to its left,
    /// and returns the pivot's place.
    template <class Belongs>
    Iterator partition(const part& all, Belongs belongs) {
        const Iterator border = partition_rest(all, belongs) - 1;
        std::ranges::iter_swap(all.first, border);
        return border;
    }
    template <class Belongs>
    Iterator partition_rest(const part& all, Belongs belongs) {
        Iterator border = all.first + 1;
        if constexpr (is_branchless<value>) {
            value pivot = *all.first; // not const: what compares may take any reference
            for (Iterator each = border; each != all.last; ++each) {
                value moved = *each;
                *each = *border;
                *border = moved;
                border += static_cast<difference>(belongs(moved, pivot));
            }
            return border;
        } else {
            Iterator end = all.last;
            for (;;) {
                while (border != end && belongs(*border, *all.first)) ++border;
                do {
                    if (border == end) return border;
                    --end;
                } while (!belongs(*end, *all.first));
                if (border == end) return border;
                std::ranges::iter_swap(border, end);
                ++border;
            }
        }
    }

    algorithm_call* call_;
    const Less* less_;
    difference grain_;
};

template <class Iterator, class Compare, class Projection>
void sort_elements(pool* home, Iterator begin, std::size_t count, Compare& compare,
                   Projection& projection, const parallel_options& options) {
    using less_type = projected_less<Compare, Projection>;
    algorithm_call call{"weft::parallel_sort", options};
    const less_type less{compare, projection, projection};
    const std::size_t few = is_branchless<std::iter_value_t<Iterator>> ? 1024 : 64;
    run_whole(call, home, count <= few, [&] {
        quicksort<Iterator, less_type>{call, less}.run(
            begin, begin + static_cast<std::iter_difference_t<Iterator>>(count));
    });
}

} // namespace weft::inline v0::detail
