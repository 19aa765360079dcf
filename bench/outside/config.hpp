// Bursts of empty tasks from threads outside the pool: what a submission and the run that follows
// cost while both sides are busy.
#pragma once

#include "runner/timed.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace bench::outside {

/// Counts the tasks that ran. Each thread has a counter of its own, since a shared one would cost
/// more than some of the submissions.
class run_counter {
public:
    void count() {
        thread_local slot* own = nullptr;
        thread_local std::uint64_t counter = 0; // the number of the counter that the slot is of
        if (counter != number_) {
            own = &add_slot();
            counter = number_;
        }
        own->runs.store(own->runs.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }
    /// Looks rarely: the counters belong to the threads that run tasks.
    void wait_for(std::int64_t tasks) {
        while (total() < tasks) std::this_thread::sleep_for(std::chrono::microseconds{50});
    }
    [[nodiscard]] std::int64_t total() {
        const std::scoped_lock lock{mutex_};
        std::int64_t sum = 0;
        for (const slot& each : slots_) sum += each.runs.load(std::memory_order_acquire);
        return sum;
    }

private:
    struct alignas(64) slot {
        std::atomic<std::int64_t> runs{0};
    };
    slot& add_slot() {
        const std::scoped_lock lock{mutex_};
        return slots_.emplace_back();
    }

    static inline std::atomic<std::uint64_t> made{0};
    const std::uint64_t number_ = ++made; // an address may be used again
    std::mutex mutex_;
    std::deque<slot> slots_;
};

struct problem {
    std::int64_t tasks;
    std::size_t producers;
    [[nodiscard]] parameters describe() const {
        return {{"tasks", tasks}, {"producers", static_cast<std::int64_t>(producers)}};
    }
};

/// One burst into a pool that was just used. `Pool` has `void submit(Task)`, which drops the
/// result.
template <class Pool>
std::vector<sample> burst(Pool& pool, const problem& chosen) {
    if constexpr (requires { pool.before(); }) pool.before();
    run_counter ran;
    std::atomic<bool> start{false};
    std::vector<std::thread> producers;
    const std::int64_t each = chosen.tasks / static_cast<std::int64_t>(chosen.producers);
    for (std::size_t i = 0; i != chosen.producers; ++i) {
        producers.emplace_back([&pool, &ran, &start, each] {
            start.wait(false);
            for (std::int64_t left = each; left != 0; --left) {
                pool.submit([&ran] { ran.count(); });
            }
        });
    }
    const weft::cli::stopwatch watch;
    start = true;
    start.notify_all();
    for (std::thread& producer : producers) producer.join();
    const std::int64_t tasks = each * static_cast<std::int64_t>(chosen.producers);
    ran.wait_for(tasks);
    const double seconds = watch.seconds();
    if constexpr (requires { pool.after(); }) pool.after();
    expect_equal("tasks that ran", ran.total(), tasks);
    return {{"ns_per_task", seconds * 1e9 / static_cast<double>(tasks), "ns"}};
}

/// The pool stays from burst to burst, as in a program.
template <class Pool>
std::vector<contestant> contestants(const request& request) {
    const auto pool = std::make_shared<Pool>(request.threads);
    std::vector<contestant> made;
    for (const std::size_t producers : {std::size_t{1}, std::size_t{2}, std::size_t{8}}) {
        const problem chosen{request.choose(200'000, 1'000'000), producers};
        made.push_back({chosen.describe(), {}, [pool, chosen] { return burst(*pool, chosen); }});
    }
    return made;
}

} // namespace bench::outside
