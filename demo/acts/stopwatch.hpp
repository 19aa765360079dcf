// Time that passes, and CPU time that is used.
#pragma once

#include <sys/resource.h>

#include <chrono>
#include <cstdint>

namespace weft::demo {

class stopwatch {
public:
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>{std::chrono::steady_clock::now() - start_}.count();
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Of this process so far.
inline double cpu_seconds() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

inline std::int64_t now_in_nanoseconds() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// Computes for about so long, the same for everybody who asks.
inline void compute_for(std::int64_t nanoseconds) {
    // A turn is a multiplication and an addition that wait for each other: some 1.2 ns on today's machines.
    std::uint64_t value = static_cast<std::uint64_t>(nanoseconds);
    for (std::int64_t turn = nanoseconds; turn > 0; --turn) {
        value = value * 6364136223846793005ULL + 1442695040888963407ULL;
        asm volatile("" : "+r"(value)); // none of it is left out
    }
}

} // namespace weft::demo
