// Two ways to sleep until a word changes. Both have one contract:
//
//   wait(word, expected)            returns at once if the word is not `expected`; otherwise sleeps
//                                   until woken. May wake up spuriously.
//   wait(word, expected, deadline)  the same, but false once the deadline has passed.
//   wake_one(word)                  wakes a thread that sleeps on the word. Only its address is
//                                   used, so the word may be gone by the time of the call.
//
// Neither orders anything: the word's own operations must.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/clock.hpp>

#include <cstdint>

namespace weft::inline v0::sync {

using wait_word = atomic<std::uint32_t>;

/// The kernel's futex; in model builds the explorer's.
struct WEFT_API futex_waiting {
    static void wait(wait_word& word, std::uint32_t expected) noexcept;
    static bool wait(wait_word& word, std::uint32_t expected, clock::time_point deadline) noexcept;
    static void wake_one(wait_word& word) noexcept;
};

} // namespace weft::inline v0::sync
