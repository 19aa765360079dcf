// One thread sleeps here until another wakes it.
#pragma once

#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/clock.hpp>
#include <weft/detail/sync/waiting.hpp>

#ifdef WEFT_MODEL
#include <weft/explorer/blocking.hpp>
#endif

#include <cstdint>

namespace weft::inline v0::sync {

/// A token that `unpark` leaves and `park` takes, sleeping until there is one.
///
/// | operation       | caller        | progress                                      |
/// |-----------------|---------------|-----------------------------------------------|
/// | park, park_until| one thread    | blocks until a token is there, or the deadline|
/// | unpark          | any thread    | wait-free; at most one system call            |
///
/// Invariants
///  P1  A token is never lost: after an unpark that came last, the next park returns at once.
///  P2  Tokens do not add up: any number of unparks before a park count as one.
///  P3  What came before an unpark happens before the return of the park that takes its token.
///  P4  park returns only with a token: there are no spurious wake-ups.
///
/// States of the word and what changes them
///   empty  --unpark--> token      nobody sleeps: no system call
///   empty  --park----> asleep     the owner is about to sleep, or does
///   token  --park----> empty      the owner goes on
///   asleep --unpark--> token      and wakes the owner, which makes it empty
///   asleep --deadline> empty      unless a token came in between, which is taken
template <class Waiting>
class basic_parker {
public:
    void park() noexcept {
        if (take_token_or_announce_sleep()) return;
        for (;;) {
            Waiting::wait(word_, asleep);
            if (take_token()) return;
        }
    }

    /// False when the deadline came first; there is no token then.
    bool park_until(clock::time_point deadline) noexcept {
        if (take_token_or_announce_sleep()) return true;
        for (;;) {
            const bool in_time = Waiting::wait(word_, asleep, deadline);
            if (take_token()) return true;
            if (in_time) continue; // P4: a spurious wake-up
            // A token may arrive until the announcement is withdrawn; acquire, pairs with unpark()
            // [PARK-3]
            return word_.exchange(empty, acquire) == token;
        }
    }

    bool park_for(clock::duration timeout) noexcept {
        const auto now = clock::now();
        const bool for_ever = timeout > clock::time_point::max() - now;
        return park_until(for_ever ? clock::time_point::max() : now + timeout);
    }

    void unpark() noexcept {
        // release, pairs with the takers of the token: take_token_or_announce_sleep(),
        // take_token() and park_until() [PARK-4]
        if (word_.exchange(token, release) == asleep) Waiting::wake_one(word_);
    }

private:
    static constexpr std::uint32_t empty = 0;
    static constexpr std::uint32_t token = 1;
    static constexpr std::uint32_t asleep = empty - token; // so that a park is one subtraction

    bool take_token_or_announce_sleep() noexcept {
        // token becomes empty, empty becomes asleep; acquire, pairs with unpark() [PARK-1]
        return word_.fetch_sub(token, acquire) == token;
    }

    bool take_token() noexcept {
        std::uint32_t expected = token;
        // acquire, pairs with unpark() [PARK-2]
        return word_.compare_exchange_strong(expected, empty, acquire, relaxed);
    }

    wait_word word_{empty};
};

#if defined(WEFT_MODEL)
/// The explorer's own parker, whose park and unpark are one step each; `basic_parker` is checked by
/// its own tests.
using parker = explorer::parker;
#else
using parker = basic_parker<futex_waiting>;
#endif

} // namespace weft::inline v0::sync
