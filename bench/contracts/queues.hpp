// A queue of tasks, as the talk uses it: a thread pops a task, runs it and pushes it back; or a
// batch of tasks, if the queue has calls for that.
#pragma once

#include "contracts/config.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace bench::contracts {

using tasks = std::span<std::uint32_t>;

template <class Handle>
std::size_t pop_from(Handle& handle, tasks popped) {
    if constexpr (requires { handle.pop(popped); }) return handle.pop(popped);
    else return handle.pop(popped.front()) ? 1 : 0;
}
template <class Handle>
void push_to(Handle& handle, tasks pushed) {
    if constexpr (requires { handle.push(pushed); }) handle.push(pushed);
    else handle.push(pushed.front());
}

/// `Queue` has `explicit Queue(std::size_t tasks)`, a nested `handle` made of the queue by each
/// thread, and on that `bool pop(std::uint32_t&)` and `void push(std::uint32_t)`. If a thread takes
/// more than one task at once, it has `std::size_t pop(tasks)` and `void push(tasks)` instead.
template <class Queue, std::size_t Most, std::size_t Rounds>
outcome run_queue(std::size_t count, std::size_t threads, std::chrono::milliseconds time) {
    Queue queue{count};
    std::vector<record> records(count);
    {
        typename Queue::handle filler{queue};
        for (std::uint32_t each = 0; each < count; ++each) push_to(filler, tasks{&each, 1});
    }
    std::vector<ticker> counts(threads);
    std::vector<distances> between(threads, distances{count});
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
            std::array<std::uint32_t, Most> popped{};
            while (!stop.load(std::memory_order_relaxed)) {
                const auto taken = tasks{popped}.first(pop_from(handle, popped));
                for (const std::uint32_t next : taken) {
                    hash_task<Rounds>();
                    record& task = records[next];
                    ++task.runs;
                    counts[number].runs.store(++runs, std::memory_order_relaxed);
                    if (distances::is_sampled(next, task.runs)) {
                        const std::uint64_t now = total();
                        if (task.runs % 64 == 1) between[number].add(now - task.last);
                        task.last = now;
                    }
                }
                if (!taken.empty()) push_to(handle, taken);
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

template <class Queue, std::size_t Most = 1>
std::vector<contestant> queue_contestants(const request& request) {
    return contestants(
        request, [](const problem& chosen, std::size_t threads, std::chrono::milliseconds time) {
            return with_rounds(chosen.rounds, [&]<std::size_t Rounds> {
                return run_queue<Queue, Most, Rounds>(chosen.tasks, threads, time);
            });
        });
}

template <class Queue>
std::vector<contestant> single_queue_contestants(const request& request) {
    return single_contestants(
        request, [](const problem& chosen, std::size_t threads, std::chrono::milliseconds time) {
            return run_queue<Queue, 1, 0>(chosen.tasks, threads, time);
        });
}

} // namespace bench::contracts
