#include "calibrate.hpp"

#include "sync/atomic.hpp"
#include "sync/clock.hpp"

#include <weft/fork_join.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

namespace weft::cli {

namespace {

using std::chrono::nanoseconds;

constexpr int number = 27;
constexpr std::int64_t forks = 317'810; // of the 27th Fibonacci number

std::int64_t since(sync::clock::time_point begin) {
    return std::chrono::duration_cast<nanoseconds>(sync::clock::now() - begin).count();
}

std::int64_t serial_fib(int n) { return n < 2 ? n : serial_fib(n - 1) + serial_fib(n - 2); }

std::int64_t forked_fib(int n) {
    if (n < 2) return n;
    const auto [one, two] =
        fork_join([n] { return forked_fib(n - 1); }, [n] { return forked_fib(n - 2); });
    return one + two;
}

template <class Function>
std::int64_t median_time(int runs, Function function) {
    std::vector<std::int64_t> times;
    for (int each = 0; each != runs; ++each) times.push_back(function());
    std::ranges::nth_element(times, times.begin() + runs / 2);
    return times[static_cast<std::size_t>(runs / 2)];
}

/// What a fork costs that nobody takes.
std::int64_t measure_fork() {
    pool lone{1};
    const auto timed = [](auto fib) {
        const auto begin = sync::clock::now();
        const volatile std::int64_t kept = fib(number); // so that it is computed
        static_cast<void>(kept);
        return since(begin);
    };
    const std::int64_t forked =
        median_time(7, [&] { return lone.run([&] { return timed(forked_fib); }); });
    const std::int64_t serial = median_time(7, [&] { return timed(serial_fib); });
    return std::max<std::int64_t>(2, (forked - serial) / forks);
}

/// From a fork to its start on another worker, while the first one only waits for that. The time of a fork that nobody took
/// within the patience is the patience.
std::int64_t steal_once() {
    constexpr std::int64_t patience = 5'000'000;
    const auto begin = sync::clock::now();
    sync::atomic<std::int64_t> started{0};
    fork_join(
        [&] {
            while (started.load(sync::relaxed) == 0 && since(begin) < patience) {
            }
        },
        [&] { started.store(std::max<std::int64_t>(1, since(begin)), sync::relaxed); });
    return started.load(sync::relaxed);
}

} // namespace

sim::costs calibrate() {
    sim::costs found;
    const auto fork = static_cast<sim::time>(measure_fork());
    found.pop = fork / 2;
    found.push = fork - found.pop;
    if (usable_cpus() < 2) return found;
    pool two{2};
    const auto steal = static_cast<sim::time>(two.run([] { return median_time(301, steal_once); }));
    found.failed_try = std::max<sim::time>(1, steal * found.failed_try / found.steal);
    found.most_backoff = found.failed_try;
    found.steal = std::max<sim::time>(1, steal);
    return found;
}

} // namespace weft::cli
