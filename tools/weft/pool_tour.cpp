#include "shell/stopwatch.hpp"
#include "tour.hpp"

#include <weft/detail/sync/clock.hpp>
#include <weft/detail/sync/parker.hpp>
#include <weft/error.hpp>
#include <weft/fork_join.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace weft::tour {
namespace {

std::int64_t fib(int n) {
    if (n < 2) return n;
    const auto [one, two] = fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
    return one + two;
}

bool show_forks(narration& told) {
    constexpr int number = 32;
    constexpr std::int64_t expected = 2'178'309;
    constexpr std::int64_t forks = 3'524'577;
    pool workers;
    told.say("\n1. A fork at every addition of the " + std::to_string(number) +
             "nd Fibonacci number, on " + std::to_string(workers.workers()) + " workers:");
    const cli::stopwatch watch;
    const std::int64_t found = workers.run([] { return fib(number); });
    const double took = watch.nanoseconds();
    std::uint64_t stolen = 0;
    for (const worker_statistics& each : workers.statistics()) {
        stolen += each.steals_won + each.helps;
    }
    told.say("    " + std::to_string(forks) + " forks, " +
             std::to_string(took / static_cast<double>(forks)).substr(0, 4) + " ns each; " +
             std::to_string(stolen) + " were run by another worker");
    return found == expected;
}

/// Each level waits for the next one.
int depth_of(pool& workers, int levels) {
    if (levels == 0) return 0;
    auto next = workers.submit([&workers, levels] { return depth_of(workers, levels - 1); });
    return next.get() + 1;
}

bool show_nested_waits(narration& told) {
    constexpr int levels = 1'000;
    told.say("\n2. Tasks that wait for tasks, " + std::to_string(levels) +
             " deep, on one worker. A pool whose waits\n"
             "   block would hang at the first:");
    pool lone{1};
    const int reached = lone.run([&] { return depth_of(lone, levels); });
    told.say("    " + std::to_string(reached) + " levels returned");
    return reached == levels;
}

bool show_refusal(narration& told) {
    told.say("\n3. A wait that can never end is refused: a task that waits for itself.");
    pool workers{2};
    future<int> self;
    sync::parker known;
    std::string answer;
    self = workers.submit([&] {
        known.park();
        try {
            return self.get();
        } catch (const error& refused) {
            answer = refused.what();
            return 0;
        }
    });
    known.unpark();
    workers.stop();
    told.say("    " + answer);
    return !answer.empty();
}

void pause(sync::clock::duration duration) {
    sync::parker parker;
    static_cast<void>(parker.park_until(sync::clock::now() + duration));
}

bool show_idleness(narration& told) {
    using namespace std::chrono_literals;
    constexpr auto duration = 500ms;
    told.say("\n4. Eight workers with nothing to do, for half a second:");
    const pool idle{8};
    constexpr double little = 0.05;
    double used = little;
    // On a busy machine it takes a while until they sleep.
    for (int tries = 0; tries < 20 && used >= little; ++tries) {
        pause(50ms);
        const double before = cli::cpu_seconds();
        pause(duration);
        used = cli::cpu_seconds() - before;
    }
    told.say("    " + std::to_string(used * 1e3).substr(0, 4) + " ms of CPU time");
    return used < little;
}

} // namespace

void add_pool_steps(narration& told) {
    for (const auto show : {show_forks, show_nested_waits, show_refusal, show_idleness}) {
        told.add_step(show);
    }
}

} // namespace weft::tour
