// Atomic objects and fences under the explorer.
//
// `weft::explorer::atomic` has the named operations of `std::atomic`, so that code can be checked by
// naming the one instead of the other. What a load may return is told in docs/explorer.md.
#pragma once

#include <weft/explorer/detail/machine.hpp>

#include <atomic>
#include <concepts>

namespace weft::inline v0::explorer {

/// An atomic object under the explorer, with the operations of `std::atomic`. Each is a step at which
/// another thread may be next; its place in the source is what traces show.
template <class T>
class atomic {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t),
                  "the explorer models atomic objects of at most eight bytes");
    using order = std::memory_order;
    using site = detail::site;

public:
    /// What it holds.
    using value_type = T;
    /// What `fetch_add` adds.
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

    /// Some store that the memory model allows this thread to see.
    T load(order o = order::seq_cst, const site& where = site::current()) const noexcept {
        if (!detail::exploring()) return outside_;
        return detail::from_bits<T>(detail::atomic_load(object_, o, where));
    }

    /// The newest value is `value` from now on.
    void store(T value, order o = order::seq_cst, const site& where = site::current()) noexcept {
        if (!detail::exploring()) outside_ = value;
        else detail::atomic_store(object_, detail::to_bits(value), o, where);
    }

    /// Stores `value` and returns the newest value before.
    T exchange(T value, order o = order::seq_cst, const site& where = site::current()) noexcept {
        return modify("exchange", o, where, [&](T) { return value; });
    }

    /// Stores `desired` if the newest value is `expected`; otherwise `expected` is what was there.
    bool compare_exchange_strong(T& expected, T desired, order success, order failure,
                                 const site& where = site::current()) noexcept {
        return compare_exchange("compare_exchange_strong", expected, desired, success, failure,
                                where);
    }
    /// The same with one order, which a failure has without its release.
    bool compare_exchange_strong(T& expected, T desired, order o = order::seq_cst,
                                 const site& where = site::current()) noexcept {
        return compare_exchange_strong(expected, desired, o, refusal_of(o), where);
    }

    /// May fail though the value is as expected; that costs a stale read.
    bool compare_exchange_weak(T& expected, T desired, order success, order failure,
                               const site& where = site::current()) noexcept {
        return compare_exchange("compare_exchange_weak", expected, desired, success, failure, where,
                                true);
    }
    /// The same with one order, which a failure has without its release.
    bool compare_exchange_weak(T& expected, T desired, order o = order::seq_cst,
                               const site& where = site::current()) noexcept {
        return compare_exchange_weak(expected, desired, o, refusal_of(o), where);
    }

    /// Adds and returns what was there.
    T fetch_add(difference_type delta, order o = order::seq_cst,
                const site& where = site::current()) noexcept {
        return modify("fetch_add", o, where, [&](T old) { return sum(old, delta); });
    }
    /// Subtracts and returns what was there.
    T fetch_sub(difference_type delta, order o = order::seq_cst,
                const site& where = site::current()) noexcept {
        return modify("fetch_sub", o, where, [&](T old) { return difference(old, delta); });
    }
    /// Keeps the bits of `mask` and returns what was there.
    T fetch_and(T mask, order o = order::seq_cst, const site& where = site::current()) noexcept
        requires(std::integral<T> && !std::same_as<T, bool>)
    {
        return modify("fetch_and", o, where, [&](T old) { return static_cast<T>(old & mask); });
    }
    /// Sets the bits of `mask` and returns what was there.
    T fetch_or(T mask, order o = order::seq_cst, const site& where = site::current()) noexcept
        requires(std::integral<T> && !std::same_as<T, bool>)
    {
        return modify("fetch_or", o, where, [&](T old) { return static_cast<T>(old | mask); });
    }
    /// Changes the bits of `mask` and returns what was there.
    T fetch_xor(T mask, order o = order::seq_cst, const site& where = site::current()) noexcept
        requires(std::integral<T> && !std::same_as<T, bool>)
    {
        return modify("fetch_xor", o, where, [&](T old) { return static_cast<T>(old ^ mask); });
    }

    /// Blocks while the value is `old`; like std::atomic, it needs a notification to look again.
    void wait(T old, order o = order::seq_cst, const site& where = site::current()) const noexcept {
        while (load(o, where) == old) {
            detail::futex_wait(object_, detail::to_bits(old), std::nullopt, where);
        }
    }
    /// Wakes one of those who wait.
    void notify_one(const site& where = site::current()) noexcept {
        detail::futex_wake(object_, 1, detail::wake_by::object, where);
    }
    /// Wakes all who wait.
    void notify_all(const site& where = site::current()) noexcept {
        detail::futex_wake(object_, ~0U, detail::wake_by::object, where);
    }

    /// A futex on this object: sleeps once if the newest value is `expected`, until woken or until
    /// the deadline. False when the time is up.
    bool futex_wait(T expected, std::optional<detail::nanoseconds> deadline = std::nullopt,
                    const site& where = site::current()) const noexcept {
        return detail::futex_wait(object_, detail::to_bits(expected), deadline, where);
    }
    /// Wakes so many that sleep in futex_wait. The object may have ended: only its address is used.
    void futex_wake(unsigned count, const site& where = site::current()) noexcept {
        detail::futex_wake(object_, count, detail::wake_by::address, where);
    }

    /// `load()`.
    operator T() const noexcept { return load(); }
    /// `store(value)`.
    T operator=(T value) noexcept { // NOLINT(*-unconventional-assign-operator): as std::atomic's
        store(value);
        return value;
    }

private:
    static constexpr order refusal_of(order success) noexcept {
        if (success == order::acq_rel) return order::acquire;
        return success == order::release ? order::relaxed : success;
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
    T modify(const char* operation, order o, const site& where, Change change) noexcept {
        if (!detail::exploring()) {
            const T old = outside_;
            outside_ = change(old);
            return old;
        }
        const T old = detail::from_bits<T>(detail::rmw_read(object_, where));
        detail::rmw_write(object_, detail::to_bits<T>(change(old)), o, operation, where);
        return old;
    }

    bool compare_exchange(const char* operation, T& expected, T desired, order success,
                          order failure, const site& where, bool weak = false) noexcept {
        const bool exploring = detail::exploring();
        const T old = exploring ? detail::from_bits<T>(detail::rmw_read(object_, where)) : outside_;
        bool equal = detail::to_bits(old) == detail::to_bits(expected);
        if (exploring && equal && weak && detail::weak_exchange_fails()) equal = false;
        if (!exploring) {
            if (equal) outside_ = desired;
        } else if (equal) {
            detail::rmw_write(object_, detail::to_bits(desired), success, operation, where);
        } else {
            detail::rmw_refuse(object_, failure, operation, where);
        }
        expected = old;
        return equal;
    }

    detail::handle object_;
    T outside_; // the value while nothing is explored
};

/// As `std::atomic_thread_fence`.
inline void atomic_thread_fence(std::memory_order order,
                                const detail::site& where = detail::site::current()) noexcept {
    if (detail::exploring()) detail::fence(order, where);
}

} // namespace weft::inline v0::explorer
