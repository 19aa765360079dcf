// Mutexes, parkers and the clock of timed waits under the explorer.
#pragma once

#include <weft/explorer/detail/machine.hpp>

#include <chrono>

namespace weft::inline v0::explorer {

/// Time that passes only when a timed wait times out: it becomes that wait's deadline.
struct clock {
    /// Nanoseconds.
    using duration = std::chrono::nanoseconds;
    /// The representation of `duration`.
    using rep = duration::rep;
    /// The period of `duration`.
    using period = duration::period;
    /// A point in time of this clock.
    using time_point = std::chrono::time_point<clock>;
    /// It never goes backwards.
    static constexpr bool is_steady = true;

    /// The latest deadline that has passed; zero at first, and outside a scenario.
    static time_point now() noexcept {
        return time_point{duration{detail::exploring() ? detail::virtual_time() : 0}};
    }
};

/// A mutex. Locking it twice on one thread is a deadlock; unlocking it on a thread that does not
/// hold it is a misuse.
class mutex {
    using site = detail::site;

public:
    /// Unlocked.
    mutex() noexcept : object_{detail::mutex_born(this)} {}
    ~mutex() { detail::mutex_died(object_); }
    mutex(const mutex&) = delete;
    mutex& operator=(const mutex&) = delete;

    /// Waits until it is unlocked.
    void lock(const site& place = site::current()) noexcept {
        if (detail::exploring()) detail::mutex_lock(object_, place);
    }
    /// Returns false if a thread holds it.
    bool try_lock(const site& place = site::current()) noexcept {
        return !detail::exploring() || detail::mutex_try_lock(object_, place);
    }
    /// Must be called by the thread that holds it.
    void unlock(const site& place = site::current()) noexcept {
        if (detail::exploring()) detail::mutex_unlock(object_, place);
    }

private:
    detail::handle object_;
};

/// One token that `unpark` leaves and `park` takes, waiting for it if necessary. An unpark happens
/// before the return of the park that takes its token.
class parker {
    using site = detail::site;

public:
    /// Without a token.
    parker() noexcept : object_{detail::parker_born(this)} {}
    ~parker() { detail::parker_died(object_); }
    parker(const parker&) = delete;
    parker& operator=(const parker&) = delete;

    /// Takes the token, waiting for it.
    void park(const site& place = site::current()) noexcept {
        detail::parker_park(object_, std::nullopt, place);
    }
    /// Returns false if the deadline came first; the explorer tries both.
    bool park_until(clock::time_point deadline, const site& place = site::current()) noexcept {
        return detail::parker_park(object_, deadline.time_since_epoch().count(), place);
    }
    /// The same with a duration from now.
    bool park_for(clock::duration timeout, const site& place = site::current()) noexcept {
        const auto now = clock::now();
        const bool for_ever = timeout > clock::time_point::max() - now;
        return park_until(for_ever ? clock::time_point::max() : now + timeout, place);
    }
    /// Leaves the token, if there is none.
    void unpark(const site& place = site::current()) noexcept {
        detail::parker_unpark(object_, place);
    }

private:
    detail::handle object_;
};

} // namespace weft::inline v0::explorer
