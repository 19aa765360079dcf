// Whether an object still exists, for threads that may use it after its end.
#pragma once

#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/check.hpp>

#include <cstdint>

namespace weft::inline v0::detail {

/// Guards an object that may end while other threads still refer to it. It outlives the object and
/// may guard another one after it: each object has a number, and entering with the number of an
/// earlier one fails.
///
/// | operation  | caller                       | progress  |
/// |------------|------------------------------|-----------|
/// | begin      | the owner, when it is quiet  | wait-free |
/// | try_enter  | any thread with a number     | lock-free |
/// | leave      | a thread that has entered    | wait-free |
/// | end, quiet | the owner                    | wait-free |
///
/// States: quiet --begin--> present --end--> ending --the last leaves--> quiet
///
/// Invariants
///  P1  try_enter succeeds only while the object with that number exists. While a thread is inside
///      it is not quiet, and the owner keeps the object.
///  P2  Once quiet is seen, everything that threads did inside happens before.
///  P3  Once quiet, it stays quiet until the next begin.
class presence {
public:
    using number = std::uint64_t;

    presence() noexcept = default;
    presence(const presence&) = delete;
    presence& operator=(const presence&) = delete;

    /// A number that no other object has had here.
    [[nodiscard]] number begin() noexcept {
        const std::uint64_t before = word_.load(sync::relaxed);
        WEFT_CHECK(is_quiet(before), "it guards one object at a time");
        const number next = number_of(before) + 1;
        // relaxed: no other thread changes it now, and the number is published by the owner that
        // passes it on
        word_.store(next << number_shift | present, sync::relaxed);
        return next;
    }
    [[nodiscard]] bool try_enter(number wanted) noexcept {
        std::uint64_t now = word_.load(sync::relaxed);
        while (number_of(now) == wanted && (now & present) != 0) {
            if (word_.compare_exchange_weak(now, now + one_inside, sync::relaxed, sync::relaxed)) {
                return true;
            }
        }
        return false;
    }
    void leave() noexcept { word_.fetch_sub(one_inside, sync::release); } // [PRESENCE-1]

    void end() noexcept { word_.fetch_and(~present, sync::relaxed); }
    [[nodiscard]] bool quiet() const noexcept {
        return is_quiet(word_.load(sync::acquire)); // pairs with leave() [PRESENCE-2]
    }

private:
    static constexpr std::uint64_t present = 1;
    static constexpr std::uint64_t one_inside = 2;
    static constexpr unsigned number_shift = 24; // below it there is room for 2^23 threads

    static number number_of(std::uint64_t word) noexcept { return word >> number_shift; }
    static bool is_quiet(std::uint64_t word) noexcept {
        return (word & ((std::uint64_t{1} << number_shift) - 1)) == 0;
    }

    sync::atomic<std::uint64_t> word_{0};
};

} // namespace weft::inline v0::detail
