// Scans and filters: the steps of their chained loops.
#pragma once

#include <weft/detail/algorithm/chained_loop.hpp>
#include <weft/nothing.hpp>

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

namespace weft::inline v0::detail {

/// Running sums. A state is the sum of what is before, if there is anything.
template <class Input, class Output, class T, class Operation, bool Inclusive>
class scan_steps {
public:
    using state = std::optional<T>;
    using summary = T;
    /// So that a block is in the cache when it is finished, and takes a few microseconds: a worker
    /// that waits longer for the others falls asleep.
    static constexpr std::size_t most_in_block =
        std::max<std::size_t>((std::size_t{64} << 10U) / sizeof(T), 1);

    scan_steps(Input input, Output output, Operation& operation)
        : input_{input}, output_{output}, operation_{&operation} {}

    void run(state& before, std::size_t first, std::size_t last) {
        Input each = input_ + static_cast<std::iter_difference_t<Input>>(first);
        Output out = output_ + static_cast<std::iter_difference_t<Output>>(first);
        if (!before) { // only an inclusive scan begins without a value
            before.emplace(*each);
            *out = *before;
            ++first, ++each, ++out;
        }
        // A local value, which the compiler keeps in a register.
        T sum = std::move(*before);
        for (; first != last; ++first, ++each, ++out) {
            if constexpr (Inclusive) {
                sum = std::invoke(*operation_, std::move(sum), *each);
                *out = sum;
            } else {
                T next = std::invoke(*operation_, std::as_const(sum),
                                     *each); // the output may be the input
                *out = std::move(sum);
                sum = std::move(next);
            }
        }
        *before = std::move(sum);
    }
    T look(std::size_t first, std::size_t last) {
        Input each = input_ + static_cast<std::iter_difference_t<Input>>(first);
        T sum(*each);
        for (++first, ++each; first != last; ++first, ++each) {
            sum = std::invoke(*operation_, std::move(sum), *each);
        }
        return sum;
    }
    void add(state& before, const T& sum) {
        *before = std::invoke(*operation_, std::move(*before), sum);
    }
    void finish(state& before, const T& /*sum*/, std::size_t first, std::size_t last) {
        run(before, first, last);
    }

private:
    Input input_;
    Output output_;
    Operation* operation_;
};

template <bool Inclusive, class Input, class Output, class T, class Operation>
Output scan(pool* home, Input input, std::size_t count, Output output, std::optional<T> initial,
            Operation& operation, const parallel_options& options) {
    constexpr const char* name =
        Inclusive ? "weft::parallel_inclusive_scan" : "weft::parallel_exclusive_scan";
    scan_steps<Input, Output, T, Operation, Inclusive> steps{input, output, operation};
    static_cast<void>(run_chain(home, name, count, steps, std::move(initial), options));
    return output + static_cast<std::iter_difference_t<Output>>(count);
}

/// Copies the elements that satisfy a condition. A state is the number of elements copied before;
/// a summary says which elements of a block are copied, so that the condition is asked once.
template <class Input, class Output, class Condition, class Projection>
class filter_steps {
public:
    using state = std::size_t;
    static constexpr std::size_t most_in_block = 8192;
    using summary = std::bitset<most_in_block>;

    filter_steps(Input input, Output output, Condition& condition, Projection& projection)
        : input_{input}, output_{output}, condition_{&condition}, projection_{&projection} {}

    void run(state& copied, std::size_t first, std::size_t last) {
        Output out = output_ + static_cast<std::iter_difference_t<Output>>(copied);
        for (; first != last; ++first) {
            auto&& element = element_of(first);
            if (!holds(element)) continue;
            *out = std::forward<decltype(element)>(element);
            ++out;
        }
        copied = static_cast<std::size_t>(out - output_);
    }
    summary look(std::size_t first, std::size_t last) {
        summary chosen;
        for (std::size_t index = first; index != last; ++index) {
            chosen[index - first] = holds(element_of(index));
        }
        return chosen;
    }
    static void add(state& copied, const summary& chosen) { copied += chosen.count(); }
    void finish(state copied, const summary& chosen, std::size_t first, std::size_t last) {
        Output out = output_ + static_cast<std::iter_difference_t<Output>>(copied);
        for (std::size_t index = first; index != last; ++index) {
            if (!chosen[index - first]) continue;
            *out = element_of(index);
            ++out;
        }
    }

private:
    decltype(auto) element_of(std::size_t index) {
        return input_[static_cast<std::iter_difference_t<Input>>(index)];
    }
    template <class Element>
    bool holds(Element&& element) {
        return static_cast<bool>(
            std::invoke(*condition_, std::invoke(*projection_, std::forward<Element>(element))));
    }

    Input input_;
    Output output_;
    Condition* condition_;
    Projection* projection_;
};

template <class Input, class Output, class Condition, class Projection>
Output copy_chosen(pool* home, Input input, std::size_t count, Output output, Condition& condition,
                   Projection& projection, const parallel_options& options) {
    filter_steps<Input, Output, Condition, Projection> steps{input, output, condition, projection};
    const std::size_t copied =
        run_chain(home, "weft::parallel_copy_if", count, steps, std::size_t{0}, options);
    return output + static_cast<std::iter_difference_t<Output>>(copied);
}

} // namespace weft::inline v0::detail
