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

/// Letters that somebody waits for.
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
                       explorer::check(all.content.read() == 1, "what came before is there");
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

void all_are_woken() {
    office all;
    together(named("waiter", [&] { all.take(); }), named("other waiter", [&] { all.take(); }),
             named("poster", [&] {
                 all.letters.fetch_add(2, sync::release);
                 all.events.notify_all();
             }));
}

/// In time or not, what was posted is there afterwards or was taken.
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
    explorer::check(taken != all.try_take(), "it is there once");
}

/// With a deadline and nobody else the wait ends.
void nobody_posts() {
    office all;
    const auto deadline = sync::clock::now() + std::chrono::seconds{1};
    bool in_time = true;
    together(named("waiter", [&] {
        while (in_time) in_time = all.events.wait([] { return false; }, &deadline);
    }));
    explorer::check(!in_time, "the deadline came first");
}

/// Whoever is woken first wakes the other.
void one_leaves_another_comes() {
    office all;
    const auto take_and_pass_on = [&] {
        all.take();
        all.post();
    };
    together(named("first", take_and_pass_on), named("second", take_and_pass_on),
             named("poster", [&] { all.post(); }));
    explorer::check(all.try_take() && !all.try_take(), "it was one");
}

void posted_before_the_wait() {
    office all;
    all.post();
    together(named("waiter", [&] { all.take(); }));
    explorer::check(!all.try_take(), "it was one");
}

void ping_pong() {
    office there;
    office back;
    together(named("one",
                   [&] {
                       there.post();
                       back.take();
                       there.post();
                   }),
             named("other", [&] {
                 there.take();
                 back.post();
                 there.take();
             }));
}

TEST(event_count, a_waiter_gets_what_is_posted) {
    test::explore_thoroughly("events: one waits", one_waits);
}
TEST(event_count, two_waiters_get_two) { test::explore_thoroughly("events: two wait", two_wait); }
TEST(event_count, one_waiter_gets_two) { test::explore_thoroughly("events: two post", two_post); }
TEST(event_count, all_are_woken) { test::explore_thoroughly("events: all", all_are_woken); }
TEST(event_count, nothing_is_lost_at_a_deadline) {
    test::explore_thoroughly("events: with a deadline", with_a_deadline);
}
TEST(event_count, a_wait_ends_at_its_deadline) {
    test::explore_thoroughly("events: nobody posts", nobody_posts);
}
TEST(event_count, a_woken_waiter_may_wake_the_next) {
    test::explore_thoroughly("events: one leaves, another comes", one_leaves_another_comes);
}
TEST(event_count, who_finds_something_does_not_wait) {
    test::explore_thoroughly("events: posted before", posted_before_the_wait);
}
TEST(event_count, two_may_wake_each_other) {
    test::explore_thoroughly("events: ping-pong", ping_pong);
}

TEST(event_count, every_mutant_is_caught) {
    const explorer::options how = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"events: one waits", how, one_waits},
        {"events: all", explorer::options::weak(1, 1), all_are_woken},
        {"events: ping-pong", how, ping_pong},
    };
    // Two notifications that give the same number: who reads it between the two has a fence behind
    // the one of the second notifier, and sees its change; else that one reads the first number.
    const std::vector<std::string> equivalent{"fetch_add: split", "fetch_add: split"};
    EXPECT_EQ(test::survivors(scenarios, "lockfree/event_count.hpp"), equivalent);
}

} // namespace
} // namespace weft
