// An operation that a coroutine can wait for, or that a future can stand for.
#pragma once

#include <weft/detail/lockfree/completion_word.hpp>

#include <concepts>

namespace weft::inline v0::detail {

/// An operation that is started once and ends once: by itself, or soon after `cancel`. The sleeps
/// of timers are operations. It stays at its address from `start` until it has ended.
template <class T>
concept operation = requires(T& object, completion_node& end) {
    typename T::result_type;
    /// Begins it. True if it is under way: then `end.notify(end)` is called once, by any thread,
    /// when it has ended; that thread does not access the operation afterwards, and what it calls
    /// runs no user code. False if it has ended already: then `end` is not used. May throw; then it
    /// has not begun.
    { object.start(end) } -> std::same_as<bool>;
    /// Requests that it ends now, as `cancelled`. May be called by any thread after `start` began
    /// and until the thread that waits takes the result, also more than once, and also if it has
    /// ended.
    { object.cancel() } noexcept -> std::same_as<void>;
    /// The result, once it has ended; throws if it failed.
    { object.take() } -> std::same_as<typename T::result_type>;
};

} // namespace weft::inline v0::detail
