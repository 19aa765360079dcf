#include "support/thorough.hpp"

#include <weft/detail/lockfree/bell.hpp>

#include <vector>

namespace weft {
namespace {

using explorer::named;
using explorer::together;

struct waiter {};

void two_try_to_wait() {
    detail::bell<waiter> bell;
    waiter one;
    waiter other;
    bool one_waits = false;
    bool other_waits = false;
    together(named("one", [&] { one_waits = bell.try_wait(one); }),
             named("other", [&] { other_waits = bell.try_wait(other); }));
    explorer::check(one_waits != other_waits, "one of them waits");
    explorer::check(bell.ring() == (one_waits ? &one : &other), "ring returns the one that waits");
}

void rung_by_two() {
    detail::bell<waiter> bell;
    waiter one;
    explorer::check(bell.try_wait(one), "nobody else waits");
    waiter* first = nullptr;
    waiter* second = nullptr;
    together(named("ringer", [&] { first = bell.ring(); }),
             named("other ringer", [&] { second = bell.ring(); }));
    explorer::check((first == &one) != (second == &one), "ring returns it once");
}

/// A waiter that leaves late does not remove the next one.
void leaving_late() {
    detail::bell<waiter> bell;
    waiter one;
    waiter other;
    explorer::check(bell.try_wait(one), "nobody else waits");
    waiter* rung = nullptr;
    bool other_waits = false;
    together(named("one", [&] { bell.leave(one); }), named("ringer", [&] { rung = bell.ring(); }),
             named("other", [&] { other_waits = bell.try_wait(other); }));
    const bool still_there = bell.ring() == &other;
    explorer::check(other_waits == (still_there || rung == &other),
                    "the other waits until ring returns it");
}

void one_waits_twice() {
    detail::bell<waiter> bell;
    waiter one;
    int returned = 0;
    int waits = 0;
    together(named("waiter",
                   [&] {
                       for (int i = 0; i < 2; ++i) waits += bell.try_wait(one) ? 1 : 0;
                   }),
             named("ringer", [&] {
                 for (int i = 0; i < 2; ++i) returned += bell.ring() == &one ? 1 : 0;
             }));
    returned += bell.ring() == &one ? 1 : 0;
    explorer::check(returned == waits, "ring returns it once for each wait");
}

/// B1, with the ringer's fence as a pool has it (SLEEP-1).
void an_event_at_the_last_moment() {
    detail::bell<waiter> bell;
    waiter one;
    sync::atomic<bool> event{false};
    bool seen = false;
    waiter* rung = nullptr;
    together(named("waiter",
                   [&] {
                       explorer::check(bell.try_wait(one), "nobody else waits");
                       seen = event.load(sync::relaxed);
                   }),
             named("ringer", [&] {
                 event.store(true, sync::relaxed);
                 sync::fence(sync::seq_cst);
                 rung = bell.ring();
             }));
    explorer::check(seen || rung == &one, "the waiter sees the event, or ring returns it");
}

TEST(bell, one_waits_at_a_time) {
    test::explore_thoroughly("bell: two try to wait", two_try_to_wait);
}

TEST(bell, ring_returns_a_waiter_once) {
    test::explore_thoroughly("bell: rung by two", rung_by_two);
}

TEST(bell, a_waiter_that_leaves_takes_no_place_of_another) {
    test::explore_thoroughly("bell: leaving late", leaving_late);
}

TEST(bell, a_waiter_may_wait_again) {
    test::explore_thoroughly("bell: one waits twice", one_waits_twice);
}

TEST(bell, a_waiter_sees_the_event_or_is_notified) {
    test::explore_thoroughly("bell: at the last moment", an_event_at_the_last_moment);
}

TEST(bell, every_mutant_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"bell: two try to wait", bounds, two_try_to_wait},
        {"bell: rung by two", bounds, rung_by_two},
        {"bell: leaving late", bounds, leaving_late},
        {"bell: at the last moment", bounds, an_event_at_the_last_moment},
    };
    EXPECT_EQ(test::survivors(scenarios, "bell.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft
