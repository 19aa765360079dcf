// Sorting and merging short runs of cheap elements. A branch on a random comparison is mispredicted
// every second time; here each comparison chooses between two places instead.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

namespace weft::inline v0::detail {

/// Copies four elements to `out` in their order; equal ones stay as they are. `out` may be
/// `source`.
template <class Input, class Output, class Less>
void sort_four(Input source, Output out, const Less& less) {
    using value = std::iter_value_t<Input>;
    using difference = std::iter_difference_t<Input>;
    const bool first_swapped = less(source[1], source[0]);
    const bool second_swapped = less(source[3], source[2]);
    const Input a = source + static_cast<difference>(first_swapped);
    const Input b = source + static_cast<difference>(!first_swapped);
    const Input c = source + 2 + static_cast<difference>(second_swapped);
    const Input d = source + 2 + static_cast<difference>(!second_swapped);
    // Of a <= b and c <= d, the least, the greatest, and two whose order is not known.
    const bool c_is_least = less(*c, *a);
    const bool b_is_most = less(*d, *b);
    const Input left = c_is_least ? a : (b_is_most ? c : b);
    const Input right = b_is_most ? d : (c_is_least ? b : c);
    const bool swapped = less(*right, *left);
    const std::array<value, 4> sorted{*(c_is_least ? c : a), *(swapped ? right : left),
                                      *(swapped ? left : right), *(b_is_most ? b : d)};
    for (const value& each : sorted) *out++ = each;
}

/// Merges two neighbouring runs, from both ends at once, as many steps at each end as the shorter
/// run has elements: so neither end reads beyond a run, and the CPU overlaps their steps. What is
/// left is merged from the front. With a comparison that is no strict weak order, the output has
/// any elements of the runs.
template <class Input, class Output, class Less>
void merge_runs(Input left, std::size_t left_count, std::size_t right_count, Output out,
                const Less& less) {
    using difference = std::iter_difference_t<Input>;
    Input right = left + static_cast<difference>(left_count);
    Input left_end = right;
    Input right_end = right + static_cast<difference>(right_count);
    Output out_end = out + static_cast<std::iter_difference_t<Output>>(left_count + right_count);
    for (std::size_t count = std::min(left_count, right_count); count != 0; --count) {
        const bool second = less(*right, *left);
        *out++ = *(second ? right : left);
        right += static_cast<difference>(second);
        left += static_cast<difference>(!second);

        const bool first = less(*(right_end - 1), *(left_end - 1));
        *--out_end = *((first ? left_end : right_end) - 1);
        left_end -= static_cast<difference>(first);
        right_end -= static_cast<difference>(!first);
    }
    for (; out != out_end; ++out) {
        const bool some_left = left < left_end;
        const bool some_right = right < right_end;
        if (some_right && (!some_left || less(*right, *left))) *out = *right++;
        else if (some_left) *out = *left++;
    }
}

/// The elements that `sort_chunk` sorts.
inline constexpr std::size_t chunk_size = 32;

/// Sorts `chunk_size` elements into `out`. What is in `between` is lost; either of the two may be
/// `source`.
template <class Input, class Between, class Output, class Less>
void sort_chunk(Input source, Between between, Output out, const Less& less) {
    using source_difference = std::iter_difference_t<Input>;
    using difference = std::iter_difference_t<Between>;
    using out_difference = std::iter_difference_t<Output>;
    for (std::size_t i = 0; i != chunk_size; i += 4) {
        sort_four(source + static_cast<source_difference>(i), between + static_cast<difference>(i),
                  less);
    }
    for (std::size_t i = 0; i != chunk_size; i += 8) {
        merge_runs(between + static_cast<difference>(i), 4, 4, out + static_cast<out_difference>(i),
                   less);
    }
    for (std::size_t i = 0; i != chunk_size; i += 16) {
        merge_runs(out + static_cast<out_difference>(i), 8, 8, between + static_cast<difference>(i),
                   less);
    }
    merge_runs(between, 16, 16, out, less);
}

} // namespace weft::inline v0::detail
