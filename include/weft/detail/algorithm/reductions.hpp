// Loops with one result.
#pragma once

#include <weft/detail/algorithm/call.hpp>
#include <weft/detail/algorithm/divided_loop.hpp>
#include <weft/detail/algorithm/index_count.hpp>
#include <weft/fork_join.hpp>
#include <weft/parallel_concepts.hpp>
#include <weft/parallel_options.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

namespace weft::inline v0::detail {

/// The elements of a reduction: `transform(source(index))`. Both are called in the expression that
/// uses the result, since that may refer to what `source` returns by value, as with `std::identity`
/// and the elements of a view.
template <class Source, class Transform>
struct transformed {
    Source source;
    Transform* transform;
};

/// A piece that combines the elements in the order of the indices. The first piece begins with
/// the initial value, the others with their first element: no neutral value is needed.
template <class T, class Combine, class Element>
class reduce_piece {
public:
    reduce_piece(Combine& combine, const Element& element) noexcept
        : combine_{&combine}, element_{&element} {}
    reduce_piece(Combine& combine, const Element& element, T initial)
        : combine_{&combine}, element_{&element}, result_{std::move(initial)} {}

    void operator()(std::size_t first, std::size_t last) {
        // A local value, which the compiler keeps in a register.
        T sum = result_ ? std::move(*result_)
                        : T(std::invoke(*element_->transform, element_->source(first++)));
        for (; first != last; ++first) {
            sum = std::invoke(*combine_, std::move(sum),
                              std::invoke(*element_->transform, element_->source(first)));
        }
        result_ = std::move(sum);
    }
    [[nodiscard]] static bool is_done(std::size_t /*next*/) noexcept { return false; }
    [[nodiscard]] reduce_piece fork(std::size_t /*first*/) const noexcept {
        return {*combine_, *element_};
    }
    void join(reduce_piece& right) {
        if (!right.result_) return; // it has ended early
        *result_ = std::invoke(*combine_, std::move(*result_), std::move(*right.result_));
    }
    [[nodiscard]] T take() { return std::move(*result_); }

private:
    Combine* combine_;
    const Element* element_;
    std::optional<T> result_;
};

/// A reduction whose order of combination depends on the number of elements and the grain only:
/// blocks of fixed size, each from left to right, and a tree of blocks, left before right.
template <class T, class Combine, class Element>
class fixed_reduction {
public:
    fixed_reduction(algorithm_call& call, std::size_t count, Combine& combine,
                    const Element& element)
        : call_{&call}, count_{count}, block_{block_size(call.options().grain, count)},
          combine_{&combine}, element_{&element} {}

    /// The result of all elements, of which there must be some.
    [[nodiscard]] std::optional<T> run() { return run(0, (count_ - 1) / block_ + 1); }

private:
    static std::size_t block_size(std::size_t grain, std::size_t count) noexcept {
        constexpr std::size_t most = 4096;
        constexpr std::size_t blocks = 64; // enough for some workers if the elements are dear
        return grain != 0 ? grain : std::clamp<std::size_t>(count / blocks, 1, most);
    }

    /// The result of some blocks, or nothing if another piece has failed. Forks at every node of
    /// the tree, which is cheap while no worker is hungry.
    std::optional<T> run(std::size_t first, std::size_t last) {
        if (last - first == 1) return run_block(first);
        const std::size_t middle = first + (last - first) / 2;
        std::optional<T> left;
        std::optional<T> right;
        const auto run_left = [&] { left = run(first, middle); };
        const auto run_right = [&] { right = run(middle, last); };
        // Also where a result is moved the others must learn of a failure.
        fork_if_possible([&] { call_->guard(run_left); }, [&] { call_->guard(run_right); });
        if (!left || !right) return {};
        call_->guard([&] { *left = std::invoke(*combine_, std::move(*left), std::move(*right)); });
        return left;
    }

    std::optional<T> run_block(std::size_t block) {
        std::optional<T> result;
        call_->guard([&] {
            if (call_->should_end()) return;
            reduce_piece<T, Combine, Element> piece{*combine_, *element_};
            const std::size_t first = block * block_;
            piece(first, first + std::min(block_, count_ - first));
            result.emplace(piece.take());
        });
        return result;
    }

    algorithm_call* call_;
    std::size_t count_;
    std::size_t block_;
    Combine* combine_;
    const Element* element_;
};

/// Combines the initial value and elements 0 to `count - 1`.
template <class T, class Combine, class Element>
T reduce_indices(pool* home, const char* name, std::size_t count, T initial, Combine& combine,
                 const Element& element, const parallel_options& options) {
    algorithm_call call{name, options};
    if (!options.reproducible) {
        reduce_piece<T, Combine, Element> piece{combine, element, std::move(initial)};
        divided_loop<reduce_piece<T, Combine, Element>>{call, {}}.run(home, count, piece);
        return piece.take();
    }
    constexpr std::size_t few = 1024; // cheap elements, on the calling thread
    fixed_reduction<T, Combine, Element> reduction{call, count, combine, element};
    std::optional<T> result;
    run_whole(call, home, count <= few, [&] {
        if (count != 0) result = reduction.run();
    });
    return result ? T(std::invoke(combine, std::move(initial), std::move(*result)))
                  : std::move(initial);
}

template <class Iterator, class T, class Combine, class Transform>
T reduce_elements(pool* home, const char* name, Iterator begin, std::size_t count, T initial,
                  Combine& combine, Transform& transform, const parallel_options& options) {
    const auto source = [begin](std::size_t index) -> decltype(auto) {
        return begin[static_cast<std::iter_difference_t<Iterator>>(index)];
    };
    const transformed<decltype(source), Transform> element{source, &transform};
    return reduce_indices(home, name, count, std::move(initial), combine, element, options);
}

template <class First, class Last, class T, class Combine, class Transform>
T transform_reduce_indices(pool* home, First first, Last last, T initial, Combine& combine,
                           Transform& transform, const parallel_options& options) {
    constexpr const char* name = "weft::parallel_transform_reduce";
    using index = index_between<First, Last>;
    const index begin = first_index<index>(first, name);
    const auto source = [begin](std::size_t offset) { return index_at(begin, offset); };
    const transformed<decltype(source), Transform> element{source, &transform};
    return reduce_indices(home, name, count_between(begin, last_index(begin, last)),
                          std::move(initial), combine, element, options);
}

template <class Iterator, class Condition, class Projection>
std::size_t count_satisfied(pool* home, Iterator begin, std::size_t count, Condition& condition,
                            Projection& projection, const parallel_options& options) {
    std::plus<> combine;
    const auto source = [begin](std::size_t index) -> decltype(auto) {
        return begin[static_cast<std::iter_difference_t<Iterator>>(index)];
    };
    const auto count_one = [&](auto&& each) {
        const bool holds =
            std::invoke(condition, std::invoke(projection, std::forward<decltype(each)>(each)));
        return static_cast<std::size_t>(holds);
    };
    const transformed<decltype(source), decltype(count_one)> element{source, &count_one};
    return reduce_indices(home, "weft::parallel_count_if", count, std::size_t{0}, combine, element,
                          options);
}

/// The positions of the first smallest and the last largest element.
template <class Iterator, class Compare, class Projection>
class min_max_piece {
public:
    using result = std::ranges::min_max_result<Iterator>;

    min_max_piece(Iterator begin, Compare& compare, Projection& projection)
        : begin_{begin}, compare_{&compare}, projection_{&projection} {}

    void operator()(std::size_t first, std::size_t last) {
        using difference = std::iter_difference_t<Iterator>;
        const auto some = std::ranges::minmax_element(begin_ + static_cast<difference>(first),
                                                      begin_ + static_cast<difference>(last),
                                                      std::ref(*compare_), std::ref(*projection_));
        add({some.min, some.max});
    }
    [[nodiscard]] static bool is_done(std::size_t /*next*/) noexcept { return false; }
    [[nodiscard]] min_max_piece fork(std::size_t /*first*/) const {
        return {begin_, *compare_, *projection_};
    }
    void join(min_max_piece& right) {
        if (right.found_) add(*right.found_);
    }
    [[nodiscard]] result take(Iterator end) const { return found_.value_or(result{end, end}); }

private:
    /// Those behind what it has.
    void add(result later) {
        if (!found_) {
            found_ = later;
            return;
        }
        if (is_less(*later.min, *found_->min)) found_->min = later.min;
        if (!is_less(*later.max, *found_->max)) found_->max = later.max;
    }
    template <class Left, class Right>
    bool is_less(Left&& left, Right&& right) {
        return std::invoke(*compare_, std::invoke(*projection_, std::forward<Left>(left)),
                           std::invoke(*projection_, std::forward<Right>(right)));
    }

    Iterator begin_;
    Compare* compare_;
    Projection* projection_;
    std::optional<result> found_;
};

template <class Iterator, class Compare, class Projection>
std::ranges::min_max_result<Iterator> find_min_max(pool* home, Iterator begin, std::size_t count,
                                                   Compare& compare, Projection& projection,
                                                   const parallel_options& options) {
    using piece_type = min_max_piece<Iterator, Compare, Projection>;
    algorithm_call call{"weft::parallel_min_max", options};
    piece_type piece{begin, compare, projection};
    divided_loop<piece_type>{call, {}}.run(home, count, piece);
    return piece.take(begin + static_cast<std::iter_difference_t<Iterator>>(count));
}

} // namespace weft::inline v0::detail
