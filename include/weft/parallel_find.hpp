// Parallel searches.
#pragma once

#include <weft/detail/algorithm/searches.hpp>
#include <weft/parallel_concepts.hpp>
#include <weft/parallel_options.hpp>
#include <weft/pool.hpp>

#include <functional>
#include <iterator>
#include <ranges>

namespace weft::inline v0 {

// Without a pool, a call must be made on a worker, or in the body of another algorithm; else it
// throws `errc::outside_pool`. With a pool it may be made on any thread.

/// The first element whose projection equals the value, or the end. Once it is found, elements
/// behind it are not looked at any more, except those that are being looked at.
template <std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel, class T,
          class Projection = std::identity>
    requires std::indirect_binary_predicate<std::ranges::equal_to,
                                            std::projected<Iterator, Projection>, const T*>
Iterator parallel_find(Iterator first, Sentinel last, const T& value, Projection projection = {},
                       const parallel_options& options = {}) {
    return detail::find_value(nullptr, "weft::parallel_find", first, detail::count_of(first, last),
                              value, projection, options);
}
/// The same on this pool, from any thread.
template <std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel, class T,
          class Projection = std::identity>
    requires std::indirect_binary_predicate<std::ranges::equal_to,
                                            std::projected<Iterator, Projection>, const T*>
Iterator parallel_find(pool& home, Iterator first, Sentinel last, const T& value,
                       Projection projection = {}, const parallel_options& options = {}) {
    return detail::find_value(&home, "weft::parallel_find", first, detail::count_of(first, last),
                              value, projection, options);
}
/// The same for a range.
template <divisible_range Range, class T, class Projection = std::identity>
    requires std::indirect_binary_predicate<
        std::ranges::equal_to, std::projected<std::ranges::iterator_t<Range>, Projection>, const T*>
std::ranges::borrowed_iterator_t<Range> parallel_find(Range&& range, const T& value,
                                                      Projection projection = {},
                                                      const parallel_options& options = {}) {
    return detail::find_value(nullptr, "weft::parallel_find", std::ranges::begin(range),
                              detail::count_of(range), value, projection, options);
}
/// The same for a range, on this pool, from any thread.
template <divisible_range Range, class T, class Projection = std::identity>
    requires std::indirect_binary_predicate<
        std::ranges::equal_to, std::projected<std::ranges::iterator_t<Range>, Projection>, const T*>
std::ranges::borrowed_iterator_t<Range> parallel_find(pool& home, Range&& range, const T& value,
                                                      Projection projection = {},
                                                      const parallel_options& options = {}) {
    return detail::find_value(&home, "weft::parallel_find", std::ranges::begin(range),
                              detail::count_of(range), value, projection, options);
}

/// The first element that satisfies the condition, or the end; otherwise as `parallel_find`.
template <std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel,
          class Projection = std::identity, element_condition<Iterator, Projection> Condition>
Iterator parallel_find_if(Iterator first, Sentinel last, Condition condition,
                          Projection projection = {}, const parallel_options& options = {}) {
    return detail::find_element(nullptr, "weft::parallel_find_if", first,
                                detail::count_of(first, last), condition, projection,
                                detail::search::first, options);
}
/// The same on this pool, from any thread.
template <std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel,
          class Projection = std::identity, element_condition<Iterator, Projection> Condition>
Iterator parallel_find_if(pool& home, Iterator first, Sentinel last, Condition condition,
                          Projection projection = {}, const parallel_options& options = {}) {
    return detail::find_element(&home, "weft::parallel_find_if", first,
                                detail::count_of(first, last), condition, projection,
                                detail::search::first, options);
}
/// The same for a range.
template <divisible_range Range, class Projection = std::identity,
          element_condition<std::ranges::iterator_t<Range>, Projection> Condition>
std::ranges::borrowed_iterator_t<Range> parallel_find_if(Range&& range, Condition condition,
                                                         Projection projection = {},
                                                         const parallel_options& options = {}) {
    return detail::find_element(nullptr, "weft::parallel_find_if", std::ranges::begin(range),
                                detail::count_of(range), condition, projection,
                                detail::search::first, options);
}
/// The same for a range, on this pool, from any thread.
template <divisible_range Range, class Projection = std::identity,
          element_condition<std::ranges::iterator_t<Range>, Projection> Condition>
std::ranges::borrowed_iterator_t<Range>
parallel_find_if(pool& home, Range&& range, Condition condition, Projection projection = {},
                 const parallel_options& options = {}) {
    return detail::find_element(&home, "weft::parallel_find_if", std::ranges::begin(range),
                                detail::count_of(range), condition, projection,
                                detail::search::first, options);
}

/// Whether any element satisfies the condition. Once one is found, no others are looked at, except
/// those that are being looked at.
template <std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel,
          class Projection = std::identity, element_condition<Iterator, Projection> Condition>
bool parallel_any_of(Iterator first, Sentinel last, Condition condition, Projection projection = {},
                     const parallel_options& options = {}) {
    return detail::finds(nullptr, "weft::parallel_any_of", first, detail::count_of(first, last),
                         condition, projection, detail::search::any, options);
}
/// The same on this pool, from any thread.
template <std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel,
          class Projection = std::identity, element_condition<Iterator, Projection> Condition>
bool parallel_any_of(pool& home, Iterator first, Sentinel last, Condition condition,
                     Projection projection = {}, const parallel_options& options = {}) {
    return detail::finds(&home, "weft::parallel_any_of", first, detail::count_of(first, last),
                         condition, projection, detail::search::any, options);
}
/// The same for a range.
template <divisible_range Range, class Projection = std::identity,
          element_condition<std::ranges::iterator_t<Range>, Projection> Condition>
bool parallel_any_of(Range&& range, Condition condition, Projection projection = {},
                     const parallel_options& options = {}) {
    return detail::finds(nullptr, "weft::parallel_any_of", std::ranges::begin(range),
                         detail::count_of(range), condition, projection, detail::search::any,
                         options);
}
/// The same for a range, on this pool, from any thread.
template <divisible_range Range, class Projection = std::identity,
          element_condition<std::ranges::iterator_t<Range>, Projection> Condition>
bool parallel_any_of(pool& home, Range&& range, Condition condition, Projection projection = {},
                     const parallel_options& options = {}) {
    return detail::finds(&home, "weft::parallel_any_of", std::ranges::begin(range),
                         detail::count_of(range), condition, projection, detail::search::any,
                         options);
}

/// Whether all elements satisfy the condition; otherwise as `parallel_any_of`.
template <std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel,
          class Projection = std::identity, element_condition<Iterator, Projection> Condition>
bool parallel_all_of(Iterator first, Sentinel last, Condition condition, Projection projection = {},
                     const parallel_options& options = {}) {
    return !detail::finds(nullptr, "weft::parallel_all_of", first, detail::count_of(first, last),
                          condition, projection, detail::search::any_other, options);
}
/// The same on this pool, from any thread.
template <std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel,
          class Projection = std::identity, element_condition<Iterator, Projection> Condition>
bool parallel_all_of(pool& home, Iterator first, Sentinel last, Condition condition,
                     Projection projection = {}, const parallel_options& options = {}) {
    return !detail::finds(&home, "weft::parallel_all_of", first, detail::count_of(first, last),
                          condition, projection, detail::search::any_other, options);
}
/// The same for a range.
template <divisible_range Range, class Projection = std::identity,
          element_condition<std::ranges::iterator_t<Range>, Projection> Condition>
bool parallel_all_of(Range&& range, Condition condition, Projection projection = {},
                     const parallel_options& options = {}) {
    return !detail::finds(nullptr, "weft::parallel_all_of", std::ranges::begin(range),
                          detail::count_of(range), condition, projection, detail::search::any_other,
                          options);
}
/// The same for a range, on this pool, from any thread.
template <divisible_range Range, class Projection = std::identity,
          element_condition<std::ranges::iterator_t<Range>, Projection> Condition>
bool parallel_all_of(pool& home, Range&& range, Condition condition, Projection projection = {},
                     const parallel_options& options = {}) {
    return !detail::finds(&home, "weft::parallel_all_of", std::ranges::begin(range),
                          detail::count_of(range), condition, projection, detail::search::any_other,
                          options);
}

/// Whether no element satisfies the condition; otherwise as `parallel_any_of`.
template <std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel,
          class Projection = std::identity, element_condition<Iterator, Projection> Condition>
bool parallel_none_of(Iterator first, Sentinel last, Condition condition,
                      Projection projection = {}, const parallel_options& options = {}) {
    return !detail::finds(nullptr, "weft::parallel_none_of", first, detail::count_of(first, last),
                          condition, projection, detail::search::any, options);
}
/// The same on this pool, from any thread.
template <std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel,
          class Projection = std::identity, element_condition<Iterator, Projection> Condition>
bool parallel_none_of(pool& home, Iterator first, Sentinel last, Condition condition,
                      Projection projection = {}, const parallel_options& options = {}) {
    return !detail::finds(&home, "weft::parallel_none_of", first, detail::count_of(first, last),
                          condition, projection, detail::search::any, options);
}
/// The same for a range.
template <divisible_range Range, class Projection = std::identity,
          element_condition<std::ranges::iterator_t<Range>, Projection> Condition>
bool parallel_none_of(Range&& range, Condition condition, Projection projection = {},
                      const parallel_options& options = {}) {
    return !detail::finds(nullptr, "weft::parallel_none_of", std::ranges::begin(range),
                          detail::count_of(range), condition, projection, detail::search::any,
                          options);
}
/// The same for a range, on this pool, from any thread.
template <divisible_range Range, class Projection = std::identity,
          element_condition<std::ranges::iterator_t<Range>, Projection> Condition>
bool parallel_none_of(pool& home, Range&& range, Condition condition, Projection projection = {},
                      const parallel_options& options = {}) {
    return !detail::finds(&home, "weft::parallel_none_of", std::ranges::begin(range),
                          detail::count_of(range), condition, projection, detail::search::any,
                          options);
}

} // namespace weft::inline v0
