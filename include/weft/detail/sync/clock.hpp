// The clock of all timed waits: steady, and virtual in model builds.
#pragma once

#ifdef WEFT_MODEL
#include <weft/explorer/blocking.hpp>

#endif

#include <chrono>
#include <cstdint>
#include <ctime>

namespace weft::inline v0::sync {

/// For short durations on one thread: the cheapest counter of the machine. It may stand still, or
/// jump when the thread moves to another CPU, so that durations are estimates. In a model no time
/// passes.
class tick_counter {
public:
    [[nodiscard]] static std::uint64_t now() noexcept {
#if defined(WEFT_MODEL)
        return 0;
#elif defined(__x86_64__) || defined(__i386__)
        return __builtin_ia32_rdtsc();
#else
        const auto time = std::chrono::steady_clock::now().time_since_epoch();
        return static_cast<std::uint64_t>(std::chrono::nanoseconds{time}.count());
#endif
    }
    /// About as many: the counter of x86 CPUs runs at their nominal 2 to 4 GHz.
#if defined(__x86_64__) || defined(__i386__)
    static constexpr std::uint64_t in_microsecond = 3'000;
#else
    static constexpr std::uint64_t in_microsecond = 1'000;
#endif
};

#ifdef WEFT_MODEL
using clock = explorer::clock;
#else
using clock = std::chrono::steady_clock;

/// The CPU time of the calling thread.
[[nodiscard]] inline std::chrono::nanoseconds thread_cpu_time() noexcept {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec};
}
#endif

/// `timeout` from now; the last point in time of the clock if that is beyond it.
template <class Rep, class Period>
[[nodiscard]] clock::time_point deadline_after(std::chrono::duration<Rep, Period> timeout) {
    const clock::time_point now = clock::now();
    using seconds = std::chrono::duration<double>;
    if (seconds{timeout} <= seconds::zero()) return now;
    if (seconds{timeout} >= seconds{clock::time_point::max() - now}) {
        return clock::time_point::max();
    }
    return now + std::chrono::ceil<clock::duration>(timeout);
}

} // namespace weft::inline v0::sync
