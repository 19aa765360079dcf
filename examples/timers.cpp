// Delays, periods and deadlines.
#include <weft/timer.hpp>

#include <weft/completion.hpp>
#include <weft/error.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <atomic>
#include <chrono>
#include <iostream>
#include <stop_token>
#include <thread>
#include <utility>

using namespace std::chrono_literals;

namespace {

int answer() { return 42; }

/// A future, a callable, and one that is cancelled.
void delays(weft::pool& pool) {
    // [delays]
    weft::after(pool, 5ms)
        .then([](weft::future<void> time) {
            time.get();
            std::cout << "5 ms later\n";
        })
        .get();

    weft::timer reminder = weft::after(pool, 1h, [] { std::cout << "an hour has passed\n"; });
    reminder.restart(2h);                                // true: it will run in two hours instead
    if (reminder.cancel()) std::cout << "no reminder\n"; // true: it will not run
    // [/delays]
}

void periods(weft::pool& pool) {
    // [periods]
    std::atomic<int> beats{0};
    weft::ticker heart = weft::every(pool, 2ms, [&] { ++beats; });
    while (beats < 3) std::this_thread::sleep_for(1ms);
    if (!heart.cancel()) pool.wait_idle(); // false: the last run is under way
    std::cout << beats << " beats, " << heart.skipped() << " skipped\n";
    // [/periods]
}

int deadlines(weft::pool& pool) {
    // [deadline]
    const int result = weft::timeout(pool.submit(answer), 1s).get(); // long before the deadline

    std::stop_source late;
    auto slow = pool.submit([stop = late.get_token()] {
        while (!stop.stop_requested()) std::this_thread::yield();
    });
    try {
        weft::timeout(std::move(slow), 2ms, late).get();
    } catch (const weft::error& wrong) {
        if (wrong.code() != weft::errc::timed_out) throw;
        std::cout << "too late\n"; // and the task was asked to stop
    }
    // [/deadline]
    return result;
}

} // namespace

int main() {
    weft::pool pool{2};
    delays(pool);
    periods(pool);
    return deadlines(pool) == 42 ? 0 : 1;
}
