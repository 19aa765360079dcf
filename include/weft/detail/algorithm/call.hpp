// One call of a parallel algorithm: its options, its end, and where it runs.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/pool/represented_pool.hpp>
#include <weft/detail/pool/worker.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/fork_join.hpp>
#include <weft/future.hpp>
#include <weft/parallel_options.hpp>
#include <weft/pool.hpp>

#include <cstddef>
#include <new>
#include <optional>
#include <ranges>
#include <stop_token>
#include <type_traits>

namespace weft::inline v0::detail {

/// What all pieces of one call share.
///
/// | operation   | caller    | progress                        |
/// |-------------|-----------|---------------------------------|
/// | should_end  | any piece | wait-free, one load             |
/// | end         | any piece | wait-free, one store            |
///
/// The word is a hint, and relaxed: it makes pieces end early whose results nobody will see. What a
/// piece has done or thrown reaches its caller by the joins of `fork_join`.
class algorithm_call {
public:
    /// `name` is what errors call it. Throws `errc::cancelled` if stop was requested.
    algorithm_call(const char* name, const parallel_options& options)
        : name_{name}, options_{&options} {
        look_at_stop();
    }
    algorithm_call(const algorithm_call&) = delete;
    algorithm_call& operator=(const algorithm_call&) = delete;

    [[nodiscard]] const char* name() const noexcept { return name_; }
    [[nodiscard]] const parallel_options& options() const noexcept { return *options_; }
    [[nodiscard]] bool may_be_stopped() const noexcept { return options_->stop.stop_possible(); }

    /// To be called between elements: whether another piece has failed. Throws `errc::cancelled` if
    /// stop was requested.
    [[nodiscard]] bool should_end() const {
        look_at_stop();
        return ended_.load(sync::relaxed);
    }
    /// A piece has failed: the others need not go on.
    void end() noexcept { ended_.store(true, sync::relaxed); }

    /// Runs `action()`, which does a piece of the call.
    template <class Action>
    void guard(Action action) {
        try {
            action();
        } catch (...) {
            end();
            throw;
        }
    }

private:
    void look_at_stop() const {
        if (options_->stop.stop_requested()) [[unlikely]]
            refuse_cancelled(name_);
    }
    [[noreturn]] WEFT_API static void refuse_cancelled(const char* name);

    const char* name_;
    const parallel_options* options_;
    sync::atomic<bool> ended_{false};
};

/// The named pool, or the one that the thread represents. Throws `errc::outside_pool` if there is
/// none, and `errc::stopped`.
[[nodiscard]] WEFT_API pool* find_outside_pool(pool* named, const char* name);

/// The pool that a call uses from outside, or null if it is made on a worker of the pool.
[[nodiscard]] inline pool* outside_pool(pool* named, worker* caller, const char* name) {
    const bool inside =
        caller != nullptr && (named == nullptr || &named->front() == &caller->pool());
    return inside ? nullptr : find_outside_pool(named, name);
}

/// The number of elements.
template <class Iterator, class Sentinel>
[[nodiscard]] std::size_t count_of(const Iterator& first, const Sentinel& last) {
    return static_cast<std::size_t>(last - first);
}
template <class Range>
[[nodiscard]] std::size_t count_of(Range& range) {
    return static_cast<std::size_t>(std::ranges::size(range));
}

/// Whether a worker has enough stack for `fork_join`, which would throw otherwise.
[[nodiscard]] inline bool can_fork(const worker& self) noexcept {
    constexpr std::size_t calls = 1024; // from here to where fork_join looks at the stack
    return !self.stack_is_low(calls);
}

/// `fork_join` where it is possible: on a worker with enough stack. Elsewhere one after the other.
template <class First, class Second>
void fork_if_possible(First first, Second second) {
    const worker* self = worker::current();
    if (self != nullptr && can_fork(*self)) {
        static_cast<void>(fork_join(first, second));
    } else {
        first();
        second();
    }
}

/// Runs `action()` on a worker of that pool, or here if there is no memory for that and
/// `also_here`.
template <class Action>
void run_on(pool& home, bool also_here, Action action) {
    std::optional<future<void>> handed;
    try {
        handed.emplace(home.submit(action));
    } catch (const std::bad_alloc&) {
        if (!also_here) throw;
    }
    if (handed) {
        handed->get();
        return;
    }
    const pool_representative acting{home.front()};
    action();
}

/// Runs `whole()` as part of the call: at once if the caller is a worker of the pool, else on the
/// caller if that is no worker and it is `short_enough`, or on a worker.
template <class Whole>
void run_whole(algorithm_call& call, pool* named, bool short_enough, Whole whole) {
    pool* outside = outside_pool(named, worker::current(), call.name());
    if (outside == nullptr) return whole();
    const bool starts_here = call.options().starts_here && worker::current() == nullptr;
    if (!starts_here || !short_enough) return run_on(*outside, false, whole);
    const pool_representative acting{outside->front()};
    whole();
}

} // namespace weft::inline v0::detail
