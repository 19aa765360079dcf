// The benchmark of the talk that contracts come from: ten thousand tasks that are always due, run for a while. How many
// runs there are in all, and how evenly they are spread.
#pragma once

#include "acts/act.hpp"
#include "acts/stopwatch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
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

/// For as long as the act lasts: its time, and on a machine that is busy otherwise until each task had its turn. Many turns
/// would be too much to ask for there: a thread that is stopped in the middle of a queue may hold up all others.
inline void let_run(const settings& how, const std::vector<counter>& counts) {
    const auto waits = [](const counter& each) { return each.read() == 0; };
    std::this_thread::sleep_for(std::chrono::milliseconds{how.choose(500, 100)});
    while (std::ranges::any_of(counts, waits)) {
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
}

inline outcome tell(double seconds, const std::vector<counter>& counts) {
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
    outcome told{{{"per_second", sum / seconds, "1/s"},
                  {"variation", mean > 0 ? deviation / mean : 0, ""},
                  {"fewest_runs", runs.front(), ""},
                  {"most_runs", runs.back(), ""}},
                 {{"every task was run", runs.front() > 0}},
                 {{"runs over their mean", {}}}};
    for (int step = 0; step <= 20; ++step) {
        const auto place = static_cast<std::size_t>(step) * (runs.size() - 1) / 20;
        told.curves.front().points.emplace_back(step / 20.0, mean > 0 ? runs[place] / mean : 0);
    }
    return told;
}

/// Threads that pop a task, run it and push it back. `Handle` is what each thread makes of the queue.
template <class Queue>
outcome run_queue(const settings& how) {
    Queue queue;
    std::vector<counter> counts(tasks);
    {
        typename Queue::handle filler{queue};
        for (std::uint32_t each = 0; each != tasks; ++each) filler.push(each);
    }
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    const stopwatch watch;
    for (std::size_t number = 0; number != how.threads; ++number) {
        threads.emplace_back([&] {
            typename Queue::handle mine{queue};
            while (!stop.load(std::memory_order_relaxed)) {
                std::uint32_t next = 0;
                if (!mine.pop(next)) continue;
                work();
                counts[next].add();
                mine.push(next);
            }
        });
    }
    let_run(how, counts);
    stop = true;
    for (std::thread& each : threads) each.join();
    return tell(watch.seconds(), counts);
}

} // namespace weft::demo::recurring
