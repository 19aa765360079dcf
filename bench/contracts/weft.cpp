#include "contracts/config.hpp"

#include <weft/contract.hpp>
#include <weft/pool.hpp>

#include <array>
#include <cstdint>

namespace bench::contracts {
namespace {

/// What a thread that runs contracts counts.
struct runner {
    explicit runner(std::size_t tasks) : between{tasks} {}
    ticker count;
    distances between;
};
thread_local runner* current = nullptr;

struct all_runners {
    all_runners(std::size_t threads, std::size_t tasks) {
        for (; threads != 0; --threads) each.push_back(std::make_unique<runner>(tasks));
    }
    [[nodiscard]] std::uint64_t total() const {
        std::uint64_t sum = 0;
        for (const auto& one : each) sum += one->count.runs.load(std::memory_order_relaxed);
        return sum;
    }
    std::vector<std::unique_ptr<runner>> each;
    std::atomic<bool> stop{false};
};

/// A contract that is always due. It counts in itself, and says how often it ran when all is over.
template <std::size_t Rounds>
struct always_due {
    all_runners* runners;
    std::uint64_t* result;
    std::size_t number;
    std::uint64_t runs = 0;
    std::uint64_t last = 0;

    void operator()(weft::contract_token& token) {
        if (runners->stop.load(std::memory_order_relaxed)) {
            *result = runs;
            return;
        }
        hash_task<Rounds>();
        ++runs;
        std::atomic<std::uint64_t>& own_runs = current->count.runs;
        own_runs.store(own_runs.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        if (distances::is_sampled(number, runs)) {
            const std::uint64_t now = runners->total();
            if (runs % 64 == 1) current->between.add(now - last);
            last = now;
        }
        token.schedule();
    }
};

enum class driver : std::uint8_t {
    batches, // threads that execute many at a time, and poll another group in which nothing is due
    singles, // threads that execute one at a time
    pool,
};

template <std::size_t Rounds>
outcome run_contracts(const problem& chosen, std::size_t threads, std::chrono::milliseconds time,
                      driver driven_by) {
    const bool on_pool = driven_by == driver::pool;
    all_runners runners{threads, chosen.tasks};
    std::unique_ptr<weft::pool> workers;
    if (on_pool) {
        const auto begin = [&runners](std::size_t number) { current = runners.each[number].get(); };
        workers =
            std::make_unique<weft::pool>(weft::pool_options{.workers = threads, .on_start = begin});
    }
    outcome found;
    found.tasks.resize(chosen.tasks);
    weft::contract_group idle;
    weft::contract_group group{
        weft::contract_group_options{.pool = workers.get(), .reserve = chosen.tasks}};
    std::vector<weft::contract> all;
    all.reserve(chosen.tasks);
    for (std::size_t each = 0; each < chosen.tasks; ++each) {
        all.push_back(group.create(always_due<Rounds>{&runners, &found.tasks[each], each}));
    }
    std::atomic<bool> start{false};
    std::vector<std::thread> running;
    if (!on_pool) {
        for (std::size_t number = 0; number < threads; ++number) {
            running.emplace_back([&, number] {
                current = runners.each[number].get();
                while (!start.load(std::memory_order_relaxed)) std::this_thread::yield();
                while (!runners.stop.load(std::memory_order_relaxed)) {
                    if (driven_by == driver::singles) {
                        group.try_execute_next();
                        continue;
                    }
                    group.execute_some(batch);
                    idle.try_execute_next();
                }
            });
        }
    }
    for (const weft::contract& each : all) each.schedule();
    const stopwatch watch;
    start = true;
    std::this_thread::sleep_for(time);
    runners.stop = true;
    for (std::thread& each : running) each.join();
    found.seconds = watch.seconds();
    group.wait();
    for (const auto& each : runners.each) {
        found.threads.push_back(each->count.runs.load());
        found.service_p99 = std::max(found.service_p99, each->between.quantile(0.99));
        found.service_max = std::max(found.service_max, each->between.quantile(1));
    }
    return found;
}

template <driver DrivenBy>
std::vector<contestant> contestants_of(const request& request) {
    return contestants(
        request, [](const problem& chosen, std::size_t threads, std::chrono::milliseconds time) {
            return with_rounds(chosen.rounds, [&]<std::size_t Rounds> {
                return run_contracts<Rounds>(chosen, threads, time, DrivenBy);
            });
        });
}

const registration by_hand{{"contracts", "weft", contestants_of<driver::batches>}};
const registration one_by_one{{"contracts", "weft-single", contestants_of<driver::singles>}};
const registration single{
    {"single", "weft", [](const request& request) {
         return single_contestants(request, [](const problem& chosen, std::size_t threads,
                                               std::chrono::milliseconds time) {
             return run_contracts<0>(chosen, threads, time, driver::singles);
         });
     }}};
const registration on_pool{{"contracts", "weft-pool", contestants_of<driver::pool>}};

} // namespace
} // namespace bench::contracts
