// The clock of all timed waits: steady, and virtual in model builds.
#pragma once

#ifdef WEFT_MODEL
#include <weft/explorer/blocking.hpp>

#endif

#include <chrono>
#include <ctime>

namespace weft::inline v0::sync {

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
