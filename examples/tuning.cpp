// The options of a pool, and the statistics of its workers.
#include <weft/fork_join.hpp>
#include <weft/future.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>

namespace {

int fibonacci(int n) {
    if (n < 2) return n;
    const auto [one, two] =
        weft::fork_join([=] { return fibonacci(n - 1); }, [=] { return fibonacci(n - 2); });
    return one + two;
}

} // namespace

int main() { // NOLINT(bugprone-exception-escape): then it ends, and says why
    // [options]
    constexpr std::size_t megabyte = std::size_t{1'024} * 1'024;
    weft::pool pool{{
        .workers = 0,                // one per usable CPU: weft::usable_cpus()
        .name = "render",            // the threads are render/0, render/1, …
        .stack_size = 64 * megabyte, // for deep recursion; unused pages cost nothing
        .extra_threads = 2,          // stand-ins for workers inside weft::blocking
        .stealing = std::make_shared<weft::multi_stealing>(), // for many tasks in few queues
    }};
    // [/options]
    const bool right = pool.run([] { return fibonacci(25); }) == 75'025;

    // [statistics]
    for (const weft::worker_statistics& each : pool.statistics()) {
        std::cout << each.tasks << " tasks, " << each.steals_won << " of " << each.steals_tried
                  << " steals, slept " << each.wakes << " times, waited " << each.waits << '\n';
    }
    // [/statistics]
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
