// A queue of tasks, as the talk uses it: a thread pops a task, runs it and pushes it back.
#pragma once

#include "contracts/config.hpp"

namespace bench::contracts {

/// `Queue` has `explicit Queue(std::size_t tasks)`, a nested `handle` made of the queue by each
/// thread, and on that `bool pop(std::uint32_t&)` and `void push(std::uint32_t)`.
template <class Queue, std::size_t Rounds>
outcome run_queue(std::size_t tasks, std::size_t threads, std::chrono::milliseconds time) {
    Queue queue{tasks};
    std::vector<record> records(tasks);
    {
        typename Queue::handle filler{queue};
        for (std::uint32_t each = 0; each < tasks; ++each) filler.push(each);
    }
    std::vector<ticker> counts(threads);
    std::vector<distances> between(threads, distances{tasks});
    std::atomic<bool> start{false};
    std::atomic<bool> stop{false};
    const auto total = [&] {
        std::uint64_t sum = 0;
        for (const ticker& each : counts) sum += each.runs.load(std::memory_order_relaxed);
        return sum;
    };
    std::vector<std::thread> running;
    for (std::size_t number = 0; number < threads; ++number) {
        running.emplace_back([&, number] {
            typename Queue::handle handle{queue};
            while (!start.load(std::memory_order_relaxed)) std::this_thread::yield();
            std::uint64_t runs = 0;
            while (!stop.load(std::memory_order_relaxed)) {
                std::uint32_t next = 0;
                if (!handle.pop(next)) continue;
                hash_task<Rounds>();
                record& task = records[next];
                ++task.runs;
                counts[number].runs.store(++runs, std::memory_order_relaxed);
                if (distances::is_sampled(next, task.runs)) {
                    const std::uint64_t now = total();
                    if (task.runs % 64 == 1) between[number].add(now - task.last);
                    task.last = now;
                }
                handle.push(next);
            }
        });
    }
    const stopwatch watch;
    start = true;
    std::this_thread::sleep_for(time);
    stop = true;
    for (std::thread& each : running) each.join();
    outcome found;
    found.seconds = watch.seconds();
    for (const record& each : records) found.tasks.push_back(each.runs);
    for (const ticker& each : counts) found.threads.push_back(each.runs.load());
    for (distances& each : between) {
        found.service_p99 = std::max(found.service_p99, each.quantile(0.99));
        found.service_max = std::max(found.service_max, each.quantile(1));
    }
    return found;
}

template <class Queue>
std::vector<contestant> queue_contestants(const request& request) {
    return contestants(
        request, [](const problem& chosen, std::size_t threads, std::chrono::milliseconds time) {
            return with_rounds(chosen.rounds, [&]<std::size_t Rounds> {
                return run_queue<Queue, Rounds>(chosen.tasks, threads, time);
            });
        });
}

} // namespace bench::contracts
