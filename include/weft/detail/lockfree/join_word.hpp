// How the owner of a stolen child and its thief agree that the child is done.
#pragma once

#include <weft/detail/sync/atomic.hpp>

#include <cstdint>

namespace weft::inline v0::detail {

/// The state of a child that was shared.
///
/// | operation                           | caller | progress  |
/// |-------------------------------------|--------|-----------|
/// | thief_begin, thief_finish           | thief  | wait-free |
/// | owner_look, owner_help, owner_await | owner  | wait-free |
///
/// States
///   shared --begin--> running --finish--> done
/// and, until it is done, two flags that the owner sets: it helps, it is asleep.
///
/// Invariants
///  J1  thief_finish is the thief's last access: the owner may destroy the word as soon as it is
///      done.
///  J2  What the thief did before thief_finish happens before the owner sees that it is done; what
///      it did before thief_begin, before the owner sees that it is running.
///  J3  If the child was not done when the owner announced its sleep, the owner is woken when it is
///      done, and also when it begins, if it had not begun. A token may be left over; the owner
///      looks again whenever it wakes.
///  J4  If the owner has helped, thief_finish says so.
class join_word {
public:
    enum class state : std::uint8_t { shared, running, done };

    /// True if the caller must wake the owner: it fell asleep before there was a thief to help.
    [[nodiscard]] bool thief_begin() noexcept {
        // release, pairs with owner_look() [JOIN-1]
        return (word_.fetch_or(begun, sync::release) & asleep) != 0;
    }

    struct finished {
        bool wake;   ///< the owner is to be woken
        bool helped; ///< the owner may be about to take something for this child
    };
    /// The word must not be touched any more.
    [[nodiscard]] finished thief_finish() noexcept {
        // release, pairs with owner_look() [JOIN-2]
        const std::uint32_t before = word_.exchange(ended, sync::release);
        return {(before & asleep) != 0, (before & helping) != 0};
    }

    [[nodiscard]] state owner_look() const noexcept {
        // acquire, pairs with thief_begin() and thief_finish() [JOIN-3]
        return state_of(word_.load(sync::acquire));
    }

    /// Called before the owner takes anything from the thief on behalf of the child; returns false
    /// if the child is done.
    [[nodiscard]] bool owner_help() noexcept {
        return state_of(word_.fetch_or(helping, sync::relaxed)) != state::done;
    }

    /// Announces that the owner is about to sleep, and returns the state. If the child is done,
    /// nothing will wake the owner; if it has begun, the owner will be woken when it is done.
    [[nodiscard]] state owner_await() noexcept {
        return state_of(word_.fetch_or(asleep, sync::relaxed));
    }

private:
    static constexpr std::uint32_t begun = 1;
    static constexpr std::uint32_t ended = 2;
    static constexpr std::uint32_t helping = 4;
    static constexpr std::uint32_t asleep = 8;

    static state state_of(std::uint32_t word) noexcept {
        if ((word & ended) != 0) return state::done;
        return (word & begun) != 0 ? state::running : state::shared;
    }

    sync::atomic<std::uint32_t> word_{0};
};

} // namespace weft::inline v0::detail
