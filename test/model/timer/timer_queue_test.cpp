// Timers that several threads start, move, cancel and fire.
#include <weft/detail/timer/timer_queue.hpp>

#include "support/thorough.hpp"

#include <weft/detail/pool/alarm_time.hpp>
#include <weft/detail/sync/plain.hpp>
#include <weft/detail/sync/thread.hpp>
#include <weft/explorer.hpp>

#include <optional>
#include <string>
#include <vector>

namespace weft::timer_queue_test {
namespace {

using detail::alarm_time;
using detail::timer_end;
using detail::timer_queue;
using explorer::named;
using explorer::together;

constexpr alarm_time soon = 1'000;
constexpr alarm_time later = alarm_time{1} << 40;

constexpr auto nobody = [](timer_queue&, alarm_time) {};

/// A timer that remembers how it has ended. Its end is written to plain data, as a waiter reads it.
struct timer : detail::timer_node {
    sync::plain<int> ended{0};
    sync::plain<timer_end> reason_seen{timer_end::due};

    timer() : timer_node{&note} {}
    static void note(timer_node& self, timer_end reason) noexcept {
        auto& own = static_cast<timer&>(self);
        explorer::check(own.ended.read() == 0, "it ends once");
        own.ended.write(own.ended.read() + 1);
        own.reason_seen.write(reason);
    }
    void check_ended(timer_end expected) const {
        explorer::check(ended.read() == 1, "it has ended once");
        explorer::check(reason_seen.read() == expected, "for this reason");
    }
};

void check_empty(const timer_queue& queue) {
    explorer::check(queue.is_unused() && !queue.has_pending(), "nothing is left");
}

/// Fires until nothing is pending: a thread may have found the queue held.
void fire_rest(timer_queue& queue, alarm_time now) {
    while (queue.next_alarm() <= now && queue.fire(now, nobody)) {
    }
}

void cancelled_or_fired() {
    timer_queue queue{0};
    timer only;
    explorer::check(queue.start(only, soon, nobody), "started");
    bool cancelled = false;
    together(named("canceller", [&] { cancelled = timer_queue::cancel(only, nobody); }),
             named("worker", [&] { queue.fire(soon, nobody); }));
    fire_rest(queue, soon);
    only.check_ended(cancelled ? timer_end::cancelled : timer_end::due);
    check_empty(queue);
}

void cancelled_by_two() {
    timer_queue queue{0};
    timer only;
    explorer::check(queue.start(only, soon, nobody), "started");
    bool first = false;
    bool second = false;
    together(named("canceller", [&] { first = timer_queue::cancel(only, nobody); }),
             named("other", [&] { second = timer_queue::cancel(only, nobody); }),
             named("worker", [&] { queue.fire(soon, nobody); }));
    fire_rest(queue, soon);
    explorer::check(!(first && second), "one of them at most");
    only.check_ended(first || second ? timer_end::cancelled : timer_end::due);
    check_empty(queue);
}

/// Whether or not the timer has been started when it is cancelled, it ends once or never begins.
void cancelled_while_it_is_started() {
    timer_queue queue{0};
    timer only;
    bool started = false;
    bool cancelled = false;
    together(named("owner", [&] { started = queue.start(only, soon, nobody); }),
             named("canceller", [&] { cancelled = timer_queue::cancel(only, nobody); }),
             named("worker", [&] { queue.fire(soon, nobody); }));
    fire_rest(queue, soon);
    if (started) only.check_ended(cancelled ? timer_end::cancelled : timer_end::due);
    else explorer::check(cancelled && only.ended.read() == 0, "it has not begun");
    check_empty(queue);
}

/// A timer that another thread has started, found and cancelled with nothing but its state to order
/// the two.
void started_at_once() {
    timer_queue queue{0};
    timer first;
    timer second;
    together(
        named("one", [&] { explorer::check(queue.start(first, soon, nobody), "started"); }),
        named("other", [&] { explorer::check(queue.start(second, later, nobody), "started"); }),
        named("worker", [&] { queue.fire(soon, nobody); }));
    fire_rest(queue, soon);
    first.check_ended(timer_end::due);
    explorer::check(second.ended.read() == 0 && queue.next_alarm() == later, "not early");
    while (queue.has_pending()) queue.fire_all(nobody);
    second.check_ended(timer_end::stopped);
    check_empty(queue);
}

void moved_or_fired() {
    timer_queue queue{0};
    timer only;
    explorer::check(queue.start(only, soon, nobody), "started");
    bool moved = false;
    together(named("owner", [&] { moved = queue.move(only, later, nobody); }),
             named("worker", [&] { queue.fire(soon, nobody); }));
    fire_rest(queue, soon);
    if (moved) {
        explorer::check(only.ended.read() == 0 && queue.next_alarm() == later, "it was moved");
        fire_rest(queue, later);
    }
    only.check_ended(timer_end::due);
    check_empty(queue);
}

/// Moved again while the request for the first move is under way.
void moved_twice() {
    timer_queue queue{0};
    timer only;
    timer other;
    explorer::check(queue.start(only, later, nobody), "started");
    bool moved = false;
    together(named("owner",
                   [&] {
                       const bool once = queue.move(only, later + 1, nobody);
                       moved = queue.move(only, soon, nobody);
                       explorer::check(once && moved, "nothing fires it");
                   }),
             named("worker", [&] { queue.fire(0, nobody); }), named("starter", [&] {
                 explorer::check(queue.start(other, later, nobody), "started");
             }));
    explorer::check(queue.next_alarm() == soon, "the last deadline holds");
    fire_rest(queue, soon);
    only.check_ended(timer_end::due);
    while (queue.has_pending()) queue.fire_all(nobody);
}

void moved_or_cancelled() {
    timer_queue queue{0};
    timer only;
    explorer::check(queue.start(only, soon, nobody), "started");
    bool cancelled = false;
    together(named("owner", [&] { static_cast<void>(queue.move(only, later, nobody)); }),
             named("canceller", [&] { cancelled = timer_queue::cancel(only, nobody); }),
             named("worker", [&] { queue.fire(soon, nobody); }));
    fire_rest(queue, later);
    only.check_ended(cancelled ? timer_end::cancelled : timer_end::due);
    check_empty(queue);
}

/// What a stopping pool relies on: once nothing is pending and the queue is unused, no thread will
/// access it again.
void ended_before_the_queue() {
    timer only;
    std::optional<timer_queue> queue{0};
    explorer::check(queue->start(only, later, nobody), "started");
    bool cancelled = false;
    together(named("canceller", [&] { cancelled = timer_queue::cancel(only, nobody); }),
             named("stopper", [&] {
                 while (queue->has_pending()) {
                     if (!queue->fire_all(nobody)) sync::yield();
                 }
                 while (!queue->is_unused()) sync::yield();
                 queue.reset();
             }));
    only.check_ended(cancelled ? timer_end::cancelled : timer_end::stopped);
}

/// What was started is seen as pending, also while another thread holds the wheel.
void started_while_held() {
    timer_queue queue{0};
    timer first;
    timer second;
    explorer::check(queue.start(first, soon, nobody), "started");
    together(named("canceller", [&] { static_cast<void>(timer_queue::cancel(first, nobody)); }),
             named("starter and stopper", [&] {
                 explorer::check(queue.start(second, later, nobody), "started");
                 explorer::check(queue.has_pending(), "it has not ended");
             }));
    while (queue.has_pending()) queue.fire_all(nobody);
    second.check_ended(timer_end::stopped);
    check_empty(queue);
}

/// The mover claims the timer, which is put aside then, and linked again when the request comes.
void moved_while_stopping() {
    timer_queue queue{0};
    timer only;
    explorer::check(queue.start(only, soon, nobody), "started");
    together(named("owner", [&] { static_cast<void>(queue.move(only, later, nobody)); }),
             named("stopper", [&] {
                 while (queue.has_pending()) {
                     if (!queue.fire_all(nobody)) sync::yield();
                 }
                 only.check_ended(timer_end::stopped);
             }));
    check_empty(queue);
}

TEST(timer_queue, fires_a_timer_or_cancels_it) {
    test::explore_thoroughly("timer: cancelled or fired", cancelled_or_fired);
}

TEST(timer_queue, tells_one_thread_that_it_has_cancelled) {
    test::explore_thoroughly("timer: cancelled by two", cancelled_by_two);
}

TEST(timer_queue, can_be_cancelled_while_it_is_started) {
    test::explore_thoroughly("timer: cancelled while started", cancelled_while_it_is_started);
}

TEST(timer_queue, takes_timers_of_several_threads) {
    test::explore_thoroughly("timer: started at once", started_at_once);
}

TEST(timer_queue, moves_a_timer_or_fires_it) {
    test::explore_thoroughly("timer: moved or fired", moved_or_fired);
}

TEST(timer_queue, moves_a_timer_again) {
    test::explore_thoroughly("timer: moved twice", moved_twice);
}

TEST(timer_queue, moves_a_timer_that_is_cancelled) {
    test::explore_thoroughly("timer: moved or cancelled", moved_or_cancelled);
}

TEST(timer_queue, may_end_when_it_is_unused) {
    test::explore_thoroughly("timer: ended before the queue", ended_before_the_queue);
}

TEST(timer_queue, is_pending_from_its_start) {
    test::explore_thoroughly("timer: started while held", started_while_held);
}

TEST(timer_queue, is_pending_while_it_is_moved) {
    test::explore_thoroughly("timer: moved while stopping", moved_while_stopping);
}

TEST(timer_queue, is_lock_free) {
    const auto report = explorer::explore(
        "timer: a thread is stopped", explorer::options::weak(2, 2).freezing(), [] {
            timer_queue queue{0};
            timer first;
            explorer::check(queue.start(first, soon, nobody), "started");
            together(
                named("canceller", [&] { static_cast<void>(timer_queue::cancel(first, nobody)); }),
                named("owner", [&] { static_cast<void>(queue.move(first, later, nobody)); }),
                named("worker", [&] { queue.fire(soon, nobody); }));
        });
    EXPECT_TRUE(report.passed() && report.exhaustive) << report.explanation();
}

TEST(timer_queue, every_mutant_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"timer: cancelled or fired", bounds, cancelled_or_fired},
        {"timer: cancelled while started", bounds, cancelled_while_it_is_started},
        {"timer: started at once", bounds, started_at_once},
        {"timer: moved or fired", bounds, moved_or_fired},
        {"timer: moved twice", bounds, moved_twice},
        {"timer: moved or cancelled", bounds, moved_or_cancelled},
        {"timer: ended before the queue", bounds, ended_before_the_queue},
        {"timer: started while held", bounds, started_while_held},
        {"timer: moved while stopping", bounds, moved_while_stopping},
    };
    EXPECT_EQ(test::survivors(scenarios, "timer/timer_queue.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft::timer_queue_test
