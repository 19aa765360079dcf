// How the owner of a stolen child and its thief agree that the child is done.
#pragma once

#include "sync/atomic.hpp"

#include <cstdint>

namespace weft::detail {

/// The state of a child that was shared.
///
/// | operation      | who   | progress  |
/// |----------------|-------|-----------|
/// | begin, finish  | thief | wait-free |
/// | done, await    | owner | wait-free |
///
/// States
///   shared --begin--> running --finish--> done
///   shared or running --await--> awaited --finish--> done, and the thief wakes the owner
///
/// Invariants
///  J1  finish is the thief's last access: the owner may end the word as soon as it is done.
///  J2  What the thief did before finish happens before the owner sees that it is done; what it did
///      before begin, before the owner sees that it is running.
///  J3  The owner is woken once if its await succeeded, otherwise not at all.
class join_word {
public:
    enum class state : std::uint32_t { shared, running, awaited, done };

    void thief_begin() noexcept {
        state expected = state::shared; // if it is awaited already, it stays so
        // release, pairs with look() [JOIN-1]
        word_.compare_exchange_strong(expected, state::running, sync::release, sync::relaxed);
    }

    /// True if the owner is to be woken; the word must not be touched any more.
    [[nodiscard]] bool thief_finish() noexcept {
        // release, pairs with look() [JOIN-2]
        return word_.exchange(state::done, sync::release) == state::awaited;
    }

    [[nodiscard]] state owner_look() const noexcept {
        return word_.load(sync::acquire); // pairs with begin and finish [JOIN-3]
    }

    /// True if the owner may sleep until it is woken, false if the child is done: look() then.
    [[nodiscard]] bool owner_await() noexcept {
        state now = word_.load(sync::relaxed);
        while (now != state::done) {
            if (word_.compare_exchange_weak(now, state::awaited, sync::relaxed, sync::relaxed)) {
                return true;
            }
        }
        return false;
    }

private:
    sync::atomic<state> word_{state::shared};
};

} // namespace weft::detail
