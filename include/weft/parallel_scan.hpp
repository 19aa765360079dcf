// Parallel scans, and copies of chosen elements.
#pragma once

#include <weft/detail/algorithm/chains.hpp>
#include <weft/parallel_concepts.hpp>
#include <weft/parallel_options.hpp>
#include <weft/pool.hpp>

#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <utility>

namespace weft::inline v0 {

// Without a pool, a call must be made on a worker, or in the body of another algorithm; else it
// throws `errc::outside_pool`. With a pool it may be made on any thread.

/// Writes the running sums of the elements, each with its own element, to the output, and returns
/// its end. The operation must be associative; operands keep their order. The output may be the
/// range itself.
///
/// On one worker the elements are read once. Others that have no work look at a part of the
/// elements twice, so that two workers take about two thirds of the time. For exceptions and stop
/// see `parallel_reduce`; the output is then partly written.
template <std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel,
          divisible_output<std::iter_value_t<Iterator>> Output,
          running_combination_of<std::iter_value_t<Iterator>, std::iter_reference_t<Iterator>>
              Operation = std::plus<>>
Output parallel_inclusive_scan(Iterator first, Sentinel last, Output output,
                               Operation operation = {}, const parallel_options& options = {}) {
    return detail::scan<true>(nullptr, first, detail::count_of(first, last), output,
                              std::optional<std::iter_value_t<Iterator>>{}, operation, options);
}
/// The same on this pool, from any thread.
template <std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel,
          divisible_output<std::iter_value_t<Iterator>> Output,
          running_combination_of<std::iter_value_t<Iterator>, std::iter_reference_t<Iterator>>
              Operation = std::plus<>>
Output parallel_inclusive_scan(pool& home, Iterator first, Sentinel last, Output output,
                               Operation operation = {}, const parallel_options& options = {}) {
    return detail::scan<true>(&home, first, detail::count_of(first, last), output,
                              std::optional<std::iter_value_t<Iterator>>{}, operation, options);
}
/// The same for a range.
template <divisible_range Range,
          divisible_output<std::iter_value_t<std::ranges::iterator_t<Range>>> Output,
          running_combination_of<std::iter_value_t<std::ranges::iterator_t<Range>>,
                                 std::iter_reference_t<std::ranges::iterator_t<Range>>>
              Operation = std::plus<>>
Output parallel_inclusive_scan(Range&& range, Output output, Operation operation = {},
                               const parallel_options& options = {}) {
    return detail::scan<true>(nullptr, std::ranges::begin(range), detail::count_of(range), output,
                              std::optional<std::iter_value_t<std::ranges::iterator_t<Range>>>{},
                              operation, options);
}
/// The same for a range, on this pool, from any thread.
template <divisible_range Range,
          divisible_output<std::iter_value_t<std::ranges::iterator_t<Range>>> Output,
          running_combination_of<std::iter_value_t<std::ranges::iterator_t<Range>>,
                                 std::iter_reference_t<std::ranges::iterator_t<Range>>>
              Operation = std::plus<>>
Output parallel_inclusive_scan(pool& home, Range&& range, Output output, Operation operation = {},
                               const parallel_options& options = {}) {
    return detail::scan<true>(&home, std::ranges::begin(range), detail::count_of(range), output,
                              std::optional<std::iter_value_t<std::ranges::iterator_t<Range>>>{},
                              operation, options);
}

/// The same with an initial value before the first element.
template <std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel,
          divisible_output<std::iter_value_t<Iterator>> Output, class T,
          running_combination_of<T, std::iter_reference_t<Iterator>> Operation>
Output parallel_inclusive_scan(Iterator first, Sentinel last, Output output, Operation operation,
                               T initial, const parallel_options& options = {}) {
    return detail::scan<true>(nullptr, first, detail::count_of(first, last), output,
                              std::optional<T>{std::move(initial)}, operation, options);
}
/// The same on this pool, from any thread.
template <std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel,
          divisible_output<std::iter_value_t<Iterator>> Output, class T,
          running_combination_of<T, std::iter_reference_t<Iterator>> Operation>
Output parallel_inclusive_scan(pool& home, Iterator first, Sentinel last, Output output,
                               Operation operation, T initial,
                               const parallel_options& options = {}) {
    return detail::scan<true>(&home, first, detail::count_of(first, last), output,
                              std::optional<T>{std::move(initial)}, operation, options);
}
/// The same for a range.
template <
    divisible_range Range,
    divisible_output<std::iter_value_t<std::ranges::iterator_t<Range>>> Output, class T,
    running_combination_of<T, std::iter_reference_t<std::ranges::iterator_t<Range>>> Operation>
Output parallel_inclusive_scan(Range&& range, Output output, Operation operation, T initial,
                               const parallel_options& options = {}) {
    return detail::scan<true>(nullptr, std::ranges::begin(range), detail::count_of(range), output,
                              std::optional<T>{std::move(initial)}, operation, options);
}
/// The same for a range, on this pool, from any thread.
template <
    divisible_range Range,
    divisible_output<std::iter_value_t<std::ranges::iterator_t<Range>>> Output, class T,
    running_combination_of<T, std::iter_reference_t<std::ranges::iterator_t<Range>>> Operation>
Output parallel_inclusive_scan(pool& home, Range&& range, Output output, Operation operation,
                               T initial, const parallel_options& options = {}) {
    return detail::scan<true>(&home, std::ranges::begin(range), detail::count_of(range), output,
                              std::optional<T>{std::move(initial)}, operation, options);
}

/// Writes the running sums of the initial value and the elements, each without its own element, to
/// the output, and returns its end; otherwise as above.
template <std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel, class T,
          divisible_output<T> Output,
          running_combination_of<T, std::iter_reference_t<Iterator>> Operation = std::plus<>>
Output parallel_exclusive_scan(Iterator first, Sentinel last, Output output, T initial,
                               Operation operation = {}, const parallel_options& options = {}) {
    return detail::scan<false>(nullptr, first, detail::count_of(first, last), output,
                               std::optional<T>{std::move(initial)}, operation, options);
}
/// The same on this pool, from any thread.
template <std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel, class T,
          divisible_output<T> Output,
          running_combination_of<T, std::iter_reference_t<Iterator>> Operation = std::plus<>>
Output parallel_exclusive_scan(pool& home, Iterator first, Sentinel last, Output output, T initial,
                               Operation operation = {}, const parallel_options& options = {}) {
    return detail::scan<false>(&home, first, detail::count_of(first, last), output,
                               std::optional<T>{std::move(initial)}, operation, options);
}
/// The same for a range.
template <divisible_range Range, class T, divisible_output<T> Output,
          running_combination_of<T, std::iter_reference_t<std::ranges::iterator_t<Range>>>
              Operation = std::plus<>>
Output parallel_exclusive_scan(Range&& range, Output output, T initial, Operation operation = {},
                               const parallel_options& options = {}) {
    return detail::scan<false>(nullptr, std::ranges::begin(range), detail::count_of(range), output,
                               std::optional<T>{std::move(initial)}, operation, options);
}
/// The same for a range, on this pool, from any thread.
template <divisible_range Range, class T, divisible_output<T> Output,
          running_combination_of<T, std::iter_reference_t<std::ranges::iterator_t<Range>>>
              Operation = std::plus<>>
Output parallel_exclusive_scan(pool& home, Range&& range, Output output, T initial,
                               Operation operation = {}, const parallel_options& options = {}) {
    return detail::scan<false>(&home, std::ranges::begin(range), detail::count_of(range), output,
                               std::optional<T>{std::move(initial)}, operation, options);
}

/// Copies the elements that satisfy the condition to the output, in their order, and returns its
/// end. There must be room for all that satisfy it, and the output must not overlap the range. The
/// condition is asked once for each element. For exceptions and stop see `parallel_reduce`; the
/// output is then partly written.
template <std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel,
          divisible_output<std::iter_reference_t<Iterator>> Output,
          class Projection = std::identity, element_condition<Iterator, Projection> Condition>
Output parallel_copy_if(Iterator first, Sentinel last, Output output, Condition condition,
                        Projection projection = {}, const parallel_options& options = {}) {
    return detail::copy_chosen(nullptr, first, detail::count_of(first, last), output, condition,
                               projection, options);
}
/// The same on this pool, from any thread.
template <std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel,
          divisible_output<std::iter_reference_t<Iterator>> Output,
          class Projection = std::identity, element_condition<Iterator, Projection> Condition>
Output parallel_copy_if(pool& home, Iterator first, Sentinel last, Output output,
                        Condition condition, Projection projection = {},
                        const parallel_options& options = {}) {
    return detail::copy_chosen(&home, first, detail::count_of(first, last), output, condition,
                               projection, options);
}
/// The same for a range.
template <divisible_range Range,
          divisible_output<std::iter_reference_t<std::ranges::iterator_t<Range>>> Output,
          class Projection = std::identity,
          element_condition<std::ranges::iterator_t<Range>, Projection> Condition>
Output parallel_copy_if(Range&& range, Output output, Condition condition,
                        Projection projection = {}, const parallel_options& options = {}) {
    return detail::copy_chosen(nullptr, std::ranges::begin(range), detail::count_of(range), output,
                               condition, projection, options);
}
/// The same for a range, on this pool, from any thread.
template <divisible_range Range,
          divisible_output<std::iter_reference_t<std::ranges::iterator_t<Range>>> Output,
          class Projection = std::identity,
          element_condition<std::ranges::iterator_t<Range>, Projection> Condition>
Output parallel_copy_if(pool& home, Range&& range, Output output, Condition condition,
                        Projection projection = {}, const parallel_options& options = {}) {
    return detail::copy_chosen(&home, std::ranges::begin(range), detail::count_of(range), output,
                               condition, projection, options);
}

} // namespace weft::inline v0
