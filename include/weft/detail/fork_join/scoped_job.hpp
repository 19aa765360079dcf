// A callable as a scoped child in its worker's deque, and how its result is returned.
#pragma once

#include <weft/detail/pool/worker.hpp>
#include <weft/error.hpp>
#include <weft/nothing.hpp>

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft::inline v0::detail {

template <class Callable>
using result_of = std::invoke_result_t<Callable&>;
template <class Callable>
using outcome_of =
    std::conditional_t<std::is_void_v<result_of<Callable>>, nothing, result_of<Callable>>;

/// Whether an exception of the callable comes from a `fork_join` inside it, which may have
/// suppressed others.
template <class Callable>
concept keeps_suppressed = requires { typename Callable::is_rest_of_fork_join; };

template <class Callable>
[[gnu::always_inline]] inline outcome_of<Callable> call(Callable& callable) {
    if constexpr (std::is_void_v<result_of<Callable>>) {
        std::invoke(callable);
        return {};
    } else {
        return std::invoke(callable);
    }
}

/// Whether a call does not change the callable, judged by its type: its only call operator is
/// const.
template <class Callable>
concept is_called_as_const = std::is_pointer_v<Callable> || (std::is_invocable_v<const Callable&> &&
                                                             requires { &Callable::operator(); });

/// How a `Callable` is described as a scoped child. Small trivial callables that a call does not
/// change are copied into the child, so that the original need not be in memory at all; of others
/// the child has the address.
template <class Callable>
class scoped_job {
    using outcome = outcome_of<Callable>;
    using value = std::remove_reference_t<outcome>;

    template <class T>
    static constexpr bool fits =
        sizeof(T) <= scoped_child::payload_size && alignof(T) <= alignof(std::max_align_t) / 2;
    static constexpr bool copied =
        std::is_trivially_copyable_v<Callable> && fits<Callable> && is_called_as_const<Callable>;
    static constexpr bool by_address = std::is_reference_v<outcome> || !fits<value>;

public:
    [[gnu::always_inline]] static void describe(scoped_child& child, Callable& callable) noexcept {
        if constexpr (copied) ::new (child.payload) Callable(callable);
        else ::new (child.payload) Callable*(&callable);
        child.run = &run;
    }

    // The following functions are called rarely. They use only the child, so that the common path
    // need not keep the callable in memory.

    /// The child was popped and is not private.
    [[gnu::noinline, gnu::cold]] static outcome join_shared(worker& self, scoped_child& child) {
        if (self.scoped.owner_take_back()) return call_described(child);
        self.wait_for_stolen(child);
        self.scoped.owner_forget_stolen(&child);
        return take(self, child);
    }

    /// The parent has thrown: the child is joined all the same.
    [[gnu::noinline, gnu::cold]] static void join_after_failure(worker& self,
                                                                scoped_child& child) noexcept {
        try {
            if (self.scoped.owner_pop(&child)) static_cast<void>(call_described(child));
            else static_cast<void>(join_shared(self, child));
            self.suppressed.clear();
        } catch (...) {
            if constexpr (!keeps_suppressed<Callable>) self.suppressed.clear();
            self.suppress_first(std::current_exception());
        }
    }

private:
    /// The outcome that a thief stores if the callable threw.
    struct failure {
        std::exception_ptr error;
        std::vector<std::exception_ptr> others;
    };
    static_assert(sizeof(failure) <= scoped_child::payload_size);

    /// Copies the callable out of the payload first: the result or the next child will be there.
    static outcome call_described(scoped_child& child) {
        if constexpr (copied) {
            Callable callable = *std::launder(reinterpret_cast<Callable*>(child.payload));
            return call(callable);
        } else {
            return call(**std::launder(reinterpret_cast<Callable**>(child.payload)));
        }
    }

    /// By a thief.
    static void run(scoped_child& child, worker& thief) noexcept {
        try {
            if (thief.stop_requested()) {
                thief.suppressed.clear(); // left by earlier tasks of the thief
                throw error{errc::cancelled, "weft::fork_join"};
            }
            if constexpr (std::is_reference_v<outcome>) {
                auto&& result = call_described(child);
                ::new (child.payload) value*(std::addressof(result));
            } else if constexpr (by_address) {
                ::new (child.payload) value*(new value(call_described(child)));
            } else {
                ::new (child.payload) value(call_described(child));
            }
        } catch (...) {
            // Whether the others count is the owner's decision, by `keeps_suppressed`.
            ::new (child.payload) failure{std::current_exception(), std::move(thief.suppressed)};
            child.failed = true;
        }
    }

    template <class T>
    static T take_payload(scoped_child& child) {
        auto* kept = std::launder(reinterpret_cast<T*>(child.payload));
        struct destroyer {
            T* object;
            ~destroyer() { std::destroy_at(object); }
        } const at_end{kept};
        return std::move(*kept);
    }

    static outcome take(worker& self, scoped_child& child) {
        if (child.failed) {
            auto failed = take_payload<failure>(child);
            self.suppressed = std::move(failed.others);
            std::rethrow_exception(std::move(failed.error));
        }
        if constexpr (std::is_reference_v<outcome>) {
            return static_cast<outcome>(*take_payload<value*>(child));
        } else if constexpr (by_address) {
            const std::unique_ptr<value> kept{take_payload<value*>(child)};
            return std::move(*kept);
        } else {
            return take_payload<value>(child);
        }
    }
};

} // namespace weft::inline v0::detail
