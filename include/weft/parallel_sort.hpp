// Parallel sorts, merges and partitions.
#pragma once

#include <weft/detail/algorithm/merge_sort.hpp>
#include <weft/detail/algorithm/merges.hpp>
#include <weft/detail/algorithm/partitions.hpp>
#include <weft/detail/algorithm/quicksort.hpp>
#include <weft/parallel_concepts.hpp>
#include <weft/parallel_options.hpp>
#include <weft/pool.hpp>

#include <functional>
#include <iterator>
#include <ranges>

namespace weft::inline v0 {

// Without a pool, a call must be made on a worker, or in the body of another algorithm; else it
// throws `errc::outside_pool`. With a pool it may be made on any thread.

/// Sorts the elements; equal ones in any order. It needs no memory. A range that is sorted already,
/// or in strictly descending order, takes one pass.
///
/// If a comparison, projection or move throws, the other workers end soon, and the exception is
/// thrown; of several, the one that comes first in the range. If stop is requested,
/// `errc::cancelled` is thrown. In both cases the elements are in any order, and none is lost,
/// unless a move has thrown: then their values are not specified.
template <std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel,
          class Projection = std::identity, class Compare = std::ranges::less>
    requires std::sortable<Iterator, Compare, Projection>
void parallel_sort(Iterator first, Sentinel last, Compare compare = {}, Projection projection = {},
                   const parallel_options& options = {}) {
    detail::sort_elements(nullptr, first, detail::count_of(first, last), compare, projection,
                          options);
}
/// The same on this pool, from any thread.
template <std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel,
          class Projection = std::identity, class Compare = std::ranges::less>
    requires std::sortable<Iterator, Compare, Projection>
void parallel_sort(pool& home, Iterator first, Sentinel last, Compare compare = {},
                   Projection projection = {}, const parallel_options& options = {}) {
    detail::sort_elements(&home, first, detail::count_of(first, last), compare, projection,
                          options);
}
/// The same for a range.
template <divisible_range Range, class Projection = std::identity,
          class Compare = std::ranges::less>
    requires std::sortable<std::ranges::iterator_t<Range>, Compare, Projection>
void parallel_sort(Range&& range, Compare compare = {}, Projection projection = {},
                   const parallel_options& options = {}) {
    detail::sort_elements(nullptr, std::ranges::begin(range), detail::count_of(range), compare,
                          projection, options);
}
/// The same for a range, on this pool, from any thread.
template <divisible_range Range, class Projection = std::identity,
          class Compare = std::ranges::less>
    requires std::sortable<std::ranges::iterator_t<Range>, Compare, Projection>
void parallel_sort(pool& home, Range&& range, Compare compare = {}, Projection projection = {},
                   const parallel_options& options = {}) {
    detail::sort_elements(&home, std::ranges::begin(range), detail::count_of(range), compare,
                          projection, options);
}

/// Sorts the elements, and keeps equal ones in their order; otherwise as `parallel_sort`. It
/// allocates memory for a second set of the elements; if there is none, it sorts more slowly, on
/// one worker. After an exception, and if stop is requested, the elements can be assigned to and
/// destroyed, but their values are not specified.
template <std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel,
          class Projection = std::identity, class Compare = std::ranges::less>
    requires std::sortable<Iterator, Compare, Projection>
void parallel_stable_sort(Iterator first, Sentinel last, Compare compare = {},
                          Projection projection = {}, const parallel_options& options = {}) {
    detail::stable_sort_elements(nullptr, first, detail::count_of(first, last), compare, projection,
                                 options);
}
/// The same on this pool, from any thread.
template <std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel,
          class Projection = std::identity, class Compare = std::ranges::less>
    requires std::sortable<Iterator, Compare, Projection>
void parallel_stable_sort(pool& home, Iterator first, Sentinel last, Compare compare = {},
                          Projection projection = {}, const parallel_options& options = {}) {
    detail::stable_sort_elements(&home, first, detail::count_of(first, last), compare, projection,
                                 options);
}
/// The same for a range.
template <divisible_range Range, class Projection = std::identity,
          class Compare = std::ranges::less>
    requires std::sortable<std::ranges::iterator_t<Range>, Compare, Projection>
void parallel_stable_sort(Range&& range, Compare compare = {}, Projection projection = {},
                          const parallel_options& options = {}) {
    detail::stable_sort_elements(nullptr, std::ranges::begin(range), detail::count_of(range),
                                 compare, projection, options);
}
/// The same for a range, on this pool, from any thread.
template <divisible_range Range, class Projection = std::identity,
          class Compare = std::ranges::less>
    requires std::sortable<std::ranges::iterator_t<Range>, Compare, Projection>
void parallel_stable_sort(pool& home, Range&& range, Compare compare = {},
                          Projection projection = {}, const parallel_options& options = {}) {
    detail::stable_sort_elements(&home, std::ranges::begin(range), detail::count_of(range), compare,
                                 projection, options);
}

/// Moves the elements that satisfy the condition before those that do not, and returns where the
/// others begin; elements change their order. The condition is asked once for each element. If it
/// or the projection throws, or stop is requested, the elements are in any order, and none is lost;
/// if a move throws, their values are not specified.
template <std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel,
          class Projection = std::identity, element_condition<Iterator, Projection> Condition>
    requires std::permutable<Iterator>
Iterator parallel_partition(Iterator first, Sentinel last, Condition condition,
                            Projection projection = {}, const parallel_options& options = {}) {
    return detail::partition_elements(nullptr, first, detail::count_of(first, last), condition,
                                      projection, options);
}
/// The same on this pool, from any thread.
template <std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel,
          class Projection = std::identity, element_condition<Iterator, Projection> Condition>
    requires std::permutable<Iterator>
Iterator parallel_partition(pool& home, Iterator first, Sentinel last, Condition condition,
                            Projection projection = {}, const parallel_options& options = {}) {
    return detail::partition_elements(&home, first, detail::count_of(first, last), condition,
                                      projection, options);
}
/// The same for a range.
template <divisible_range Range, class Projection = std::identity,
          element_condition<std::ranges::iterator_t<Range>, Projection> Condition>
    requires std::permutable<std::ranges::iterator_t<Range>>
std::ranges::borrowed_iterator_t<Range> parallel_partition(Range&& range, Condition condition,
                                                           Projection projection = {},
                                                           const parallel_options& options = {}) {
    return detail::partition_elements(nullptr, std::ranges::begin(range), detail::count_of(range),
                                      condition, projection, options);
}
/// The same for a range, on this pool, from any thread.
template <divisible_range Range, class Projection = std::identity,
          element_condition<std::ranges::iterator_t<Range>, Projection> Condition>
    requires std::permutable<std::ranges::iterator_t<Range>>
std::ranges::borrowed_iterator_t<Range>
parallel_partition(pool& home, Range&& range, Condition condition, Projection projection = {},
                   const parallel_options& options = {}) {
    return detail::partition_elements(&home, std::ranges::begin(range), detail::count_of(range),
                                      condition, projection, options);
}

/// Merges two sorted ranges into the output, and returns its end. Equal elements keep their order,
/// those of the first range before those of the second. The output must not overlap the ranges,
/// which are only read. If a comparison, projection or copy throws, the other workers end soon, and
/// the exception is thrown; of several, the one that comes first in the output. If stop is
/// requested, `errc::cancelled` is thrown. In both cases the output is partly written.
template <std::random_access_iterator First, divisible_until<First> FirstSentinel,
          std::random_access_iterator Second, divisible_until<Second> SecondSentinel,
          std::random_access_iterator Output, class Compare = std::ranges::less,
          class FirstProjection = std::identity, class SecondProjection = std::identity>
    requires std::mergeable<First, Second, Output, Compare, FirstProjection, SecondProjection>
Output
parallel_merge(First first, FirstSentinel first_end, Second second, SecondSentinel second_end,
               Output output, Compare compare = {}, FirstProjection first_projection = {},
               SecondProjection second_projection = {}, const parallel_options& options = {}) {
    const detail::projected_less less{compare, first_projection, second_projection};
    return detail::merge_sorted(nullptr, first, detail::count_of(first, first_end), second,
                                detail::count_of(second, second_end), output, less, options);
}
/// The same on this pool, from any thread.
template <std::random_access_iterator First, divisible_until<First> FirstSentinel,
          std::random_access_iterator Second, divisible_until<Second> SecondSentinel,
          std::random_access_iterator Output, class Compare = std::ranges::less,
          class FirstProjection = std::identity, class SecondProjection = std::identity>
    requires std::mergeable<First, Second, Output, Compare, FirstProjection, SecondProjection>
Output parallel_merge(pool& home, First first, FirstSentinel first_end, Second second,
                      SecondSentinel second_end, Output output, Compare compare = {},
                      FirstProjection first_projection = {},
                      SecondProjection second_projection = {},
                      const parallel_options& options = {}) {
    const detail::projected_less less{compare, first_projection, second_projection};
    return detail::merge_sorted(&home, first, detail::count_of(first, first_end), second,
                                detail::count_of(second, second_end), output, less, options);
}
/// The same for a range.
template <divisible_range First, divisible_range Second, std::random_access_iterator Output,
          class Compare = std::ranges::less, class FirstProjection = std::identity,
          class SecondProjection = std::identity>
    requires std::mergeable<std::ranges::iterator_t<First>, std::ranges::iterator_t<Second>, Output,
                            Compare, FirstProjection, SecondProjection>
Output parallel_merge(First&& first, Second&& second, Output output, Compare compare = {},
                      FirstProjection first_projection = {},
                      SecondProjection second_projection = {},
                      const parallel_options& options = {}) {
    const detail::projected_less less{compare, first_projection, second_projection};
    return detail::merge_sorted(nullptr, std::ranges::begin(first), detail::count_of(first),
                                std::ranges::begin(second), detail::count_of(second), output, less,
                                options);
}
/// The same for a range, on this pool, from any thread.
template <divisible_range First, divisible_range Second, std::random_access_iterator Output,
          class Compare = std::ranges::less, class FirstProjection = std::identity,
          class SecondProjection = std::identity>
    requires std::mergeable<std::ranges::iterator_t<First>, std::ranges::iterator_t<Second>, Output,
                            Compare, FirstProjection, SecondProjection>
Output parallel_merge(pool& home, First&& first, Second&& second, Output output,
                      Compare compare = {}, FirstProjection first_projection = {},
                      SecondProjection second_projection = {},
                      const parallel_options& options = {}) {
    const detail::projected_less less{compare, first_projection, second_projection};
    return detail::merge_sorted(&home, std::ranges::begin(first), detail::count_of(first),
                                std::ranges::begin(second), detail::count_of(second), output, less,
                                options);
}

} // namespace weft::inline v0
