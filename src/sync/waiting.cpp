#include <weft/detail/sync/waiting.hpp>

#ifdef WEFT_MODEL

namespace weft::inline v0::sync {

void futex_waiting::wait(wait_word& word, std::uint32_t expected) noexcept {
    word.native().futex_wait(expected);
}

bool futex_waiting::wait(wait_word& word, std::uint32_t expected,
                         clock::time_point deadline) noexcept {
    return word.native().futex_wait(expected, deadline.time_since_epoch().count());
}

void futex_waiting::wake_one(wait_word& word) noexcept { word.native().futex_wake(1); }

} // namespace weft::inline v0::sync

#else

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>

namespace weft::inline v0::sync {
namespace {

long futex(wait_word& word, int operation, std::uint32_t value,
           const std::timespec* deadline) noexcept {
    static_assert(sizeof(word.native()) == sizeof(std::uint32_t));
    return ::syscall(SYS_futex, &word.native(), operation | FUTEX_PRIVATE_FLAG, value, deadline,
                     nullptr, FUTEX_BITSET_MATCH_ANY);
}

/// The futex reads the clock that std::chrono::steady_clock is made of.
std::timespec to_timespec(clock::time_point deadline) noexcept {
    using namespace std::chrono;
    const auto since = std::max(deadline.time_since_epoch(), clock::duration::zero());
    const auto whole = duration_cast<seconds>(since);
    return {.tv_sec = static_cast<std::time_t>(whole.count()),
            .tv_nsec = static_cast<long>(duration_cast<nanoseconds>(since - whole).count())};
}

} // namespace

void futex_waiting::wait(wait_word& word, std::uint32_t expected) noexcept {
    futex(word, FUTEX_WAIT_BITSET, expected, nullptr);
}

bool futex_waiting::wait(wait_word& word, std::uint32_t expected,
                         clock::time_point deadline) noexcept {
    const std::timespec end = to_timespec(deadline);
    return futex(word, FUTEX_WAIT_BITSET, expected, &end) == 0 || errno != ETIMEDOUT;
}

void futex_waiting::wake_one(wait_word& word) noexcept {
    futex(word, FUTEX_WAKE_BITSET, 1, nullptr);
}

} // namespace weft::inline v0::sync

#endif
