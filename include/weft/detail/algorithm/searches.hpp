// Loops that end when they have found something.
#pragma once

#include <weft/detail/algorithm/call.hpp>
#include <weft/detail/algorithm/divided_loop.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/parallel_options.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <utility>

namespace weft::inline v0::detail {

/// The index of something that a piece has found; indices behind it need not be looked at. A hint,
/// and relaxed: any index in it is a true one, and which is the lowest is decided by the joins. So
/// no harm is done if one piece overwrites the lower index of another.
class found_before {
public:
    void set(std::size_t index) noexcept {
        if (index < index_.load(sync::relaxed)) index_.store(index, sync::relaxed);
    }
    [[nodiscard]] bool is_behind(std::size_t index) const noexcept {
        return index_.load(sync::relaxed) < index;
    }

private:
    sync::atomic<std::size_t> index_{static_cast<std::size_t>(-1)};
};

/// Looks for the first element that satisfies a condition. If any will do, a piece that has found
/// one calls off the pieces before it as well.
template <class Iterator, class Condition>
class find_piece {
public:
    find_piece(Iterator begin, Condition& condition, found_before& before, bool any) noexcept
        : begin_{begin}, condition_{&condition}, before_{&before}, any_{any} {}

    void operator()(std::size_t first, std::size_t last) {
        const Iterator end = place(last);
        const Iterator found = find(place(first), end);
        if (found == end) return;
        index_ = static_cast<std::size_t>(found - begin_);
        before_->set(any_ ? 0 : index_);
    }
    [[nodiscard]] bool is_done(std::size_t next) const noexcept {
        return index_ != none || before_->is_behind(next);
    }
    [[nodiscard]] find_piece fork(std::size_t /*first*/) const {
        return {begin_, *condition_, *before_, any_};
    }
    void join(find_piece& right) noexcept { index_ = std::min(index_, right.index_); }
    [[nodiscard]] Iterator take(Iterator end) const { return index_ != none ? place(index_) : end; }

private:
    static constexpr auto none = static_cast<std::size_t>(-1);
    /// That of the standard library is faster where it exists: not for views of numbers and the
    /// like, whose references are made when they are asked for.
    [[nodiscard]] Iterator find(Iterator first, Iterator last) const {
        using category = typename std::iterator_traits<Iterator>::iterator_category;
        if constexpr (std::derived_from<category, std::forward_iterator_tag>) {
            return std::find_if(first, last, std::ref(*condition_));
        } else {
            return std::ranges::find_if(first, last, std::ref(*condition_));
        }
    }
    [[nodiscard]] Iterator place(std::size_t index) const {
        return begin_ + static_cast<std::iter_difference_t<Iterator>>(index);
    }

    Iterator begin_;
    Condition* condition_;
    found_before* before_;
    bool any_;
    std::size_t index_ = none;
};

/// Which element is looked for.
enum class search : std::uint8_t {
    first,     ///< the first that satisfies the condition
    any,       ///< any that does
    any_other, ///< any that does not
};

/// The element, or the end.
template <class Iterator, class Condition, class Projection>
Iterator find_element(pool* home, const char* name, Iterator begin, std::size_t count,
                      Condition& condition, Projection& projection, search wanted,
                      const parallel_options& options) {
    algorithm_call call{name, options};
    const bool value = wanted != search::any_other;
    const auto holds = [&condition, &projection, value](auto&& element) -> bool {
        const bool found = std::invoke(
            condition, std::invoke(projection, std::forward<decltype(element)>(element)));
        return found == value;
    };
    found_before before;
    using piece_type = find_piece<Iterator, decltype(holds)>;
    piece_type piece{begin, holds, before, wanted != search::first};
    divided_loop<piece_type>{call, {}}.run(home, count, piece);
    return piece.take(begin + static_cast<std::iter_difference_t<Iterator>>(count));
}

/// Whether there is such an element.
template <class Iterator, class Condition, class Projection>
bool finds(pool* home, const char* name, Iterator begin, std::size_t count, Condition& condition,
           Projection& projection, search wanted, const parallel_options& options) {
    return find_element(home, name, begin, count, condition, projection, wanted, options) !=
           begin + static_cast<std::iter_difference_t<Iterator>>(count);
}

} // namespace weft::inline v0::detail
