// Mutexes and parking under the explorer, and the time that timed waits see.
#pragma once

#include <weft/explorer/detail/machine.hpp>

#include <chrono>

namespace weft::explorer {

/// Time that passes only when a timed wait runs out; then it is that wait's deadline.
struct clock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<clock>;
    static constexpr bool is_steady = true;

    static time_point now() noexcept {
        return time_point{duration{detail::exploring() ? detail::virtual_time() : 0}};
    }
};

/// A mutex. Locking it twice in one thread is a deadlock, unlocking another thread's a misuse.
class mutex {
    using site = detail::site;

public:
    mutex() noexcept : object_{detail::mutex_born(this)} {}
    ~mutex() { detail::mutex_died(object_); }
    mutex(const mutex&) = delete;
    mutex& operator=(const mutex&) = delete;

    void lock(const site& where = site::current()) noexcept {
        if (detail::exploring()) detail::mutex_lock(object_, where);
    }
    bool try_lock(const site& where = site::current()) noexcept {
        return !detail::exploring() || detail::mutex_try_lock(object_, where);
    }
    void unlock(const site& where = site::current()) noexcept {
        if (detail::exploring()) detail::mutex_unlock(object_, where);
    }

private:
    detail::handle object_;
};

/// One token that `unpark` leaves and `park` takes, waiting for it if need be. What came before the
/// unpark happens before the return of the park that takes its token.
class parker {
    using site = detail::site;

public:
    parker() noexcept : object_{detail::parker_born(this)} {}
    ~parker() { detail::parker_died(object_); }
    parker(const parker&) = delete;
    parker& operator=(const parker&) = delete;

    void park(const site& where = site::current()) noexcept {
        detail::parker_park(object_, std::nullopt, where);
    }
    /// False when the deadline came first; the explorer tries both.
    bool park_until(clock::time_point deadline, const site& where = site::current()) noexcept {
        return detail::parker_park(object_, deadline.time_since_epoch().count(), where);
    }
    bool park_for(clock::duration patience, const site& where = site::current()) noexcept {
        const auto now = clock::now();
        const bool for_ever = patience > clock::time_point::max() - now;
        return park_until(for_ever ? clock::time_point::max() : now + patience, where);
    }
    void unpark(const site& where = site::current()) noexcept {
        detail::parker_unpark(object_, where);
    }

private:
    detail::handle object_;
};

} // namespace weft::explorer
