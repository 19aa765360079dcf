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
#include <memory>
#include <type_traits>
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

/// Equality with a value.
template <class T>
struct equality {
    const T* value;
    template <class Element>
    bool operator()(Element&& element) const {
        return std::forward<Element>(element) == *value;
    }
};

/// Looks for the first element that satisfies a condition. `std::find_if` is faster, but does not
/// accept views of numbers and the like, whose elements are computed when they are read.
template <class Iterator, class Condition>
Iterator find_first(Iterator first, Iterator last, const Condition& condition) {
    using category = typename std::iterator_traits<Iterator>::iterator_category;
    if constexpr (std::derived_from<category, std::forward_iterator_tag>) {
        return std::find_if(first, last, std::cref(condition));
    } else {
        return std::ranges::find_if(first, last, std::cref(condition));
    }
}

/// Numbers in memory are compared in blocks: without a branch for each, the compiler uses vectors.
/// That some behind the one that is found are read too has no effect.
template <std::contiguous_iterator Iterator, class T>
    requires std::is_arithmetic_v<T> &&
             std::same_as<
                 std::remove_const_t<std::remove_reference_t<std::iter_reference_t<Iterator>>>, T>
Iterator find_first(Iterator first, Iterator last, const equality<T>& equals) {
    constexpr std::iter_difference_t<Iterator> block = 32;
    const T wanted = *equals.value;
    for (; last - first >= block; first += block) {
        const T* const numbers = std::to_address(first);
        unsigned found = 0; // not bool, for which g++ 12 uses no vectors
        for (std::size_t i = 0; i != block; ++i) found |= numbers[i] == wanted ? 1U : 0U;
        if (found != 0) break;
    }
    return std::find(first, last, wanted);
}

/// Looks for the first element that satisfies a condition. If any will do, a piece that has found
/// one calls off the pieces before it as well.
template <class Iterator, class Condition>
class find_piece {
public:
    find_piece(Iterator begin, const Condition& condition, found_before& before, bool any) noexcept
        : begin_{begin}, condition_{&condition}, before_{&before}, any_{any} {}

    void operator()(std::size_t first, std::size_t last) {
        const Iterator end = place(last);
        const Iterator found = find_first(place(first), end, *condition_);
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
    [[nodiscard]] Iterator place(std::size_t index) const {
        return begin_ + static_cast<std::iter_difference_t<Iterator>>(index);
    }

    Iterator begin_;
    const Condition* condition_;
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

template <class Iterator, class Condition>
Iterator find_by(pool* home, const char* name, Iterator begin, std::size_t count,
                 const Condition& condition, search wanted, const parallel_options& options) {
    algorithm_call call{name, options};
    found_before before;
    using piece_type = find_piece<Iterator, Condition>;
    piece_type piece{begin, condition, before, wanted != search::first};
    divided_loop<piece_type>{call, {}}.run(home, count, piece);
    return piece.take(begin + static_cast<std::iter_difference_t<Iterator>>(count));
}

/// The element, or the end.
template <class Iterator, class Condition, class Projection>
Iterator find_element(pool* home, const char* name, Iterator begin, std::size_t count,
                      Condition& condition, Projection& projection, search wanted,
                      const parallel_options& options) {
    const bool value = wanted != search::any_other;
    const auto holds = [&condition, &projection, value](auto&& element) -> bool {
        const bool found = std::invoke(
            condition, std::invoke(projection, std::forward<decltype(element)>(element)));
        return found == value;
    };
    return find_by(home, name, begin, count, holds, wanted, options);
}

/// The first element whose projection equals the value, or the end.
template <class Iterator, class T, class Projection>
Iterator find_value(pool* home, const char* name, Iterator begin, std::size_t count, const T& value,
                    Projection& projection, const parallel_options& options) {
    const equality<T> equals{&value};
    if constexpr (std::same_as<Projection, std::identity>) {
        return find_by(home, name, begin, count, equals, search::first, options);
    } else {
        return find_element(home, name, begin, count, equals, projection, search::first, options);
    }
}

/// Whether there is such an element.
template <class Iterator, class Condition, class Projection>
bool finds(pool* home, const char* name, Iterator begin, std::size_t count, Condition& condition,
           Projection& projection, search wanted, const parallel_options& options) {
    return find_element(home, name, begin, count, condition, projection, wanted, options) !=
           begin + static_cast<std::iter_difference_t<Iterator>>(count);
}

} // namespace weft::inline v0::detail
