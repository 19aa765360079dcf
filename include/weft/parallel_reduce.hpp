// Parallel reductions.
#pragma once

#include <weft/detail/algorithm/reductions.hpp>
#include <weft/parallel_concepts.hpp>
#include <weft/parallel_options.hpp>
#include <weft/pool.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

namespace weft::inline v0 {

// Without a pool, a call must be made on a worker, or in the body of another algorithm; else it
// throws `errc::outside_pool`. With a pool it may be made on any thread.

/// Combines the initial value and all elements, `combine(combine(initial, first), second)` and so
/// on, and returns the result. It is computed in parallel, so the operation must be associative. It
/// need not be commutative: operands keep their order. Of floating-point sums, the last bits depend
/// on how the work was divided, unless `options.reproducible` is true.
///
/// If an operation throws, the others end soon, and its exception is thrown; of several, the one of
/// the lowest index. If stop is requested, `errc::cancelled` is thrown.
template <std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel,
          class T = std::iter_value_t<Iterator>,
          combination_of<T, std::iter_reference_t<Iterator>> Combine = std::plus<>>
T parallel_reduce(Iterator first, Sentinel last, T initial = T{}, Combine combine = {},
                  const parallel_options& options = {}) {
    std::identity same;
    return detail::reduce_elements(nullptr, "weft::parallel_reduce", first,
                                   detail::count_of(first, last), std::move(initial), combine, same,
                                   options);
}
/// The same on this pool, from any thread.
template <std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel,
          class T = std::iter_value_t<Iterator>,
          combination_of<T, std::iter_reference_t<Iterator>> Combine = std::plus<>>
T parallel_reduce(pool& home, Iterator first, Sentinel last, T initial = T{}, Combine combine = {},
                  const parallel_options& options = {}) {
    std::identity same;
    return detail::reduce_elements(&home, "weft::parallel_reduce", first,
                                   detail::count_of(first, last), std::move(initial), combine, same,
                                   options);
}
/// The same for a range.
template <
    divisible_range Range, class T = std::iter_value_t<std::ranges::iterator_t<Range>>,
    combination_of<T, std::iter_reference_t<std::ranges::iterator_t<Range>>> Combine = std::plus<>>
T parallel_reduce(Range&& range, T initial = T{}, Combine combine = {},
                  const parallel_options& options = {}) {
    std::identity same;
    return detail::reduce_elements(nullptr, "weft::parallel_reduce", std::ranges::begin(range),
                                   detail::count_of(range), std::move(initial), combine, same,
                                   options);
}
/// The same for a range, on this pool, from any thread.
template <
    divisible_range Range, class T = std::iter_value_t<std::ranges::iterator_t<Range>>,
    combination_of<T, std::iter_reference_t<std::ranges::iterator_t<Range>>> Combine = std::plus<>>
T parallel_reduce(pool& home, Range&& range, T initial = T{}, Combine combine = {},
                  const parallel_options& options = {}) {
    std::identity same;
    return detail::reduce_elements(&home, "weft::parallel_reduce", std::ranges::begin(range),
                                   detail::count_of(range), std::move(initial), combine, same,
                                   options);
}

/// The same for `transform(element)` instead of the element itself.
template <
    std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel, class T,
    std::invocable<std::iter_reference_t<Iterator>> Transform,
    combination_of<T, std::invoke_result_t<Transform&, std::iter_reference_t<Iterator>>> Combine>
T parallel_transform_reduce(Iterator first, Sentinel last, T initial, Combine combine,
                            Transform transform, const parallel_options& options = {}) {
    return detail::reduce_elements(nullptr, "weft::parallel_transform_reduce", first,
                                   detail::count_of(first, last), std::move(initial), combine,
                                   transform, options);
}
/// The same on this pool, from any thread.
template <
    std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel, class T,
    std::invocable<std::iter_reference_t<Iterator>> Transform,
    combination_of<T, std::invoke_result_t<Transform&, std::iter_reference_t<Iterator>>> Combine>
T parallel_transform_reduce(pool& home, Iterator first, Sentinel last, T initial, Combine combine,
                            Transform transform, const parallel_options& options = {}) {
    return detail::reduce_elements(&home, "weft::parallel_transform_reduce", first,
                                   detail::count_of(first, last), std::move(initial), combine,
                                   transform, options);
}
/// The same for a range.
template <divisible_range Range, class T,
          std::invocable<std::iter_reference_t<std::ranges::iterator_t<Range>>> Transform,
          combination_of<T, std::invoke_result_t<
                                Transform&, std::iter_reference_t<std::ranges::iterator_t<Range>>>>
              Combine>
T parallel_transform_reduce(Range&& range, T initial, Combine combine, Transform transform,
                            const parallel_options& options = {}) {
    return detail::reduce_elements(nullptr, "weft::parallel_transform_reduce",
                                   std::ranges::begin(range), detail::count_of(range),
                                   std::move(initial), combine, transform, options);
}
/// The same for a range, on this pool, from any thread.
template <divisible_range Range, class T,
          std::invocable<std::iter_reference_t<std::ranges::iterator_t<Range>>> Transform,
          combination_of<T, std::invoke_result_t<
                                Transform&, std::iter_reference_t<std::ranges::iterator_t<Range>>>>
              Combine>
T parallel_transform_reduce(pool& home, Range&& range, T initial, Combine combine,
                            Transform transform, const parallel_options& options = {}) {
    return detail::reduce_elements(&home, "weft::parallel_transform_reduce",
                                   std::ranges::begin(range), detail::count_of(range),
                                   std::move(initial), combine, transform, options);
}

/// The same for `transform(index)` of each index from `first` to `last - 1`, as in `parallel_for`.
template <std::integral First, std::integral Last, class T,
          index_body<index_between<First, Last>> Transform,
          combination_of<T, std::invoke_result_t<Transform&, index_between<First, Last>>> Combine>
T parallel_transform_reduce(First first, Last last, T initial, Combine combine, Transform transform,
                            const parallel_options& options = {}) {
    return detail::transform_reduce_indices(nullptr, first, last, std::move(initial), combine,
                                            transform, options);
}
/// The same on this pool, from any thread.
template <std::integral First, std::integral Last, class T,
          index_body<index_between<First, Last>> Transform,
          combination_of<T, std::invoke_result_t<Transform&, index_between<First, Last>>> Combine>
T parallel_transform_reduce(pool& home, First first, Last last, T initial, Combine combine,
                            Transform transform, const parallel_options& options = {}) {
    return detail::transform_reduce_indices(&home, first, last, std::move(initial), combine,
                                            transform, options);
}

/// The number of elements that satisfy the condition.
template <std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel,
          class Projection = std::identity, element_condition<Iterator, Projection> Condition>
std::size_t parallel_count_if(Iterator first, Sentinel last, Condition condition,
                              Projection projection = {}, const parallel_options& options = {}) {
    return detail::count_satisfied(nullptr, first, detail::count_of(first, last), condition,
                                   projection, options);
}
/// The same on this pool, from any thread.
template <std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel,
          class Projection = std::identity, element_condition<Iterator, Projection> Condition>
std::size_t parallel_count_if(pool& home, Iterator first, Sentinel last, Condition condition,
                              Projection projection = {}, const parallel_options& options = {}) {
    return detail::count_satisfied(&home, first, detail::count_of(first, last), condition,
                                   projection, options);
}
/// The same for a range.
template <divisible_range Range, class Projection = std::identity,
          element_condition<std::ranges::iterator_t<Range>, Projection> Condition>
std::size_t parallel_count_if(Range&& range, Condition condition, Projection projection = {},
                              const parallel_options& options = {}) {
    return detail::count_satisfied(nullptr, std::ranges::begin(range), detail::count_of(range),
                                   condition, projection, options);
}
/// The same for a range, on this pool, from any thread.
template <divisible_range Range, class Projection = std::identity,
          element_condition<std::ranges::iterator_t<Range>, Projection> Condition>
std::size_t parallel_count_if(pool& home, Range&& range, Condition condition,
                              Projection projection = {}, const parallel_options& options = {}) {
    return detail::count_satisfied(&home, std::ranges::begin(range), detail::count_of(range),
                                   condition, projection, options);
}

/// The positions of the first smallest and the last largest element, as
/// `std::ranges::minmax_element` returns them; of an empty range, the end twice.
template <std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel,
          class Projection = std::identity,
          std::indirect_strict_weak_order<std::projected<Iterator, Projection>> Compare =
              std::ranges::less>
std::ranges::min_max_result<Iterator>
parallel_min_max(Iterator first, Sentinel last, Compare compare = {}, Projection projection = {},
                 const parallel_options& options = {}) {
    return detail::find_min_max(nullptr, first, detail::count_of(first, last), compare, projection,
                                options);
}
/// The same on this pool, from any thread.
template <std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel,
          class Projection = std::identity,
          std::indirect_strict_weak_order<std::projected<Iterator, Projection>> Compare =
              std::ranges::less>
std::ranges::min_max_result<Iterator>
parallel_min_max(pool& home, Iterator first, Sentinel last, Compare compare = {},
                 Projection projection = {}, const parallel_options& options = {}) {
    return detail::find_min_max(&home, first, detail::count_of(first, last), compare, projection,
                                options);
}
/// The same for a range.
template <
    divisible_range Range, class Projection = std::identity,
    std::indirect_strict_weak_order<std::projected<std::ranges::iterator_t<Range>, Projection>>
        Compare = std::ranges::less>
std::ranges::min_max_result<std::ranges::borrowed_iterator_t<Range>>
parallel_min_max(Range&& range, Compare compare = {}, Projection projection = {},
                 const parallel_options& options = {}) {
    return detail::find_min_max(nullptr, std::ranges::begin(range), detail::count_of(range),
                                compare, projection, options);
}
/// The same for a range, on this pool, from any thread.
template <
    divisible_range Range, class Projection = std::identity,
    std::indirect_strict_weak_order<std::projected<std::ranges::iterator_t<Range>, Projection>>
        Compare = std::ranges::less>
std::ranges::min_max_result<std::ranges::borrowed_iterator_t<Range>>
parallel_min_max(pool& home, Range&& range, Compare compare = {}, Projection projection = {},
                 const parallel_options& options = {}) {
    return detail::find_min_max(&home, std::ranges::begin(range), detail::count_of(range), compare,
                                projection, options);
}

} // namespace weft::inline v0
