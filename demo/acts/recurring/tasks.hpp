// The benchmark of the talk that introduced contracts: ten thousand tasks that are always due run
// for a while. Measures the number of runs, and how evenly the tasks get them.
#pragma once

#include "acts/act.hpp"
#include "acts/timing.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

namespace weft::demo::recurring {

inline constexpr std::size_t tasks = 10'000;

inline void work() { compute_for(50); }

/// Runs of one task, counted by one thread at a time, read by any.
class alignas(64) counter {
public:
    void add() { runs_.store(read() + 1, std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t read() const { return runs_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> runs_{0};
};

/// Waits for the time of the act, and on a busy machine until each task has run. More runs would be
/// too much to ask: a thread that is preempted in the middle of a queue operation may delay all
/// others.
inline void let_run(const settings& settings, const std::vector<counter>& counts) {
    const auto waits = [](const counter& each) { return each.read() == 0; };
    std::this_thread::sleep_for(std::chrono::milliseconds{settings.choose(500, 100)});
    while (std::ranges::any_of(counts, waits)) {
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
}

inline outcome summarize(double seconds, const std::vector<counter>& counts) {
    std::vector<double> runs;
    double sum = 0;
    for (const counter& each : counts) {
        runs.push_back(static_cast<double>(each.read()));
        sum += runs.back();
    }
    const double mean = sum / static_cast<double>(runs.size());
    double squares = 0;
    for (const double each : runs) squares += (each - mean) * (each - mean);
    const double deviation = std::sqrt(squares / static_cast<double>(runs.size()));
    std::ranges::sort(runs);
    outcome result{{{"per_second", sum / seconds, "1/s"},
                    {"variation", mean > 0 ? deviation / mean : 0, ""},
                    {"fewest_runs", runs.front(), ""},
                    {"most_runs", runs.back(), ""}},
                   {{"every task was run", runs.front() > 0}},
                   {{"runs over their mean", {}}}};
    for (int step = 0; step <= 20; ++step) {
        const auto place = static_cast<std::size_t>(step) * (runs.size() - 1) / 20;
        result.curves.front().points.emplace_back(step / 20.0, mean > 0 ? runs[place] / mean : 0);
    }
    return result;
}

using some_tasks = std::span<std::uint32_t>;

/// Threads that pop up to `Most` tasks, run them and push them back. Each thread has its own
/// `Queue::handle`, with `std::size_t pop(some_tasks)` and `void push(some_tasks)`.
template <class Queue, std::size_t Most = 1>
outcome run_queue(const settings& settings) {
    Queue queue;
    std::vector<counter> counts(tasks);
    {
        typename Queue::handle filler{queue};
        for (std::uint32_t each = 0; each != tasks; ++each) filler.push({&each, 1});
    }
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    const stopwatch watch;
    for (std::size_t number = 0; number != settings.threads; ++number) {
        threads.emplace_back([&] {
            typename Queue::handle handle{queue};
            std::array<std::uint32_t, Most> popped{};
            while (!stop.load(std::memory_order_relaxed)) {
                const some_tasks taken = some_tasks{popped}.first(handle.pop(popped));
                for (const std::uint32_t next : taken) {
                    work();
                    counts[next].add();
                }
                if (!taken.empty()) handle.push(taken);
            }
        });
    }
    let_run(settings, counts);
    stop = true;
    for (std::thread& each : threads) each.join();
    return summarize(watch.seconds(), counts);
}

} // namespace weft::demo::recurring
