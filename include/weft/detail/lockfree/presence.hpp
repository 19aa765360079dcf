// Whether something is still there, for those who may ask too late.
#pragma once

#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/check.hpp>

#include <cstdint>

namespace weft::inline v0::detail {

/// The gate of something that ends while others still know of it. Outlives that, and may serve another
/// after it: each has a number, and who asks for an earlier one is told that it is gone.
///
/// | operation  | who                            | progress  |
/// |------------|--------------------------------|-----------|
/// | begin      | the owner, when it is quiet    | wait-free |
/// | try_enter  | any who was told the number    | lock-free |
/// | leave      | who is inside                  | wait-free |
/// | end, quiet | the owner                      | wait-free |
///
/// States: quiet --begin--> there --end--> ending --the last leaves--> quiet
///
/// Invariants
///  P1  try_enter succeeds only while the one with that number is there. While somebody is inside it is not
///      quiet, and the owner keeps what it is the gate of.
///  P2  Once quiet is seen, what everybody did inside happens before.
///  P3  Quiet stays so until the next begin.
class presence {
public:
    using number = std::uint64_t;

    presence() noexcept = default;
    presence(const presence&) = delete;
    presence& operator=(const presence&) = delete;

    /// The number is this one's alone, of all that this serves.
    [[nodiscard]] number begin() noexcept {
        const std::uint64_t before = word_.load(sync::relaxed);
        WEFT_CHECK(is_quiet(before), "one at a time");
        const number next = number_of(before) + 1;
        // relaxed: nobody else changes it now, and the number is published by who passes it on
        word_.store(next << number_shift | there, sync::relaxed);
        return next;
    }
    [[nodiscard]] bool try_enter(number which) noexcept {
        std::uint64_t now = word_.load(sync::relaxed);
        while (number_of(now) == which && (now & there) != 0) {
            if (word_.compare_exchange_weak(now, now + one_inside, sync::relaxed, sync::relaxed)) {
                return true;
            }
        }
        return false;
    }
    void leave() noexcept { word_.fetch_sub(one_inside, sync::release); } // [PRESENCE-1]

    void end() noexcept { word_.fetch_and(~there, sync::relaxed); }
    [[nodiscard]] bool quiet() const noexcept {
        return is_quiet(word_.load(sync::acquire)); // pairs with leave() [PRESENCE-2]
    }

private:
    static constexpr std::uint64_t there = 1;
    static constexpr std::uint64_t one_inside = 2;
    static constexpr unsigned number_shift = 24; // below it there is room for 2^23 threads

    static number number_of(std::uint64_t word) noexcept { return word >> number_shift; }
    static bool is_quiet(std::uint64_t word) noexcept {
        return (word & ((std::uint64_t{1} << number_shift) - 1)) == 0;
    }

    sync::atomic<std::uint64_t> word_{0};
};

} // namespace weft::inline v0::detail
