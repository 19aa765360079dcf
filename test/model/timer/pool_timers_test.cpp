// The pool that ships, with timers: how they come to fire, and how they end.
#include "support/thorough.hpp"

#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/plain.hpp>
#include <weft/detail/sync/thread.hpp>
#include <weft/error.hpp>
#include <weft/explorer.hpp>
#include <weft/pool.hpp>
#include <weft/timer.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft::pool_timers_test {
namespace {

using explorer::named;
using explorer::together;
using namespace std::chrono_literals;

void fires() {
    pool workers{1};
    after(workers, 1us).get();
}

/// Both may be the first to need the pool's timers.
void two_threads_start_the_first() {
    pool workers{1};
    together(named("one", [&] { after(workers, 1us).get(); }),
             named("other", [&] { after(workers, 2us).get(); }));
}

/// While one worker is in a task that waits for it, another fires the timer.
void fires_while_a_worker_is_busy() {
    sync::atomic<bool> fired{false};
    pool workers{2};
    workers.run([&] {
        after(1us, [&] { fired.store(true, sync::relaxed); });
        while (!fired.load(sync::relaxed)) sync::yield();
    });
}

/// It is run, cancelled or ended by the pool. In the model the hour may pass before the stop.
void stopped_and_cancelled() {
    sync::atomic<int> runs{0};
    std::optional<pool> workers{1};
    timer pending = after(*workers, 1h, [&] { runs.fetch_add(1, sync::relaxed); });
    bool cancelled = false;
    together(named("canceller", [&] { cancelled = pending.cancel(); }),
             named("stopper", [&] { workers.reset(); }));
    const int count = runs.load(sync::relaxed);
    explorer::check(count == 0 || (count == 1 && !cancelled), "at most one run, none if cancelled");
    explorer::check(!pending.cancel(), "it has ended");
}

void stopped_while_started() {
    std::optional<pool> workers{1};
    future<void> pending;
    bool refused = false;
    together(named("starter",
                   [&] {
                       try {
                           pending = after(*workers, 1h);
                       } catch (const error& stopped) {
                           refused = stopped.code() == errc::stopped;
                       }
                   }),
             named("stopper", [&] { workers->stop(); }));
    explorer::check(refused || pending.ready(), "it has ended or was refused");
}

/// The canceller may hold the queue while the other is started, and the pool stops.
void stopped_while_started_and_cancelled() {
    std::optional<pool> workers{1};
    timer first = after(*workers, 1h, [] {});
    future<void> pending;
    bool refused = false;
    together(named("canceller", [&] { static_cast<void>(first.cancel()); }),
             named("starter",
                   [&] {
                       try {
                           pending = after(*workers, 1h);
                       } catch (const error& stopped) {
                           refused = stopped.code() == errc::stopped;
                       }
                   }),
             named("stopper", [&] { workers->stop(); }));
    explorer::check(refused || pending.ready(), "it has ended or was refused");
}

void stopped_while_moved() {
    pool workers{1};
    timer only = after(workers, 1h, [] {});
    together(named("owner", [&] { static_cast<void>(only.restart(2h)); }),
             named("stopper", [&] { workers.stop(); }));
    explorer::check(!only.cancel(), "the pool has ended it");
}

/// After a cancellation that says so, nothing runs, and what ran before is seen.
void ticks_until_cancelled() {
    sync::plain<int> runs{0};
    sync::atomic<int> seen{0};
    pool workers{1};
    ticker ticks = every(workers, 1us, [&] {
        runs.write(runs.read() + 1);
        seen.fetch_add(1, sync::relaxed);
    });
    while (seen.load(sync::relaxed) == 0) sync::yield();
    if (ticks.cancel()) runs.write(0);
}

/// The same at any time: before the first tick, while it runs and between two ticks.
void cancelled_at_any_time() {
    sync::plain<int> runs{0};
    pool workers{1};
    ticker ticks = every(workers, 1us, [&] { runs.write(runs.read() + 1); });
    if (ticks.cancel()) runs.write(0);
    explorer::check(!ticks.cancel(), "once is enough");
}

/// The handle or the task is the last to hold the callable.
void dropped_while_it_ends() {
    sync::plain<int> data{0};
    pool workers{1};
    timer once = after(workers, 0us, [&] { data.write(1); });
    once = timer{};
}

/// The callable belongs to the run or to the thread that cancels, and is freed once.
void cancelled_while_it_runs() {
    struct token {
        sync::plain<int>* data;
        explicit token(sync::plain<int>& owned) : data{&owned} {}
        token(token&& other) noexcept : data{std::exchange(other.data, nullptr)} {}
        ~token() {
            if (data != nullptr) data->write(-1);
        }
    };
    sync::plain<int> data{0};
    pool workers{1};
    {
        ticker ticks = every(workers, 1us, [own = token{data}] { own.data->write(1); });
        together(named("canceller", [&] { static_cast<void>(ticks.cancel()); }),
                 named("other", [&] { after(workers, 2us).get(); }));
    }
    workers.stop();
    explorer::check(data.read() == -1, "it was destroyed");
}

TEST(pool_timers, fire) { test::explore_pool("pool timers: fire", fires); }

TEST(pool_timers, two_threads_may_start_the_first) {
    test::explore_pool("pool timers: two first", two_threads_start_the_first);
}

TEST(pool_timers, fire_while_a_worker_is_busy) {
    test::explore_within({explorer::options::random(test::scaled(3'000, 500'000))},
                         "pool timers: busy worker", fires_while_a_worker_is_busy);
}

TEST(pool_timers, end_with_the_pool_while_another_thread_cancels) {
    test::explore_pool("pool timers: stopped and cancelled", stopped_and_cancelled);
}

TEST(pool_timers, end_or_are_refused_while_the_pool_stops) {
    test::explore_pool("pool timers: stopped while started", stopped_while_started);
}

TEST(pool_timers, end_or_are_refused_while_another_is_cancelled_and_the_pool_stops) {
    test::explore_pool("pool timers: stopped while started and cancelled",
                       stopped_while_started_and_cancelled);
}

TEST(pool_timers, end_with_the_pool_while_they_are_moved) {
    test::explore_pool("pool timers: stopped while moved", stopped_while_moved);
}

TEST(pool_timers, tick_until_they_are_cancelled) {
    test::explore_within({explorer::options::random(test::scaled(3'000, 500'000))},
                         "pool timers: ticks", ticks_until_cancelled);
}

TEST(pool_timers, are_cancelled_at_any_time) {
    test::explore_pool("pool timers: cancelled at any time", cancelled_at_any_time);
}

TEST(pool_timers, may_lose_their_handle_at_any_time) {
    test::explore_pool("pool timers: dropped while it ends", dropped_while_it_ends);
}

TEST(pool_timers, are_cancelled_while_they_run) {
    test::explore_within({explorer::options::random(test::scaled(3'000, 500'000))},
                         "pool timers: cancelled while it runs", cancelled_while_it_runs);
}

TEST(pool_timers, every_mutant_of_the_slot_is_caught) {
    const std::vector<explorer::scenario> scenarios = {
        {"pool timers: fire", explorer::options::weak(1, 1), fires},
        {"pool timers: two first", explorer::options::weak(1, 1), two_threads_start_the_first},
    };
    EXPECT_EQ(test::survivors(scenarios, "pool/time_slot.hpp"), std::vector<std::string>{});
}

TEST(pool_timers, every_mutant_of_a_call_is_caught) {
    const std::vector<explorer::scenario> scenarios = {
        {"pool timers: ticks", explorer::options::random(3'000), ticks_until_cancelled},
        {"pool timers: stopped and cancelled", explorer::options::weak(1, 1),
         stopped_and_cancelled},
        {"pool timers: cancelled while it runs", explorer::options::random(3'000),
         cancelled_while_it_runs},
        {"pool timers: dropped while it ends", explorer::options::weak(1, 1),
         dropped_while_it_ends},
    };
    EXPECT_EQ(test::survivors(scenarios, "timer/timed_call.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft::pool_timers_test
