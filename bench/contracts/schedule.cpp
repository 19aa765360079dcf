// What schedule() costs its caller while workers sleep: a contract on a pool, against a flag under
// a mutex with a condition variable that wakes all, which is how a group that blocks is usually
// made.
#include "contracts/config.hpp"

#include <weft/contract.hpp>
#include <weft/pool.hpp>

#include <condition_variable>
#include <mutex>

namespace bench::contracts {
namespace {

constexpr std::size_t sleepers = 8;
constexpr std::size_t calls = 300;

double part_of(std::vector<double>& values, double part) {
    std::ranges::sort(values);
    return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

/// `schedule()` is timed; between two calls the workers fall asleep again.
template <class Schedule, class Ran>
std::vector<sample> time_calls(const Schedule& schedule, const Ran& ran) {
    std::vector<double> taken;
    for (std::size_t i = 1; i <= calls; ++i) {
        std::this_thread::sleep_for(std::chrono::microseconds{500});
        const stopwatch watch;
        schedule();
        taken.push_back(watch.microseconds());
        while (ran() < i) std::this_thread::yield();
    }
    return {{"schedule_median", part_of(taken, 0.5), "us"},
            {"schedule_p99", part_of(taken, 0.99), "us"}};
}

std::vector<sample> with_weft() {
    weft::pool workers{sleepers};
    weft::contract_group group{workers};
    std::atomic<std::size_t> runs{0};
    const weft::contract some = group.create([&] { ++runs; });
    return time_calls([&] { some.schedule(); }, [&] { return runs.load(); });
}

std::vector<sample> with_condvar() {
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t due = 0;
    bool stop = false;
    std::atomic<std::size_t> runs{0};
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < sleepers; ++i) {
        threads.emplace_back([&] {
            std::unique_lock lock{mutex};
            for (;;) {
                changed.wait(lock, [&] { return due != 0 || stop; });
                if (stop) return;
                --due;
                lock.unlock();
                ++runs;
                lock.lock();
            }
        });
    }
    auto samples = time_calls(
        [&] {
            const std::scoped_lock lock{mutex};
            ++due;
            changed.notify_all();
        },
        [&] { return runs.load(); });
    {
        const std::scoped_lock lock{mutex};
        stop = true;
    }
    changed.notify_all();
    for (std::thread& each : threads) each.join();
    return samples;
}

template <std::vector<sample> (*Run)()>
std::vector<contestant> contestants_of(const request& /*request*/) {
    return {{{{"sleepers", static_cast<std::int64_t>(sleepers)}}, {}, Run}};
}

const registration weft_registered{{"contracts-schedule", "weft", contestants_of<with_weft>}};
const registration condvar_registered{
    {"contracts-schedule", "condvar", contestants_of<with_condvar>}};

} // namespace
} // namespace bench::contracts
