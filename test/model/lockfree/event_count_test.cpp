#include "lockfree/event_count.hpp"

#include "support/thorough.hpp"

#include <weft/detail/sync/plain.hpp>
#include <weft/detail/sync/thread.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace weft {
namespace {

using explorer::named;
using explorer::together;

/// Letters, and threads that wait for them.
struct office {
    detail::event_count events;
    sync::atomic<int> letters{0};
    sync::plain<int> content{0};

    void post(int count = 1) {
        letters.fetch_add(count, sync::release);
        events.notify_one();
    }
    bool try_take() {
        int now = letters.load(sync::relaxed);
        while (now > 0) {
            if (letters.compare_exchange_weak(now, now - 1, sync::acquire, sync::relaxed)) {
                return true;
            }
        }
        return false;
    }
    void take() {
        while (!try_take()) {
            events.wait([this] { return letters.load(sync::relaxed) > 0; });
        }
    }
};

void one_waits() {
    office all;
    together(named("waiter",
                   [&] {
                       all.take();
                       explorer::check(all.content.read() == 1, "what came before is seen");
                   }),
             named("poster", [&] {
                 all.content.write(1);
                 all.post();
             }));
}

void two_wait() {
    office all;
    together(named("waiter", [&] { all.take(); }), named("other waiter", [&] { all.take(); }),
             named("poster", [&] {
                 all.post();
                 all.post();
             }));
}

void two_post() {
    office all;
    together(named("waiter",
                   [&] {
                       all.take();
                       all.take();
                   }),
             named("poster", [&] { all.post(); }), named("other poster", [&] { all.post(); }));
}

void all_waiters_are_woken() {
    office all;
    together(named("waiter", [&] { all.take(); }), named("other waiter", [&] { all.take(); }),
             named("poster", [&] {
                 all.letters.fetch_add(2, sync::release);
                 all.events.notify_all();
             }));
}

/// Whether the wait ends in time or not, the letter was taken or is still there.
void with_a_deadline() {
    office all;
    bool taken = false;
    together(named("waiter",
                   [&] {
                       const auto deadline = sync::clock::now() + std::chrono::seconds{1};
                       bool in_time = true;
                       while (!(taken = all.try_take()) && in_time) {
                           in_time = all.events.wait(
                               [&] { return all.letters.load(sync::relaxed) > 0; }, &deadline);
                       }
                   }),
             named("poster", [&] { all.post(); }));
    explorer::check(taken != all.try_take(), "the letter is taken once");
}

/// A wait with a deadline ends even if nobody posts.
void nobody_posts() {
    office all;
    const auto deadline = sync::clock::now() + std::chrono::seconds{1};
    bool in_time = true;
    together(named("waiter", [&] {
        while (in_time) in_time = all.events.wait([] { return false; }, &deadline);
    }));
    explorer::check(!in_time, "the deadline came first");
}

/// The waiter that is woken first wakes the other.
void one_wakes_the_next() {
    office all;
    const auto take_and_pass_on = [&] {
        all.take();
        all.post();
    };
    together(named("first", take_and_pass_on), named("second", take_and_pass_on),
             named("poster", [&] { all.post(); }));
    explorer::check(all.try_take() && !all.try_take(), "one letter is left");
}

void posted_before_the_wait() {
    office all;
    all.post();
    together(named("waiter", [&] { all.take(); }));
    explorer::check(!all.try_take(), "there was one letter");
}

void ping_pong() {
    office pings;
    office pongs;
    together(named("one",
                   [&] {
                       pings.post();
                       pongs.take();
                       pings.post();
                   }),
             named("other", [&] {
                 pings.take();
                 pongs.post();
                 pings.take();
             }));
}

TEST(event_count, a_waiter_gets_what_is_posted) {
    test::explore_thoroughly("events: one waits", one_waits);
}
TEST(event_count, two_waiters_get_two) { test::explore_thoroughly("events: two wait", two_wait); }
TEST(event_count, one_waiter_gets_two) { test::explore_thoroughly("events: two post", two_post); }
TEST(event_count, all_waiters_are_woken) {
    test::explore_thoroughly("events: all", all_waiters_are_woken);
}
TEST(event_count, nothing_is_lost_at_a_deadline) {
    test::explore_thoroughly("events: with a deadline", with_a_deadline);
}
TEST(event_count, a_wait_ends_at_its_deadline) {
    test::explore_thoroughly("events: nobody posts", nobody_posts);
}
TEST(event_count, a_woken_waiter_may_wake_the_next) {
    test::explore_thoroughly("events: one wakes the next", one_wakes_the_next);
}
TEST(event_count, a_waiter_that_finds_a_letter_does_not_wait) {
    test::explore_thoroughly("events: posted before", posted_before_the_wait);
}
TEST(event_count, two_threads_may_wake_each_other) {
    test::explore_thoroughly("events: ping-pong", ping_pong);
}

TEST(event_count, every_mutant_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"events: one waits", bounds, one_waits},
        {"events: all", explorer::options::weak(1, 1), all_waiters_are_woken},
        {"events: ping-pong", bounds, ping_pong},
    };
    // Two notifications may then store the same number. A waiter that reads it between the two has
    // its fence after the second notifier's, and sees that change; otherwise the second notifier
    // reads the first one's number.
    const std::vector<std::string> equivalent{"fetch_add: split", "fetch_add: split"};
    EXPECT_EQ(test::survivors(scenarios, "lockfree/event_count.hpp"), equivalent);
}

} // namespace
} // namespace weft
