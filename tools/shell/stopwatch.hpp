// Elapsed time, and the CPU time of this process.
#pragma once

#include <weft/detail/sync/clock.hpp>

#include <sys/resource.h>

#include <chrono>

namespace weft::cli {

/// Runs from its construction.
class stopwatch {
public:
    [[nodiscard]] double seconds() const { return elapsed<std::ratio<1>>(); }
    [[nodiscard]] double microseconds() const { return elapsed<std::micro>(); }
    [[nodiscard]] double nanoseconds() const { return elapsed<std::nano>(); }

private:
    template <class Unit>
    [[nodiscard]] double elapsed() const {
        return std::chrono::duration<double, Unit>{sync::clock::now() - start_}.count();
    }
    sync::clock::time_point start_ = sync::clock::now();
};

/// CPU time of all threads of this process so far.
[[nodiscard]] inline double cpu_seconds() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

} // namespace weft::cli
