// Loops without a result: over indices, elements, parts and cells.
#pragma once

#include <weft/detail/algorithm/call.hpp>
#include <weft/detail/algorithm/divided_loop.hpp>
#include <weft/detail/algorithm/index_count.hpp>
#include <weft/fork_join.hpp>
#include <weft/index_range.hpp>
#include <weft/parallel_concepts.hpp>
#include <weft/parallel_options.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft::inline v0::detail {

/// A piece of a loop whose body keeps nothing. `Run` is called with the two ends of a step.
template <class Run>
class for_piece {
public:
    explicit for_piece(Run& run) noexcept : run_{&run} {}
    void operator()(std::size_t first, std::size_t last) { (*run_)(first, last); }
    [[nodiscard]] static bool is_done(std::size_t /*next*/) noexcept { return false; }
    [[nodiscard]] for_piece fork(std::size_t /*first*/) const noexcept { return *this; }
    void join(for_piece& /*right*/) noexcept {}

private:
    Run* run_;
};

template <class Run>
void loop_over(pool* home, const char* name, const parallel_options& options, std::size_t count,
               Run run, division shape = {}) {
    algorithm_call call{name, options};
    for_piece<Run> piece{run};
    divided_loop<for_piece<Run>>{call, shape}.run(home, count, piece);
}

template <class First, class Last, class Body>
void for_indices(pool* home, First first, Last last, Body& body, const parallel_options& options) {
    constexpr const char* name = "weft::parallel_for";
    using index = index_between<First, Last>;
    const index begin = first_index<index>(first, name);
    const std::size_t count = count_between(begin, last_index(begin, last));
    loop_over(home, name, options, count, [&body, begin](std::size_t offset, std::size_t end) {
        for (; offset != end; ++offset) {
            std::invoke(body, index_at(begin, offset));
        }
    });
}

template <class Body>
void for_parts(pool* home, const index_range& whole, Body& body, const parallel_options& options) {
    loop_over(home, "weft::parallel_for", options, whole.size(),
              [&body, begin = whole.first](std::size_t first, std::size_t last) {
                  std::invoke(body, index_range{begin + first, begin + last});
              });
}

template <class Iterator, class Body, class Projection>
void for_elements(pool* home, const char* name, Iterator begin, std::size_t count, Body& body,
                  Projection& projection, const parallel_options& options) {
    using difference = std::iter_difference_t<Iterator>;
    loop_over(home, name, options, count, [&, begin](std::size_t first, std::size_t last) {
        Iterator each = begin + static_cast<difference>(first);
        for (; first != last; ++first, ++each) {
            std::invoke(body, std::invoke(projection, *each));
        }
    });
}

template <class Iterator, class Output, class Operation, class Projection>
Output transform_elements(pool* home, Iterator begin, std::size_t count, Output output,
                          Operation& operation, Projection& projection,
                          const parallel_options& options) {
    loop_over(home, "weft::parallel_transform", options, count,
              [&, begin, output](std::size_t first, std::size_t last) {
                  Iterator each = begin + static_cast<std::iter_difference_t<Iterator>>(first);
                  Output out = output + static_cast<std::iter_difference_t<Output>>(first);
                  for (; first != last; ++first, ++each, ++out) {
                      *out = std::invoke(operation, std::invoke(projection, *each));
                  }
              });
    return output + static_cast<std::iter_difference_t<Output>>(count);
}

/// Without random access the elements are found one after the other first.
template <class Iterator, class Sentinel, class Body, class Projection>
void for_each_element(pool* home, Iterator begin, Sentinel end, Body& body, Projection& projection,
                      const parallel_options& options) {
    constexpr const char* name = "weft::parallel_for_each";
    if constexpr (divisible_until<Sentinel, Iterator>) {
        for_elements(home, name, begin, static_cast<std::size_t>(end - begin), body, projection,
                     options);
    } else {
        std::vector<Iterator> places;
        for (; begin != end; ++begin) places.push_back(begin);
        loop_over(home, name, options, places.size(), [&](std::size_t first, std::size_t last) {
            for (; first != last; ++first) {
                std::invoke(body, std::invoke(projection, *places[first]));
            }
        });
    }
}

/// The cells of a block, numbered row by row.
class cell_order {
public:
    explicit cell_order(const block_3d& whole) noexcept
        : whole_{whole}, row_{whole.columns.size()}, page_{whole.rows.size() * row_} {}

    [[nodiscard]] division shape() const noexcept {
        return {.row = std::max<std::size_t>(row_, 1), .page = std::max<std::size_t>(page_, 1)};
    }
    /// Calls `run` with boxes that together are these cells, in their order.
    template <class Run>
    void visit(std::size_t first, std::size_t last, Run run) const {
        while (first != last) {
            const std::size_t end = end_of_box(first, last);
            run(box(first, end));
            first = end;
        }
    }

private:
    /// A part of a row, or else whole rows of a page, or else whole pages.
    [[nodiscard]] std::size_t end_of_box(std::size_t first, std::size_t last) const noexcept {
        if (first % row_ != 0 || last - first < row_) {
            return std::min(last, (first / row_ + 1) * row_);
        }
        if (first % page_ != 0 || last - first < page_) {
            return std::min(last / row_ * row_, (first / page_ + 1) * page_);
        }
        return last / page_ * page_;
    }
    [[nodiscard]] block_3d box(std::size_t first, std::size_t end) const noexcept {
        const std::size_t last = end - 1;
        const auto between = [](const index_range& all, std::size_t low, std::size_t high) {
            return index_range{all.first + low, all.first + high + 1};
        };
        return {between(whole_.pages, first / page_, last / page_),
                between(whole_.rows, first % page_ / row_, last % page_ / row_),
                between(whole_.columns, first % row_, last % row_)};
    }

    block_3d whole_;
    std::size_t row_;
    std::size_t page_;
};

/// `run` is called with boxes.
template <class Run>
void for_boxes(pool* home, const block_3d& whole, const parallel_options& options, Run run) {
    const cell_order order{whole};
    loop_over(
        home, "weft::parallel_for", options, whole.size(),
        [&](std::size_t first, std::size_t last) { order.visit(first, last, run); }, order.shape());
}

template <class Body>
void for_cells(pool* home, const block_3d& whole, Body& body, const parallel_options& options) {
    for_boxes(home, whole, options, [&body](const block_3d& box) {
        constexpr bool by_cell = std::invocable<Body&, std::size_t, std::size_t, std::size_t>;
        if constexpr (!by_cell) {
            std::invoke(body, box);
        } else {
            for (std::size_t page = box.pages.first; page != box.pages.last; ++page) {
                for (std::size_t row = box.rows.first; row != box.rows.last; ++row) {
                    for (std::size_t column = box.columns.first; column != box.columns.last;
                         ++column) {
                        std::invoke(body, page, row, column);
                    }
                }
            }
        }
    });
}

template <class Body>
void for_cells(pool* home, const block_2d& whole, Body& body, const parallel_options& options) {
    const block_3d page{{0, 1}, whole.rows, whole.columns};
    if constexpr (std::invocable<Body&, std::size_t, std::size_t>) {
        auto by_cell = [&body](std::size_t, std::size_t row, std::size_t column) {
            std::invoke(body, row, column);
        };
        for_cells(home, page, by_cell, options);
    } else {
        for_boxes(home, page, options, [&body](const block_3d& box) {
            std::invoke(body, block_2d{box.rows, box.columns});
        });
    }
}

template <class... Callables>
void invoke_all(pool* home, Callables&... callables) {
    constexpr const char* name = "weft::parallel_invoke";
    const auto run = [&] {
        if constexpr (sizeof...(Callables) == 1) (static_cast<void>(std::invoke(callables)), ...);
        else static_cast<void>(fork_join(callables...));
    };
    pool* outside = outside_pool(home, worker::current(), name);
    if (outside != nullptr) run_on(*outside, false, run);
    else run();
}

} // namespace weft::inline v0::detail
