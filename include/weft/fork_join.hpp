// Fork and join: several callables as one computation.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/fork_join/scoped_job.hpp>
#include <weft/error.hpp>
#include <weft/nothing.hpp>

#include <exception>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft::inline v0 {

namespace detail {

/// Calls `run(data)` on a worker of the pool that the calling thread represents. Throws
/// `outside_pool` if there is none.
WEFT_API void run_for_represented(void (*run)(void* data), void* data);

template <class First, class Second>
auto fork_outside(First& first, Second& second)
    -> std::tuple<outcome_of<First>, outcome_of<Second>>;

/// Runs the first of two callables. Meanwhile other workers may steal the second; if none does, the
/// calling worker runs it too. Unless a worker is hungry this costs a few move instructions and no
/// atomic operation.
template <class First, class Second>
[[gnu::always_inline]] inline auto fork_two(First& first, Second& second)
    -> std::tuple<outcome_of<First>, outcome_of<Second>> {
    using job = scoped_job<Second>;
    const sync::stack_mark mark;
    worker* self = worker::current();
    if (self == nullptr) [[unlikely]]
        return fork_outside(first, second);
    scoped_child* child = self->scoped.owner_next();
    job::describe(*child, second);
    self->scoped.owner_push(child);
    if (self->is_alarmed()) [[unlikely]]
        self->answer_alarm(child);

    const auto run_first = [&]() -> outcome_of<First> {
        try {
            return call(first);
        } catch (...) {
            job::join_after_failure(*self, *child);
            throw;
        }
    };
    const auto run_second = [&]() -> outcome_of<Second> {
        try {
            if (self->scoped.owner_pop(child)) [[likely]]
                return call(second);
            return job::join_shared(*self, *child);
        } catch (...) {
            if constexpr (!keeps_suppressed<Second>) self->suppressed.clear();
            throw;
        }
    };
    return {run_first(), run_second()}; // in this order
}

/// The same on a thread that is no worker.
template <class First, class Second>
[[gnu::noinline, gnu::cold]] auto fork_outside(First& first, Second& second)
    -> std::tuple<outcome_of<First>, outcome_of<Second>> {
    std::optional<std::tuple<outcome_of<First>, outcome_of<Second>>> results;
    auto run = [&] { results.emplace(fork_two(first, second)); };
    run_for_represented([](void* data) { (*static_cast<decltype(run)*>(data))(); }, &run);
    return std::move(*results);
}

/// All but the first of several callables, as one.
template <class Run>
struct rest_of_fork_join : Run {
    using is_rest_of_fork_join = void;
    explicit rest_of_fork_join(Run run) : Run(run) {}
};

} // namespace detail

/// Runs the callables, possibly in parallel, and returns their results in a tuple (`nothing` for
/// void; references stay references). Must be called on a worker of a pool, or in the body of a
/// parallel algorithm, else it throws `errc::outside_pool`.
///
/// All callables run, and all have ended when this returns or throws. It throws the first exception
/// in argument order; the others are in `suppressed_exceptions()`. If too little stack is left it
/// throws `errc::stack_exhausted` and runs none of them; of three or more callables, those that
/// have begun by then end, and the others are not run.
///
/// A small, trivial callable whose only call operator is const may be copied for a thief: changes
/// to its `mutable` members are lost with the copy.
template <class First, class Second, class... More>
[[gnu::always_inline]] inline auto fork_join(First&& first, Second&& second, More&&... more) {
    if constexpr (std::is_function_v<std::remove_reference_t<First>>) {
        return fork_join(&first, second, more...);
    } else if constexpr (std::is_function_v<std::remove_reference_t<Second>>) {
        return fork_join(first, &second, more...);
    } else if constexpr (sizeof...(More) == 0) {
        return detail::fork_two(first, second);
    } else {
        detail::rest_of_fork_join rest{[&] { return fork_join(second, more...); }};
        auto both = detail::fork_two(first, rest);
        using head = std::tuple<std::tuple_element_t<0, decltype(both)>>;
        // NOLINTNEXTLINE(bugprone-use-after-move): each call moves another element
        return std::tuple_cat(head{std::get<0>(std::move(both))}, std::get<1>(std::move(both)));
    }
}

/// All exceptions but the first of the last `fork_join` on this worker that threw; empty on other
/// threads.
[[nodiscard]] WEFT_API std::vector<std::exception_ptr> suppressed_exceptions();

} // namespace weft::inline v0
