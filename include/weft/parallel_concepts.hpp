// What the parallel algorithms accept. A call that is refused names one of these.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>

namespace weft::inline v0 {

/// A range that can be divided anywhere: its iterators have random access, and its size is known.
template <class Range>
concept divisible_range =
    std::ranges::random_access_range<Range> && std::ranges::sized_range<Range>;

/// The end of a range whose size is known.
template <class Sentinel, class Iterator>
concept divisible_until =
    std::random_access_iterator<Iterator> && std::sized_sentinel_for<Sentinel, Iterator>;

/// What a projection makes of an element.
template <class Iterator, class Projection>
using projected_element = std::invoke_result_t<Projection&, std::iter_reference_t<Iterator>>;

/// The integer type of the indices from one integer to another.
template <class First, class Last>
using index_between = std::common_type_t<First, Last>;

/// A callable for an index: `body(index)`.
template <class Body, class Index>
concept index_body = std::invocable<Body&, Index>;

/// A callable for a part of a range of indices or of a block: `body(part)`.
template <class Body, class Block>
concept part_body = std::invocable<Body&, const Block&>;

/// A callable for a cell of a block, `body(row, column)`, or for a part of it, `body(part)`.
template <class Body, class Block, class... Indices>
concept cell_body = std::invocable<Body&, Indices...> || part_body<Body, Block>;

/// A callable for an element behind its projection: `body(element)`.
template <class Body, class Iterator, class Projection = std::identity>
concept element_body = std::invocable<Body&, projected_element<Iterator, Projection>>;

/// A condition on an element behind its projection: `condition(element)` is true or false.
template <class Condition, class Iterator, class Projection = std::identity>
concept element_condition = std::predicate<Condition&, projected_element<Iterator, Projection>>;

/// An iterator to which any worker can write any element of type `Value`: it has random access.
template <class Output, class Value>
concept divisible_output =
    std::random_access_iterator<Output> && std::indirectly_writable<Output, Value>;

/// A value that `combine(value, element)` and `combine(value, value)` give again. The operation
/// must be associative; it need not be commutative.
template <class Combine, class T, class Element>
concept combination_of = std::movable<T> && std::constructible_from<T, Element> &&
                         std::invocable<Combine&, T, Element> && std::invocable<Combine&, T, T> &&
                         std::assignable_from<T&, std::invoke_result_t<Combine&, T, Element>> &&
                         std::assignable_from<T&, std::invoke_result_t<Combine&, T, T>>;

/// The same for sums that are kept while they are written: they are copied.
template <class Combine, class T, class Element>
concept running_combination_of =
    combination_of<Combine, T, Element> && std::copyable<T> &&
    std::invocable<Combine&, const T&, Element> &&
    std::constructible_from<T, std::invoke_result_t<Combine&, const T&, Element>>;

} // namespace weft::inline v0
