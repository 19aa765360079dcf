// Parallel loops.
#pragma once

#include <weft/detail/algorithm/loops.hpp>
#include <weft/index_range.hpp>
#include <weft/parallel_concepts.hpp>
#include <weft/parallel_options.hpp>
#include <weft/pool.hpp>

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

/// Calls `body(index)` for each index from `first` to `last - 1`, in parallel; for none if `last`
/// is not above `first`. The type of the index is the common type of both. Throws
/// `errc::invalid_argument` if that type is unsigned and `first` is negative.
///
/// Each index is visited once, and all calls have ended when this returns or throws. If a call
/// throws, the others end soon, and its exception is thrown; of several, the one of the lowest
/// index. If stop is requested, `errc::cancelled` is thrown. In both cases some indices may not be
/// visited. It needs no memory on a worker. From outside it may throw `errc::stopped` if the
/// pool was stopped.
template <std::integral First, std::integral Last, index_body<index_between<First, Last>> Body>
void parallel_for(First first, Last last, Body&& body, const parallel_options& options = {}) {
    detail::for_indices(nullptr, first, last, body, options);
}
/// The same on this pool, from any thread.
template <std::integral First, std::integral Last, index_body<index_between<First, Last>> Body>
void parallel_for(pool& home, First first, Last last, Body&& body,
                  const parallel_options& options = {}) {
    detail::for_indices(&home, first, last, body, options);
}

/// Calls `body(part)` for parts of the range, which together are the whole of it; otherwise as
/// above. With a grain, each part has at least that many indices and less than twice as many,
/// unless the range has fewer.
template <std::same_as<index_range> Whole, part_body<index_range> Body>
void parallel_for(const Whole& whole, Body&& body, const parallel_options& options = {}) {
    detail::for_parts(nullptr, whole, body, options);
}
/// The same on this pool, from any thread.
template <std::same_as<index_range> Whole, part_body<index_range> Body>
void parallel_for(pool& home, const Whole& whole, Body&& body,
                  const parallel_options& options = {}) {
    detail::for_parts(&home, whole, body, options);
}

/// Calls `body(row, column)` for each cell, or `body(part)` for parts of the block, which together
/// are the whole of it: whole rows, or a part of one row. A grain counts cells, and a part may have
/// fewer of them at the end of a row. Otherwise as above; cells are counted row by row, so that of
/// several exceptions, the one of the first cell in that order is thrown.
template <std::same_as<block_2d> Whole, cell_body<block_2d, std::size_t, std::size_t> Body>
void parallel_for(const Whole& whole, Body&& body, const parallel_options& options = {}) {
    detail::for_cells(nullptr, whole, body, options);
}
/// The same on this pool, from any thread.
template <std::same_as<block_2d> Whole, cell_body<block_2d, std::size_t, std::size_t> Body>
void parallel_for(pool& home, const Whole& whole, Body&& body,
                  const parallel_options& options = {}) {
    detail::for_cells(&home, whole, body, options);
}

/// Calls `body(page, row, column)` for each cell, or `body(part)` for parts of the block; otherwise
/// as in two dimensions.
template <std::same_as<block_3d> Whole,
          cell_body<block_3d, std::size_t, std::size_t, std::size_t> Body>
void parallel_for(const Whole& whole, Body&& body, const parallel_options& options = {}) {
    detail::for_cells(nullptr, whole, body, options);
}
/// The same on this pool, from any thread.
template <std::same_as<block_3d> Whole,
          cell_body<block_3d, std::size_t, std::size_t, std::size_t> Body>
void parallel_for(pool& home, const Whole& whole, Body&& body,
                  const parallel_options& options = {}) {
    detail::for_cells(&home, whole, body, options);
}

/// Calls `body(element)` for each element, in parallel; otherwise as for indices.
template <std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel,
          element_body<Iterator> Body>
void parallel_for(Iterator first, Sentinel last, Body&& body,
                  const parallel_options& options = {}) {
    std::identity projection;
    detail::for_elements(nullptr, "weft::parallel_for", first, detail::count_of(first, last), body,
                         projection, options);
}
/// The same on this pool, from any thread.
template <std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel,
          element_body<Iterator> Body>
void parallel_for(pool& home, Iterator first, Sentinel last, Body&& body,
                  const parallel_options& options = {}) {
    std::identity projection;
    detail::for_elements(&home, "weft::parallel_for", first, detail::count_of(first, last), body,
                         projection, options);
}
/// The same for a range.
template <divisible_range Range, element_body<std::ranges::iterator_t<Range>> Body>
void parallel_for(Range&& range, Body&& body, const parallel_options& options = {}) {
    std::identity projection;
    detail::for_elements(nullptr, "weft::parallel_for", std::ranges::begin(range),
                         detail::count_of(range), body, projection, options);
}
/// The same for a range, on this pool, from any thread.
template <divisible_range Range, element_body<std::ranges::iterator_t<Range>> Body>
void parallel_for(pool& home, Range&& range, Body&& body, const parallel_options& options = {}) {
    std::identity projection;
    detail::for_elements(&home, "weft::parallel_for", std::ranges::begin(range),
                         detail::count_of(range), body, projection, options);
}

/// Calls `body(projection(element))` for each element, in parallel; otherwise as `parallel_for`.
/// Ranges without random access, such as a list, are walked through first, which needs memory for
/// an iterator to each element: std::bad_alloc is thrown before any element is visited.
template <std::forward_iterator Iterator, std::sentinel_for<Iterator> Sentinel,
          class Projection = std::identity, element_body<Iterator, Projection> Body>
void parallel_for_each(Iterator first, Sentinel last, Body body, Projection projection = {},
                       const parallel_options& options = {}) {
    detail::for_each_element(nullptr, std::move(first), std::move(last), body, projection, options);
}
/// The same on this pool, from any thread.
template <std::forward_iterator Iterator, std::sentinel_for<Iterator> Sentinel,
          class Projection = std::identity, element_body<Iterator, Projection> Body>
void parallel_for_each(pool& home, Iterator first, Sentinel last, Body body,
                       Projection projection = {}, const parallel_options& options = {}) {
    detail::for_each_element(&home, std::move(first), std::move(last), body, projection, options);
}
/// The same for a range.
template <std::ranges::forward_range Range, class Projection = std::identity,
          element_body<std::ranges::iterator_t<Range>, Projection> Body>
void parallel_for_each(Range&& range, Body body, Projection projection = {},
                       const parallel_options& options = {}) {
    detail::for_each_element(nullptr, std::ranges::begin(range), std::ranges::end(range), body,
                             projection, options);
}
/// The same for a range, on this pool, from any thread.
template <std::ranges::forward_range Range, class Projection = std::identity,
          element_body<std::ranges::iterator_t<Range>, Projection> Body>
void parallel_for_each(pool& home, Range&& range, Body body, Projection projection = {},
                       const parallel_options& options = {}) {
    detail::for_each_element(&home, std::ranges::begin(range), std::ranges::end(range), body,
                             projection, options);
}

/// Writes `operation(projection(element))` for each element to the output, in the same order, and
/// returns the end of the output; otherwise as `parallel_for`. The output may be the range itself.
template <
    std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel,
    class Projection = std::identity, element_body<Iterator, Projection> Operation,
    divisible_output<std::invoke_result_t<Operation&, projected_element<Iterator, Projection>>>
        Output>
Output parallel_transform(Iterator first, Sentinel last, Output output, Operation operation,
                          Projection projection = {}, const parallel_options& options = {}) {
    return detail::transform_elements(nullptr, first, detail::count_of(first, last), output,
                                      operation, projection, options);
}
/// The same on this pool, from any thread.
template <
    std::random_access_iterator Iterator, divisible_until<Iterator> Sentinel,
    class Projection = std::identity, element_body<Iterator, Projection> Operation,
    divisible_output<std::invoke_result_t<Operation&, projected_element<Iterator, Projection>>>
        Output>
Output parallel_transform(pool& home, Iterator first, Sentinel last, Output output,
                          Operation operation, Projection projection = {},
                          const parallel_options& options = {}) {
    return detail::transform_elements(&home, first, detail::count_of(first, last), output,
                                      operation, projection, options);
}
/// The same for a range.
template <divisible_range Range, class Projection = std::identity,
          element_body<std::ranges::iterator_t<Range>, Projection> Operation,
          divisible_output<std::invoke_result_t<
              Operation&, projected_element<std::ranges::iterator_t<Range>, Projection>>>
              Output>
Output parallel_transform(Range&& range, Output output, Operation operation,
                          Projection projection = {}, const parallel_options& options = {}) {
    return detail::transform_elements(nullptr, std::ranges::begin(range), detail::count_of(range),
                                      output, operation, projection, options);
}
/// The same for a range, on this pool, from any thread.
template <divisible_range Range, class Projection = std::identity,
          element_body<std::ranges::iterator_t<Range>, Projection> Operation,
          divisible_output<std::invoke_result_t<
              Operation&, projected_element<std::ranges::iterator_t<Range>, Projection>>>
              Output>
Output parallel_transform(pool& home, Range&& range, Output output, Operation operation,
                          Projection projection = {}, const parallel_options& options = {}) {
    return detail::transform_elements(&home, std::ranges::begin(range), detail::count_of(range),
                                      output, operation, projection, options);
}

/// Runs the callables, possibly in parallel, and drops their results. Otherwise as `fork_join`,
/// which returns the results.
template <std::invocable... Callables>
    requires(sizeof...(Callables) > 0)
void parallel_invoke(Callables&&... callables) {
    detail::invoke_all(nullptr, callables...);
}
/// The same on this pool, from any thread.
template <std::invocable... Callables>
    requires(sizeof...(Callables) > 0)
void parallel_invoke(pool& home, Callables&&... callables) {
    detail::invoke_all(&home, callables...);
}

} // namespace weft::inline v0
