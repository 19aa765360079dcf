// The benchmark of the talk that contracts come from: a number of tasks that are always due, and
// threads that take one, run it and put it back, for a while. How many runs there are in all, and
// how evenly they are spread over the tasks and over the threads.
#pragma once

#include "runner/workload.hpp"

#include "shell/stopwatch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

namespace bench::contracts {

using clock = std::chrono::steady_clock;
using weft::cli::stopwatch;

/// The talk's task hashes a string that it makes each time; here nothing is allocated.
template <std::size_t Rounds>
inline void hash_task() {
    constexpr std::string_view text = "guess what? chicken butt!";
    volatile std::size_t n = 0;
    for (std::size_t i = 0; i < Rounds; ++i) n = n * std::hash<std::string_view>{}(text);
}

/// A problem: what a task does, and how many there are.
struct problem {
    std::int64_t rounds;
    std::size_t tasks;
    [[nodiscard]] parameters describe() const {
        return {{"hash", rounds}, {"contracts", static_cast<std::int64_t>(tasks)}};
    }
};

/// Calls `use.template operator()<Rounds>()` for the problem's rounds.
template <class Use>
auto with_rounds(std::int64_t rounds, Use use) {
    switch (rounds) {
    case 0: return use.template operator()<0>();
    case 1: return use.template operator()<1>();
    case 64: return use.template operator()<64>();
    default: return use.template operator()<256>();
    }
}

/// The counters of a task. One thread at a time uses them.
struct alignas(64) record {
    std::uint64_t runs = 0;
    std::uint64_t last = 0; // the total at its last run, of a sampled task
};

/// Runs of all threads so far, approximately: each thread adds many at once.
struct alignas(64) ticker {
    std::atomic<std::uint64_t> runs{0};
};

/// Of a few tasks, how many runs of others were between two of their own, over the number of tasks:
/// 1 is a round.
class distances {
public:
    static constexpr std::size_t sampled = 16;
    /// The total is written by all threads: to read it at each run would slow them down. So it is
    /// two runs of 64.
    static bool is_sampled(std::size_t task, std::uint64_t runs) {
        return task < sampled && runs % 64 < 2;
    }
    explicit distances(std::size_t tasks) : tasks_{tasks} {}
    void add(std::uint64_t between) {
        all_.push_back(static_cast<double>(between) / static_cast<double>(tasks_));
    }
    [[nodiscard]] double quantile(double part) {
        if (all_.empty()) return 0;
        std::ranges::sort(all_);
        return all_[static_cast<std::size_t>(part * static_cast<double>(all_.size() - 1))];
    }

private:
    std::size_t tasks_;
    std::vector<double> all_;
};

template <class Values>
double variation(const Values& values) {
    double sum = 0;
    for (const double each : values) sum += each;
    const double mean = sum / static_cast<double>(values.size());
    if (mean == 0) return 0;
    double squares = 0;
    for (const double each : values) squares += (each - mean) * (each - mean);
    return std::sqrt(squares / static_cast<double>(values.size())) / mean;
}

inline double variation_of(std::span<const std::uint64_t> runs) {
    return variation(std::vector<double>(runs.begin(), runs.end()));
}

/// The result of a measurement.
struct outcome {
    double seconds = 0;
    std::vector<std::uint64_t> tasks;   // runs of each
    std::vector<std::uint64_t> threads; // runs by each
    double service_p99 = 0;
    double service_max = 0;

    [[nodiscard]] std::vector<sample> samples() const {
        std::uint64_t runs = 0;
        for (const std::uint64_t each : tasks) runs += each;
        return {{"ops_per_second", static_cast<double>(runs) / seconds, "1/s"},
                {"task_cv", variation_of(tasks), ""},
                {"thread_cv", variation_of(threads), ""},
                {"service_p99", service_p99, "rounds"},
                {"service_max", service_max, "rounds"}};
    }
};

inline std::chrono::milliseconds duration(const request& request) {
    return request.choose(std::chrono::milliseconds{120}, std::chrono::milliseconds{1000});
}

inline std::vector<problem> problems(const request& request) {
    const std::vector<problem> usual{{0, 16'384}, {0, 512},    {0, 10'000},
                                     {0, 17},     {1, 16'384}, {64, 16'384}};
    std::vector<problem> all;
    for (const std::int64_t rounds : {0, 1, 64, 256}) {
        for (const std::size_t tasks : {16'384U, 512U, 10'000U, 17U})
            all.push_back({rounds, tasks});
    }
    return request.choose(usual, all);
}

/// Tasks that do nothing, one a call.
inline std::vector<problem> single_problems(const request& request) {
    return request.choose(std::vector<problem>{{0, 16'384}, {0, 512}},
                          std::vector<problem>{{0, 16'384}, {0, 10'000}, {0, 512}, {0, 17}});
}

/// The most contracts that weft runs in one call, and the most tasks that a queue pops in one.
inline constexpr std::size_t batch = 256;

/// A contestant for each problem: `measure(problem, threads, duration)` gives an outcome.
template <class Measure>
std::vector<contestant> contestants(const request& request, Measure measure,
                                    parameters limits = {}) {
    std::vector<contestant> made;
    for (const problem& each : problems(request)) {
        made.push_back({each.describe(), limits, [each, request, measure] {
                            return measure(each, request.threads, duration(request)).samples();
                        }});
    }
    return made;
}

/// The workload `single`: a thread takes one, runs it, and puts it back or goes on. The time that a
/// thread needs for that.
template <class Measure>
std::vector<contestant> single_contestants(const request& request, Measure measure) {
    std::vector<contestant> made;
    for (const problem& each : single_problems(request)) {
        const parameters described{{"contracts", static_cast<std::int64_t>(each.tasks)}};
        made.push_back(
            {described, {}, [each, request, measure]() -> std::vector<sample> {
                 const outcome found = measure(each, request.threads, duration(request));
                 std::uint64_t runs = 0;
                 for (const std::uint64_t one : found.threads) runs += one;
                 const double thread_seconds = found.seconds * static_cast<double>(request.threads);
                 return {{"ns_per_run", thread_seconds * 1e9 / static_cast<double>(runs), "ns"},
                         {"task_cv", variation_of(found.tasks), ""}};
             }});
    }
    return made;
}

} // namespace bench::contracts
