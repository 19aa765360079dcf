// Merging two sorted ranges.
#pragma once

#include <weft/detail/algorithm/call.hpp>
#include <weft/detail/algorithm/divided_loop.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

namespace weft::inline v0::detail {

/// A comparison of elements behind their projections.
template <class Compare, class LeftProjection, class RightProjection = LeftProjection>
class projected_less {
public:
    projected_less(Compare& compare, LeftProjection& left, RightProjection& right) noexcept
        : compare_{&compare}, left_{&left}, right_{&right} {}

    template <class Left, class Right>
    [[nodiscard]] bool operator()(Left&& left, Right&& right) const {
        return static_cast<bool>(std::invoke(*compare_,
                                             std::invoke(*left_, std::forward<Left>(left)),
                                             std::invoke(*right_, std::forward<Right>(right))));
    }
    /// The same with the element of the second range first.
    template <class Right, class Left>
    [[nodiscard]] bool second_is_less(Right&& right, Left&& left) const {
        return static_cast<bool>(std::invoke(*compare_,
                                             std::invoke(*right_, std::forward<Right>(right)),
                                             std::invoke(*left_, std::forward<Left>(left))));
    }

private:
    Compare* compare_;
    LeftProjection* left_;
    RightProjection* right_;
};

/// The number of elements of the first range among the first `count` of the merged one. Equal
/// elements of the first range come before those of the second.
template <class First, class Second, class Less>
[[nodiscard]] std::size_t merged_from_first(First first, std::size_t first_size, Second second,
                                            std::size_t second_size, std::size_t count,
                                            const Less& less) {
    std::size_t low = count > second_size ? count - second_size : 0;
    std::size_t high = std::min(count, first_size);
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        const std::size_t other = count - middle - 1;
        // Too few of the first range if its next one comes before the last one of the second.
        if (less.second_is_less(second[static_cast<std::iter_difference_t<Second>>(other)],
                                first[static_cast<std::iter_difference_t<First>>(middle)])) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/// Whether a comparison is cheap and its outcome unpredictable, so that branches cost more than
/// moves.
template <class T>
inline constexpr bool is_branchless = std::is_trivially_copyable_v<T> && sizeof(T) <= 16;

/// Two sorted ranges, whose first elements are merged step by step. `Take` moves or copies an
/// element to the output.
template <class First, class Second, class Output, class Less, class Take>
class merge_piece {
    using first_difference = std::iter_difference_t<First>;
    using second_difference = std::iter_difference_t<Second>;

public:
    merge_piece(First first, std::size_t first_size, Second second, std::size_t second_size,
                Output output, const Less& less)
        : first_{first}, second_{second}, output_{output}, first_size_{first_size},
          second_size_{second_size}, less_{&less} {}

    void operator()(std::size_t begin, std::size_t end) {
        // Local values, which the compiler keeps in registers.
        First left = first_ + static_cast<first_difference>(taken_);
        const First left_end = first_ + static_cast<first_difference>(first_size_);
        Second right = second_ + static_cast<second_difference>(begin - taken_);
        const Second right_end = second_ + static_cast<second_difference>(second_size_);
        Output out = output_ + static_cast<std::iter_difference_t<Output>>(begin);
        const Output out_end = output_ + static_cast<std::iter_difference_t<Output>>(end);
        while (out != out_end && left != left_end && right != right_end) {
            // As many steps as neither range can run out in, so that each has one condition.
            auto steps = std::min<std::size_t>({static_cast<std::size_t>(left_end - left),
                                                static_cast<std::size_t>(right_end - right),
                                                static_cast<std::size_t>(out_end - out)});
            for (; steps != 0; --steps, ++out) take_less(left, right, out);
        }
        for (; out != out_end && left != left_end; ++left, ++out) Take{}(left, out);
        for (; out != out_end; ++right, ++out) Take{}(right, out);
        taken_ = static_cast<std::size_t>(left - first_);
        merged_ = end;
    }
    [[nodiscard]] static bool is_done(std::size_t /*next*/) noexcept { return false; }
    /// The part before `middle` keeps its elements only, and the search is among those that were
    /// not merged yet: others may have been moved away.
    [[nodiscard]] merge_piece fork(std::size_t middle) {
        merge_piece right = *this;
        const std::size_t other = merged_ - taken_;
        right.taken_ +=
            merged_from_first(first_ + static_cast<first_difference>(taken_), first_size_ - taken_,
                              second_ + static_cast<second_difference>(other), second_size_ - other,
                              middle - merged_, *less_);
        right.merged_ = middle;
        first_size_ = right.taken_;
        second_size_ = middle - right.taken_;
        return right;
    }
    void join(merge_piece& /*right*/) noexcept {}

private:
    void take_less(First& left, Second& right, Output out) const {
        constexpr bool branchless =
            std::same_as<First, Second> && is_branchless<std::iter_value_t<First>>;
        const bool second = less_->second_is_less(*right, *left);
        if constexpr (branchless) {
            Take{}(second ? right : left, out);
            right += static_cast<second_difference>(second);
            left += static_cast<first_difference>(!second);
        } else if (second) {
            Take{}(right++, out);
        } else {
            Take{}(left++, out);
        }
    }

    First first_;
    Second second_;
    Output output_;
    std::size_t first_size_;
    std::size_t second_size_;
    std::size_t taken_ = 0;  // of the first range
    std::size_t merged_ = 0; // of both
    const Less* less_;
};

struct copy_element {
    template <class Input, class Output>
    void operator()(const Input& input, const Output& output) const {
        *output = *input;
    }
};
struct move_element {
    template <class Input, class Output>
    void operator()(const Input& input, const Output& output) const {
        *output = std::ranges::iter_move(input);
    }
};

template <class First, class Second, class Output, class Less>
Output merge_sorted(pool* home, First first, std::size_t first_size, Second second,
                    std::size_t second_size, Output output, const Less& less,
                    const parallel_options& options) {
    algorithm_call call{"weft::parallel_merge", options};
    using piece_type = merge_piece<First, Second, Output, Less, copy_element>;
    const std::size_t count = first_size + second_size;
    piece_type piece{first, first_size, second, second_size, output, less};
    divided_loop<piece_type>{call, {}}.run(home, count, piece);
    return output + static_cast<std::iter_difference_t<Output>>(count);
}

} // namespace weft::inline v0::detail
