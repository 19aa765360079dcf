// Sorting that keeps the order of equal elements: merge sort with memory for all elements.
#pragma once

#include <weft/detail/algorithm/call.hpp>
#include <weft/detail/algorithm/divided_loop.hpp>
#include <weft/detail/algorithm/merges.hpp>
#include <weft/detail/algorithm/pace.hpp>
#include <weft/detail/algorithm/quicksort.hpp>
#include <weft/detail/algorithm/short_sorts.hpp>
#include <weft/detail/sync/memory.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

namespace weft::inline v0::detail {

/// Memory for a copy of a range. Objects of trivial types are there from the start; others are
/// moved there from the range first, since only objects can be assigned to.
template <class T>
class sort_space {
public:
    static constexpr bool is_trivial =
        std::is_trivially_copyable_v<T> && std::is_trivially_default_constructible_v<T>;

    explicit sort_space(std::size_t count)
        : objects_{static_cast<T*>(sync::allocate(count * sizeof(T), alignof(T)))} {}
    ~sort_space() {
        std::destroy_n(objects_, made_);
        sync::deallocate(objects_, alignof(T));
    }
    sort_space(const sort_space&) = delete;
    sort_space& operator=(const sort_space&) = delete;

    template <class Iterator>
    void take(Iterator first, Iterator last) {
        for (; first != last; ++first, ++made_) {
            ::new (static_cast<void*>(objects_ + made_)) T(std::ranges::iter_move(first));
        }
    }
    [[nodiscard]] T* begin() const noexcept { return objects_; }

private:
    T* objects_;
    std::size_t made_ = 0;
};

/// Sorts leaves, and merges them back and forth between space and range.
template <class Iterator, class Less>
class merge_sort {
    using value = std::iter_value_t<Iterator>;
    using difference = std::iter_difference_t<Iterator>;
    using space = sort_space<value>;
    static constexpr bool in_chunks = space::is_trivial && is_branchless<value>;

public:
    static constexpr std::size_t most_in_leaf = in_chunks ? chunk_size : 16;

    merge_sort(algorithm_call& call, const Less& less, Iterator first, const space& memory)
        : call_{&call}, less_{&less}, first_{first}, space_{memory.begin()},
          forked_{call.options().grain == 0 ? 512 : call.options().grain} {}

    void run(std::size_t count) { sort(0, count, false); }

private:
    /// All leaves but the last are full. The halves are sorted into the one place, range or space,
    /// and merged from there into the other.
    void sort(std::size_t first, std::size_t last, bool into_space) {
        if (last - first <= most_in_leaf) return sort_leaf(first, last, into_space);
        if (call_->should_end()) return;
        const std::size_t half = (last - first) / 2 + most_in_leaf - 1;
        const std::size_t middle = first + half / most_in_leaf * most_in_leaf;
        if (last - middle < forked_) {
            sort(first, middle, !into_space);
            sort(middle, last, !into_space);
        } else {
            fork_if_possible([=, this] { sort(first, middle, !into_space); },
                             [=, this] { sort(middle, last, !into_space); });
        }
        if (call_->should_end()) return; // a half may be in the wrong place
        if (into_space) merge(first_, space_, first, middle, last);
        else merge(space_, first_, first, middle, last);
    }

    void sort_leaf(std::size_t first, std::size_t last, bool into_space) {
        const Iterator begin = first_ + static_cast<difference>(first);
        const Iterator end = first_ + static_cast<difference>(last);
        value* const kept = space_ + first;
        call_->guard([&] {
            if constexpr (in_chunks) {
                if (last - first == chunk_size) {
                    if (into_space) sort_chunk(begin, begin, kept, *less_);
                    else sort_chunk(begin, kept, begin, *less_);
                    return;
                }
            }
            if constexpr (space::is_trivial) {
                insertion_sort(begin, end, *less_);
                if (into_space) std::ranges::copy(begin, end, kept);
            } else { // the elements are in the space
                insertion_sort(kept, space_ + last, *less_);
                if (!into_space) std::ranges::move(kept, space_ + last, begin);
            }
        });
    }

    template <class Source, class Target>
    void merge(Source source, Target target, std::size_t first, std::size_t middle,
               std::size_t last) {
        using piece_type = merge_piece<Source, Source, Target, Less, move_element>;
        const auto begin = source + static_cast<std::iter_difference_t<Source>>(first);
        const auto out = target + static_cast<std::iter_difference_t<Target>>(first);
        if constexpr (in_chunks) {
            if (last - middle < forked_) {
                return call_->guard(
                    [&] { merge_runs(begin, middle - first, last - middle, out, *less_); });
            }
        }
        piece_type piece{begin,
                         middle - first,
                         begin + static_cast<std::iter_difference_t<Source>>(middle - first),
                         last - middle,
                         out,
                         *less_};
        worker* self = last - middle >= forked_ ? worker::current() : nullptr;
        if (self == nullptr) {
            call_->guard([&] { piece(0, last - first); });
        } else {
            divided_loop<piece_type>{*call_, {}}.run_here(*self, 0, last - first, piece,
                                                          pace{call_->options().grain});
        }
    }

    algorithm_call* call_;
    const Less* less_;
    Iterator first_;
    value* space_;
    std::size_t forked_; // the smallest half that is forked, or merged by several workers
};

/// Exchanges two neighbours, and returns their new border. (That of std::ranges does not compile
/// with clang 14.)
template <class Iterator>
Iterator rotate_elements(Iterator first, Iterator middle, Iterator last) {
    using category = typename std::iterator_traits<Iterator>::iterator_category;
    if constexpr (std::derived_from<category, std::forward_iterator_tag>) {
        return std::rotate(first, middle, last);
    } else { // elements behind proxies
        std::ranges::reverse(first, middle);
        std::ranges::reverse(middle, last);
        std::ranges::reverse(first, last);
        return first + (last - middle);
    }
}

/// Merges two neighbours that are sorted, by rotations: it needs no memory, and a logarithmic
/// factor more time. (The standard's algorithms do not compile without warnings: those of libstdc++
/// 12 use what clang 19 calls deprecated.)
template <class Iterator, class Less>
void merge_in_place(Iterator first, Iterator middle, Iterator last, const Less& less) {
    if (first == middle || middle == last) return;
    const auto left = middle - first;
    const auto right = last - middle;
    if (left == 1 && right == 1) {
        if (less(*middle, *first)) std::ranges::iter_swap(first, middle);
        return;
    }
    Iterator left_cut = first + left / 2;
    Iterator right_cut = middle + right / 2;
    if (left > right)
        right_cut = std::ranges::lower_bound(middle, last, *left_cut, std::cref(less));
    else left_cut = std::ranges::upper_bound(first, middle, *right_cut, std::cref(less));
    const Iterator border = rotate_elements(left_cut, middle, right_cut);
    merge_in_place(first, left_cut, border, less);
    merge_in_place(border, right_cut, last, less);
}

/// The same for a whole sort.
template <class Iterator, class Less>
void stable_sort_in_place(Iterator first, Iterator last, const Less& less) {
    constexpr std::iter_difference_t<Iterator> few = 16;
    if (last - first <= few) return insertion_sort(first, last, less);
    const Iterator middle = first + (last - first) / 2;
    stable_sort_in_place(first, middle, less);
    stable_sort_in_place(middle, last, less);
    merge_in_place(first, middle, last, less);
}

template <class Iterator, class Less>
void stable_sort_here(algorithm_call& call, Iterator first, Iterator last, const Less& less) {
    using value = std::iter_value_t<Iterator>;
    using sort = merge_sort<Iterator, Less>;
    const auto count = static_cast<std::size_t>(last - first);
    if (count <= sort::most_in_leaf / 2) return insertion_sort(first, last, less);
    if (sort_one_run(first, last, less)) return;
    std::optional<sort_space<value>> space;
    try {
        space.emplace(count);
    } catch (const std::bad_alloc&) {
        stable_sort_in_place(first, last, less);
        return;
    }
    if constexpr (!sort_space<value>::is_trivial) space->take(first, last);
    sort{call, less, first, *space}.run(count);
}

template <class Iterator, class Compare, class Projection>
void stable_sort_elements(pool* home, Iterator begin, std::size_t count, Compare& compare,
                          Projection& projection, const parallel_options& options) {
    using less_type = projected_less<Compare, Projection>;
    algorithm_call call{"weft::parallel_stable_sort", options};
    const less_type less{compare, projection, projection};
    const std::size_t few = is_branchless<std::iter_value_t<Iterator>> ? 1024 : 64;
    run_whole(call, home, count <= few, [&] {
        stable_sort_here(call, begin, begin + static_cast<std::iter_difference_t<Iterator>>(count),
                         less);
    });
}

} // namespace weft::inline v0::detail
