// Decides between the next run of a callable and its cancellation.
#pragma once

#include <weft/detail/sync/atomic.hpp>

#include <cstdint>

namespace weft::inline v0::detail {

/// Runs come one after the other; one thread at a time begins and ends them.
///
/// | operation  | called by                   | progress  |
/// |------------|-----------------------------|-----------|
/// | try_begin  | the thread of the next run  | wait-free |
/// | try_end    | the thread of this run      | wait-free |
/// | try_cancel | any thread                  | wait-free |
///
/// Invariants
///  RG1  After try_cancel has returned true, and before, no run is under way that has begun and not
///       ended: the callable belongs to the canceller.
///  RG2  After a try_cancel has returned false because a run was under way, that run is the last:
///       its try_end returns false.
///  RG3  What came before a try_end that returned true happens before a try_cancel that returns
///       true later.
class run_gate {
public:
    /// False if it was cancelled.
    [[nodiscard]] bool try_begin() noexcept {
        return (word_.fetch_or(running, sync::relaxed) & cancelled) == 0;
    }
    /// False if it was cancelled meanwhile; then no other thread is about to use the callable.
    [[nodiscard]] bool try_end() noexcept {
        // RG3: release, pairs with try_cancel() [GATE-1]
        return (word_.fetch_and(~running, sync::release) & cancelled) == 0;
    }
    /// True for one caller at most.
    [[nodiscard]] bool try_cancel() noexcept {
        // RG3: acquire, pairs with try_end() [GATE-2]
        return word_.fetch_or(cancelled, sync::acquire) == 0;
    }

private:
    static constexpr std::uint32_t running = 1;
    static constexpr std::uint32_t cancelled = 2;

    sync::atomic<std::uint32_t> word_{0};
};

} // namespace weft::inline v0::detail
