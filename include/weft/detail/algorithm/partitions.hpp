// Partitioning a range in place.
#pragma once

#include <weft/detail/algorithm/call.hpp>
#include <weft/detail/algorithm/divided_loop.hpp>
#include <weft/detail/algorithm/loops.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>

namespace weft::inline v0::detail {

/// A part of the range: first elements that satisfy the condition, then elements that do not.
template <class Iterator, class Condition, class Projection>
class partition_piece {
    using difference = std::iter_difference_t<Iterator>;

public:
    partition_piece(algorithm_call& call, Iterator begin, std::size_t first, Condition& condition,
                    Projection& projection)
        : call_{&call}, begin_{begin}, border_{first}, end_{first}, condition_{&condition},
          projection_{&projection} {}

    void operator()(std::size_t first, std::size_t last) {
        Iterator border = begin_ + static_cast<difference>(border_);
        Iterator each = begin_ + static_cast<difference>(first);
        for (; first != last; ++first, ++each) {
            if (!std::invoke(*condition_, std::invoke(*projection_, *each))) continue;
            if (border != each) std::ranges::iter_swap(border, each);
            ++border;
        }
        border_ = static_cast<std::size_t>(border - begin_);
        end_ = last;
    }
    [[nodiscard]] static bool is_done(std::size_t /*next*/) noexcept { return false; }
    [[nodiscard]] partition_piece fork(std::size_t first) const {
        return {*call_, begin_, first, *condition_, *projection_};
    }
    /// Its last elements change places with as many of the right ones that satisfy the condition.
    void join(partition_piece& right) {
        const std::size_t satisfied = right.border_ - end_;
        const std::size_t others = end_ - border_;
        const std::size_t count = std::min(satisfied, others);
        const auto swap = [target = begin_ + static_cast<difference>(border_),
                           source = begin_ + static_cast<difference>(right.border_ - count)](
                              std::size_t first, std::size_t last) {
            std::ranges::swap_ranges(
                target + static_cast<difference>(first), target + static_cast<difference>(last),
                source + static_cast<difference>(first), source + static_cast<difference>(last));
        };
        for_piece<decltype(swap)> swaps{swap};
        if (worker* self = worker::current(); self != nullptr && !call_->should_end()) {
            divided_loop<for_piece<decltype(swap)>>{*call_, {}}.run_here(*self, 0, count, swaps,
                                                                         pace{0});
        }
        border_ += satisfied;
        end_ = right.end_;
    }
    [[nodiscard]] Iterator border() const { return begin_ + static_cast<difference>(border_); }

private:
    algorithm_call* call_;
    Iterator begin_;
    std::size_t border_; // of those that satisfy the condition
    std::size_t end_;
    Condition* condition_;
    Projection* projection_;
};

/// Returns the first element that does not satisfy the condition.
template <class Iterator, class Condition, class Projection>
Iterator partition_elements(pool* home, Iterator begin, std::size_t count, Condition& condition,
                            Projection& projection, const parallel_options& options) {
    using piece_type = partition_piece<Iterator, Condition, Projection>;
    algorithm_call call{"weft::parallel_partition", options};
    piece_type piece{call, begin, 0, condition, projection};
    divided_loop<piece_type>{call, {}}.run(home, count, piece);
    return piece.border();
}

} // namespace weft::inline v0::detail
