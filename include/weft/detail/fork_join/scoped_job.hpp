// A callable in a slot of its worker's deque, and the way of its result back.
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

/// Whether what a callable throws is what a fork_join within it threw, others suppressed.
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

/// Whether a call leaves the callable as it is, as far as its type tells: there is one way to call it,
/// and that is const.
template <class Callable>
concept is_called_as_const = std::is_pointer_v<Callable> || (std::is_invocable_v<const Callable&> &&
                                                             requires { &Callable::operator(); });

/// How a `Callable` is described in a slot. Small trivial ones that a call does not change are copied
/// into it, so that the original need not be in memory at all; of others the slot has the address.
template <class Callable>
class scoped_job {
    using outcome = outcome_of<Callable>;
    using value = std::remove_reference_t<outcome>;

    template <class T>
    static constexpr bool fits =
        sizeof(T) <= scoped_slot::payload_size && alignof(T) <= alignof(std::max_align_t) / 2;
    static constexpr bool copied =
        std::is_trivially_copyable_v<Callable> && fits<Callable> && is_called_as_const<Callable>;
    static constexpr bool by_address = std::is_reference_v<outcome> || !fits<value>;

public:
    [[gnu::always_inline]] static void describe(scoped_slot& slot, Callable& callable) noexcept {
        if constexpr (copied) ::new (slot.payload) Callable(callable);
        else ::new (slot.payload) Callable*(&callable);
        slot.run = &run;
    }

    // What follows is rare. It works with what the slot has, so that the common path need not keep
    // the callable in memory.

    /// The child was popped and is not private.
    [[gnu::noinline, gnu::cold]] static outcome join_shared(worker& here, scoped_slot& slot) {
        if (here.scoped.owner_take_back()) return call_described(slot);
        here.wait_for_stolen(slot);
        here.scoped.owner_forget_stolen(&slot);
        return take(here, slot);
    }

    /// The parent has thrown: the child is joined all the same.
    [[gnu::noinline, gnu::cold]] static void join_after_failure(worker& here,
                                                                scoped_slot& slot) noexcept {
        try {
            if (here.scoped.owner_pop(&slot)) static_cast<void>(call_described(slot));
            else static_cast<void>(join_shared(here, slot));
            here.suppressed.clear();
        } catch (...) {
            if constexpr (!keeps_suppressed<Callable>) here.suppressed.clear();
            here.suppress_first(std::current_exception());
        }
    }

private:
    /// What a thief leaves if the callable threw.
    struct failure {
        std::exception_ptr error;
        std::vector<std::exception_ptr> others;
    };
    static_assert(sizeof(failure) <= scoped_slot::payload_size);

    /// Out of the slot first: there the result will be, or the next child.
    static outcome call_described(scoped_slot& slot) {
        if constexpr (copied) {
            Callable callable = *std::launder(reinterpret_cast<Callable*>(slot.payload));
            return call(callable);
        } else {
            return call(**std::launder(reinterpret_cast<Callable**>(slot.payload)));
        }
    }

    /// By a thief.
    static void run(scoped_slot& slot, worker& here) noexcept {
        try {
            if (here.stop_requested()) throw error{errc::cancelled, "weft::fork_join"};
            if constexpr (std::is_reference_v<outcome>) {
                auto&& result = call_described(slot);
                ::new (slot.payload) value*(std::addressof(result));
            } else if constexpr (by_address) {
                ::new (slot.payload) value*(new value(call_described(slot)));
            } else {
                ::new (slot.payload) value(call_described(slot));
            }
        } catch (...) {
            if constexpr (!keeps_suppressed<Callable>) here.suppressed.clear();
            ::new (slot.payload) failure{std::current_exception(), std::move(here.suppressed)};
            slot.failed = true;
        }
    }

    template <class T>
    static T take_payload(scoped_slot& slot) {
        auto* kept = std::launder(reinterpret_cast<T*>(slot.payload));
        struct destroyer {
            T* object;
            ~destroyer() { std::destroy_at(object); }
        } const at_end{kept};
        return std::move(*kept);
    }

    static outcome take(worker& here, scoped_slot& slot) {
        if (slot.failed) {
            auto failed = take_payload<failure>(slot);
            here.suppressed = std::move(failed.others);
            std::rethrow_exception(std::move(failed.error));
        }
        if constexpr (std::is_reference_v<outcome>) {
            return static_cast<outcome>(*take_payload<value*>(slot));
        } else if constexpr (by_address) {
            const std::unique_ptr<value> kept{take_payload<value*>(slot)};
            return std::move(*kept);
        } else {
            return take_payload<value>(slot);
        }
    }
};

} // namespace weft::inline v0::detail
