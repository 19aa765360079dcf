// Atomic objects and fences under the explorer.
//
// `weft::explorer::atomic` has the named operations of `std::atomic`, so that code can be checked
// by using this type instead. docs/explorer.md says what a load may return.
#pragma once

#include <weft/explorer/detail/machine.hpp>

#include <atomic>
#include <concepts>

namespace weft::inline v0::explorer {

/// An atomic object under the explorer, with the operations of `std::atomic`. Another thread may
/// run before each of them. Traces show the source line of the call.
template <class T>
class atomic {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t),
                  "the explorer models atomic objects of at most eight bytes");
    using memory_order = std::memory_order;
    using site = detail::site;

public:
    /// The type of the value.
    using value_type = T;
    /// The type of the operand of `fetch_add`.
    using difference_type = std::conditional_t<std::is_pointer_v<T>, std::ptrdiff_t, T>;

    /// Holds `T{}`.
    atomic() noexcept : atomic(T{}) {}
    /// Holds `value`.
    explicit(false) atomic(T value) noexcept
        : object_{detail::atomic_born(this, sizeof *this, detail::to_bits(value),
                                      detail::kind_of<T>())},
          outside_{value} {}
    ~atomic() { detail::atomic_died(object_); }
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;

    /// The name under which traces show this object: a literal.
    void label(const char* name) noexcept { detail::atomic_label(object_, name); }

    /// Returns the value of any store that the memory model allows this thread to see.
    T load(memory_order order = memory_order::seq_cst,
           const site& place = site::current()) const noexcept {
        if (!detail::exploring()) return outside_;
        return detail::from_bits<T>(detail::atomic_load(object_, order, place));
    }

    /// Stores `value`.
    void store(T value, memory_order order = memory_order::seq_cst,
               const site& place = site::current()) noexcept {
        if (!detail::exploring()) outside_ = value;
        else detail::atomic_store(object_, detail::to_bits(value), order, place);
    }

    /// Stores `value` and returns the previous value.
    T exchange(T value, memory_order order = memory_order::seq_cst,
               const site& place = site::current()) noexcept {
        return modify("exchange", order, place, [&](T) { return value; });
    }

    /// Stores `desired` if the newest value is `expected`; otherwise `expected` becomes the newest
    /// value.
    bool compare_exchange_strong(T& expected, T desired, memory_order success, memory_order failure,
                                 const site& place = site::current()) noexcept {
        return compare_exchange("compare_exchange_strong", expected, desired, success, failure,
                                place);
    }
    /// The same with one order; a failure has that order without its release.
    bool compare_exchange_strong(T& expected, T desired, memory_order order = memory_order::seq_cst,
                                 const site& place = site::current()) noexcept {
        return compare_exchange_strong(expected, desired, order, failure_order(order), place);
    }

    /// May also fail although the value is as expected; that counts as a stale read.
    bool compare_exchange_weak(T& expected, T desired, memory_order success, memory_order failure,
                               const site& place = site::current()) noexcept {
        return compare_exchange("compare_exchange_weak", expected, desired, success, failure, place,
                                true);
    }
    /// The same with one order; a failure has that order without its release.
    bool compare_exchange_weak(T& expected, T desired, memory_order order = memory_order::seq_cst,
                               const site& place = site::current()) noexcept {
        return compare_exchange_weak(expected, desired, order, failure_order(order), place);
    }

    /// Adds and returns the previous value.
    T fetch_add(difference_type delta, memory_order order = memory_order::seq_cst,
                const site& place = site::current()) noexcept {
        return modify("fetch_add", order, place, [&](T old) { return sum(old, delta); });
    }
    /// Subtracts and returns the previous value.
    T fetch_sub(difference_type delta, memory_order order = memory_order::seq_cst,
                const site& place = site::current()) noexcept {
        return modify("fetch_sub", order, place, [&](T old) { return difference(old, delta); });
    }
    /// Keeps the bits of `mask` and returns the previous value.
    T fetch_and(T mask, memory_order order = memory_order::seq_cst,
                const site& place = site::current()) noexcept
        requires(std::integral<T> && !std::same_as<T, bool>)
    {
        return modify("fetch_and", order, place, [&](T old) { return static_cast<T>(old & mask); });
    }
    /// Sets the bits of `mask` and returns the previous value.
    T fetch_or(T mask, memory_order order = memory_order::seq_cst,
               const site& place = site::current()) noexcept
        requires(std::integral<T> && !std::same_as<T, bool>)
    {
        return modify("fetch_or", order, place, [&](T old) { return static_cast<T>(old | mask); });
    }
    /// Inverts the bits of `mask` and returns the previous value.
    T fetch_xor(T mask, memory_order order = memory_order::seq_cst,
                const site& place = site::current()) noexcept
        requires(std::integral<T> && !std::same_as<T, bool>)
    {
        return modify("fetch_xor", order, place, [&](T old) { return static_cast<T>(old ^ mask); });
    }

    /// Blocks while the value is `old`. As with std::atomic, it checks the value again only when it
    /// is notified.
    void wait(T old, memory_order order = memory_order::seq_cst,
              const site& place = site::current()) const noexcept {
        while (load(order, place) == old) {
            detail::futex_wait(object_, detail::to_bits(old), std::nullopt, place);
        }
    }
    /// Wakes one waiting thread.
    void notify_one(const site& place = site::current()) noexcept {
        detail::futex_wake(object_, 1, detail::wake_by::object, place);
    }
    /// Wakes all waiting threads.
    void notify_all(const site& place = site::current()) noexcept {
        detail::futex_wake(object_, ~0U, detail::wake_by::object, place);
    }

    /// A futex on this object: sleeps once if the newest value is `expected`, until woken or until
    /// the deadline. Returns false after the deadline.
    bool futex_wait(T expected, std::optional<detail::nanoseconds> deadline = std::nullopt,
                    const site& place = site::current()) const noexcept {
        return detail::futex_wait(object_, detail::to_bits(expected), deadline, place);
    }
    /// Wakes up to `count` threads that sleep in futex_wait. The object may have been destroyed:
    /// only its address is used.
    void futex_wake(unsigned count, const site& place = site::current()) noexcept {
        detail::futex_wake(object_, count, detail::wake_by::address, place);
    }

    /// `load()`.
    operator T() const noexcept { return load(); }
    /// `store(value)`.
    T operator=(T value) noexcept { // NOLINT(*-unconventional-assign-operator): as std::atomic's
        store(value);
        return value;
    }

private:
    static constexpr memory_order failure_order(memory_order success) noexcept {
        if (success == memory_order::acq_rel) return memory_order::acquire;
        return success == memory_order::release ? memory_order::relaxed : success;
    }

    // Integers wrap around, as those of std::atomic do.
    static T sum(T old, difference_type delta) noexcept {
        if constexpr (std::is_integral_v<T>) {
            return static_cast<T>(static_cast<std::uint64_t>(old) +
                                  static_cast<std::uint64_t>(delta));
        } else {
            return old + delta;
        }
    }
    static T difference(T old, difference_type delta) noexcept {
        if constexpr (std::is_integral_v<T>) {
            return static_cast<T>(static_cast<std::uint64_t>(old) -
                                  static_cast<std::uint64_t>(delta));
        } else {
            return old - delta;
        }
    }

    template <class Change>
    T modify(const char* operation, memory_order order, const site& place, Change change) noexcept {
        if (!detail::exploring()) {
            const T old = outside_;
            outside_ = change(old);
            return old;
        }
        const T old = detail::from_bits<T>(detail::rmw_read(object_, place));
        detail::rmw_write(object_, detail::to_bits<T>(change(old)), order, operation, place);
        return old;
    }

    bool compare_exchange(const char* operation, T& expected, T desired, memory_order success,
                          memory_order failure, const site& place, bool weak = false) noexcept {
        const bool exploring = detail::exploring();
        const T old = exploring ? detail::from_bits<T>(detail::rmw_read(object_, place)) : outside_;
        bool equal = detail::to_bits(old) == detail::to_bits(expected);
        if (exploring && equal && weak && detail::weak_exchange_fails()) equal = false;
        if (!exploring) {
            if (equal) outside_ = desired;
        } else if (equal) {
            detail::rmw_write(object_, detail::to_bits(desired), success, operation, place);
        } else {
            detail::rmw_fail(object_, failure, operation, place);
        }
        expected = old;
        return equal;
    }

    detail::handle object_;
    T outside_; // the value while nothing is explored
};

/// As `std::atomic_thread_fence`.
inline void atomic_thread_fence(std::memory_order order,
                                const detail::site& place = detail::site::current()) noexcept {
    if (detail::exploring()) detail::fence(order, place);
}

} // namespace weft::inline v0::explorer
