// How long it takes from submission of a task to an idle pool until the task begins, and until the
// submitter knows that it has ended. Between two tasks there is a pause in which the pool falls
// asleep; the CPU time that this costs is reported too, since a pool that waits busily is fast here
// at the expense of everybody else.
#pragma once

#include "runner/workload.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <thread>
#include <vector>

namespace bench::latency {

using clock = std::chrono::steady_clock;

inline constexpr std::size_t submissions = 300;

/// CPU time of all threads of this process.
inline double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// 1 to 2 ms, varied so that nothing synchronises with it.
inline std::chrono::microseconds pause(std::size_t index) {
    return std::chrono::microseconds{1000 + index * 617 % 1000};
}

inline double quantile(std::vector<double>& values, double part) {
    std::ranges::sort(values);
    return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

/// One round with a new pool. `Pool` has `void run(const Task&)`, which submits and returns after
/// the end.
template <class Pool>
std::vector<sample> round(std::size_t threads) {
    Pool pool{threads};
    for (int warm_up = 0; warm_up != 10; ++warm_up) pool.run([] {});
    std::vector<double> begun;
    std::vector<double> known;
    const double cpu_before = cpu_seconds();
    for (std::size_t each = 0; each != submissions; ++each) {
        std::this_thread::sleep_for(pause(each));
        using microseconds = std::chrono::duration<double, std::micro>;
        clock::time_point started;
        const clock::time_point start = clock::now();
        pool.run([&started] { started = clock::now(); });
        known.push_back(microseconds{clock::now() - start}.count());
        begun.push_back(microseconds{started - start}.count());
    }
    const double cpu = cpu_seconds() - cpu_before;
    return {{"latency_median", quantile(begun, 0.5), "us"},
            {"latency_p99", quantile(begun, 0.99), "us"},
            {"round_trip_median", quantile(known, 0.5), "us"},
            {"cpu_seconds", cpu, "s"}};
}

/// Each round creates a new pool: idle threads of other pools would disturb the measurement.
template <class Pool>
std::vector<contestant> contestants(const request& request) {
    return {{{{"submissions", static_cast<std::int64_t>(submissions)}},
             {},
             [threads = request.threads] { return round<Pool>(threads); }}};
}

} // namespace bench::latency
