// A section that one thread at a time is in, and that no thread waits for.
#pragma once

#include <weft/detail/sync/atomic.hpp>

#include <cstdint>

namespace weft::inline v0::detail {

/// A section that no thread waits for: a thread that finds it occupied goes away, or leaves a
/// request, which the thread inside sees before it leaves.
///
/// | operation       | caller            | progress  |
/// |-----------------|-------------------|-----------|
/// | try_enter       | any thread        | lock-free |
/// | enter_or_ask    | any thread        | lock-free |
/// | leave           | the thread inside | lock-free |
///
/// Invariants
///  SS1  At most one thread is inside.
///  SS2  After an `enter_or_ask` that returned false, the thread that is inside at that moment does
///       not get out before its `leave` has returned false once: it looks again at what was asked.
///  SS3  What a thread did inside, or before it asked, happens before what the next one does that
///       enters or looks again.
///
/// States
///   free     --enter--> occupied
///   occupied --ask----> asked
///   occupied --leave--> free      leave returns true
///   asked    --leave--> occupied  leave returns false, and the thread is still inside
class serial_section {
public:
    /// True if the caller is inside now.
    [[nodiscard]] bool try_enter() noexcept {
        std::uint32_t expected = vacant;
        // acquire, pairs with leave() [SECTION-1]
        return word_.compare_exchange_strong(expected, occupied, sync::acquire, sync::relaxed);
    }
    /// The same; if it is false, the thread inside looks again (SS2).
    [[nodiscard]] bool enter_or_ask() noexcept {
        std::uint32_t now = word_.load(sync::relaxed);
        for (;;) {
            const std::uint32_t next = now == vacant ? occupied : asked;
            // acquire, pairs with leave(); release, pairs with leave() of the thread inside
            // [SECTION-2]
            if (word_.compare_exchange_weak(now, next, sync::acq_rel, sync::relaxed)) {
                return now == vacant;
            }
        }
    }
    /// False if another thread has asked meanwhile: then the caller is still inside.
    [[nodiscard]] bool leave() noexcept {
        std::uint32_t expected = occupied;
        // release, pairs with try_enter() and enter_or_ask() [SECTION-3]
        if (word_.compare_exchange_strong(expected, vacant, sync::release, sync::relaxed)) {
            return true;
        }
        // acquire, pairs with enter_or_ask(): what came before it asked [SECTION-4]
        static_cast<void>(word_.exchange(occupied, sync::acquire));
        return false;
    }
    /// Whether a thread is inside; an estimate.
    [[nodiscard]] bool is_occupied() const noexcept { return word_.load(sync::relaxed) != vacant; }

private:
    static constexpr std::uint32_t vacant = 0;
    static constexpr std::uint32_t occupied = 1;
    static constexpr std::uint32_t asked = 2;
    sync::atomic<std::uint32_t> word_{vacant};
};

} // namespace weft::inline v0::detail
