// The intake through which work comes in from outside, and its closing.
#pragma once

#include <weft/detail/sync/atomic.hpp>

#include <cstdint>

namespace weft::inline v0::detail {

/// Counts the threads inside; once closed, none gets in.
///
/// | operation     | caller              | progress  |
/// |---------------|---------------------|-----------|
/// | try_enter     | any                 | lock-free |
/// | leave         | a thread inside     | wait-free |
/// | close         | any, also again     | wait-free |
/// | closed, quiet | any                 | wait-free |
///
/// Invariants
///  G1  After close, every try_enter fails.
///  G2  What threads did inside happens before quiet is seen.
///  G3  Once quiet, it stays quiet.
class intake {
public:
    [[nodiscard]] bool try_enter() noexcept {
        // Counting first and checking afterwards would be wrong: it would not be quiet for a moment
        // (G3), and a thread that relies on it could go to sleep in that moment.
        std::uint64_t now = word_.load(sync::relaxed);
        while ((now & closed_bit) == 0) {
            if (word_.compare_exchange_weak(now, now + one_inside, sync::relaxed, sync::relaxed)) {
                return true;
            }
        }
        return false;
    }
    void leave() noexcept { word_.fetch_sub(one_inside, sync::release); } // [INTAKE-1]

    /// True for the first caller.
    bool close() noexcept {
        // release, pairs with quiet(): what the closer did before [INTAKE-3]
        return (word_.fetch_or(closed_bit, sync::release) & closed_bit) == 0;
    }
    [[nodiscard]] bool closed() const noexcept {
        return (word_.load(sync::relaxed) & closed_bit) != 0;
    }
    /// Closed, and no thread is inside.
    [[nodiscard]] bool quiet() const noexcept {
        return word_.load(sync::acquire) == closed_bit; // pairs with leave() and close() [INTAKE-2]
    }

private:
    static constexpr std::uint64_t closed_bit = 1;
    static constexpr std::uint64_t one_inside = 2;
    sync::atomic<std::uint64_t> word_{0};
};

} // namespace weft::inline v0::detail
