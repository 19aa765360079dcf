// Fork and join: several callables as one computation.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/fork_join/scoped_job.hpp>
#include <weft/error.hpp>
#include <weft/nothing.hpp>

#include <exception>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft::inline v0 {

namespace detail {

[[noreturn]] WEFT_API void fork_join_outside();

/// The first of two runs on the caller; the second is offered to thieves meanwhile, and runs on the caller too if
/// none has taken it. Unless a thief has asked for children this costs a few moves and no atomic operation.
template <class First, class Second>
[[gnu::always_inline]] inline auto fork_two(First& first, Second& second)
    -> std::tuple<outcome_of<First>, outcome_of<Second>> {
    using job = scoped_job<Second>;
    const sync::stack_mark mark;
    worker* self = worker::current();
    if (self == nullptr) [[unlikely]]
        fork_join_outside();
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

/// All but the first of several callables, as one.
template <class Run>
struct rest_of_fork_join : Run {
    using is_rest_of_fork_join = void;
    explicit rest_of_fork_join(Run run) : Run(run) {}
};

} // namespace detail

/// Runs the callables, possibly at the same time, and returns their results in a tuple (`nothing` for
/// void, references as they are). Must be called on a worker of a pool: `errc::outside_pool`.
///
/// All of them run, and all have ended when this returns or throws. It throws what the first of them
/// in argument order threw; what others threw is in `suppressed_exceptions()`. If too little stack is
/// left it throws `errc::stack_exhausted` and runs none of them; of three or more, those that have
/// begun by then end, and the others are not run.
///
/// Small callables without state that a call changes are copied for a thief: those that are trivial
/// and have one call operator, which is const. Members that are `mutable` are lost with the copy.
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

/// What further callables threw in the last fork_join on this worker that threw; empty elsewhere.
[[nodiscard]] WEFT_API std::vector<std::exception_ptr> suppressed_exceptions();

} // namespace weft::inline v0
