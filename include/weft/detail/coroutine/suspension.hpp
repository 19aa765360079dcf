// One wait of a coroutine: which thread resumes it, and which one frees what the wait shares.
#pragma once

#include <weft/detail/sync/atomic.hpp>

#include <cstdint>

namespace weft::inline v0::detail {

/// A coroutine that is about to suspend meets the end of what it waits for, and possibly a request
/// to stop waiting. Each of the three comes once at most, on any thread, in any order.
///
/// | operation            | caller                                              | progress  |
/// |----------------------|-----------------------------------------------------|-----------|
/// | try_suspend          | the coroutine's thread, once                        | wait-free |
/// | end                  | the thread on which what it waits for ends, once    | wait-free |
/// | stop                 | a thread that stops the wait, once                  | lock-free |
/// | stopped              | the waiting side, after the wait; any before `end`  | wait-free |
/// | end_lets_go          | the caller of `end`, once, if the wait was stopped  | wait-free |
/// | waiter_lets_go       | the coroutine after a wait that was stopped, once   | wait-free |
///
/// Invariants
///  CW1  The wait is over once: by the first of `end` and `stop`. A `stop` after `end` does
///  nothing,
///       and an `end` after `stop` only learns that nobody waits.
///  CW2  The coroutine goes on once: in place if `try_suspend` fails, since the wait was over;
///       otherwise it is resumed by the thread that ended it, which came after `try_suspend`.
///  CW3  What came before `try_suspend` happens before the resumption, and what came before `end`
///       happens before the coroutine goes on.
///  CW4  After `try_suspend` has returned true, its caller touches nothing of the coroutine. After
///       `end` or `stop` the caller touches nothing of the wait, unless it is to resume, or the
///       wait was stopped before its end.
///  CW5  A wait that was stopped is used by both sides until each lets go; the last one frees it.
class suspension {
public:
    /// True if the coroutine is suspended now; false if the wait is over already.
    [[nodiscard]] bool try_suspend() noexcept {
        // CW3: release, pairs with end() and stop(), which resume; acquire, pairs with end(): its
        // outcome [CORO-1]
        return (word_.fetch_or(suspended_bit, sync::acq_rel) & (ended_bit | stopped_bit)) == 0;
    }

    enum class verdict : std::uint8_t {
        resume,  ///< the caller resumes the coroutine
        nothing, ///< the coroutine has not suspended yet, and will see it
        unwanted ///< the wait was stopped
    };
    /// What the coroutine waits for has ended.
    [[nodiscard]] verdict end() noexcept {
        // CW3: release, pairs with try_suspend() that fails; acquire, pairs with try_suspend() that
        // has succeeded [CORO-2]
        const std::uint32_t before = word_.fetch_or(ended_bit, sync::acq_rel);
        if ((before & stopped_bit) != 0) return verdict::unwanted;
        return (before & suspended_bit) != 0 ? verdict::resume : verdict::nothing;
    }
    /// Stops the wait if it is not over. True if the caller resumes the coroutine.
    [[nodiscard]] bool stop() noexcept {
        std::uint32_t now = word_.load(sync::relaxed);
        do {
            if ((now & ended_bit) != 0) return false;
            // acquire, pairs with try_suspend() that has succeeded [CORO-3]
        } while (
            !word_.compare_exchange_weak(now, now | stopped_bit, sync::acquire, sync::relaxed));
        return (now & suspended_bit) != 0;
    }
    /// Whether the wait was stopped before its end. Once true, it stays true; once it has ended, it
    /// stays false.
    [[nodiscard]] bool stopped() const noexcept {
        return (word_.load(sync::relaxed) & stopped_bit) != 0;
    }

    /// True if the caller is to free what the wait shares.
    [[nodiscard]] bool end_lets_go() noexcept { return lets_go(end_gone_bit, waiter_gone_bit); }
    [[nodiscard]] bool waiter_lets_go() noexcept { return lets_go(waiter_gone_bit, end_gone_bit); }

private:
    static constexpr std::uint32_t suspended_bit = 1;
    static constexpr std::uint32_t ended_bit = 2;
    static constexpr std::uint32_t stopped_bit = 4;
    static constexpr std::uint32_t end_gone_bit = 8;
    static constexpr std::uint32_t waiter_gone_bit = 16;

    bool lets_go(std::uint32_t own, std::uint32_t other) noexcept {
        // CW5: release for the use that ends here, acquire for the last to free it [CORO-4]
        return (word_.fetch_or(own, sync::acq_rel) & other) != 0;
    }

    sync::atomic<std::uint32_t> word_{0};
};

} // namespace weft::inline v0::detail
