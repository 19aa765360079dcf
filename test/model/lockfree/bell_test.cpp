#include "support/thorough.hpp"

#include <weft/detail/lockfree/bell.hpp>

#include <vector>

namespace weft {
namespace {

using explorer::named;
using explorer::together;

struct person {};

void two_come_to_wait() {
    detail::bell<person> bell;
    person one;
    person other;
    bool one_waits = false;
    bool other_waits = false;
    together(named("one", [&] { one_waits = bell.try_wait(one); }),
             named("other", [&] { other_waits = bell.try_wait(other); }));
    explorer::check(one_waits != other_waits, "one of them waits");
    explorer::check(bell.ring() == (one_waits ? &one : &other), "it is the one who is told of");
}

void rung_by_two() {
    detail::bell<person> bell;
    person one;
    explorer::check(bell.try_wait(one), "nobody else waits");
    person* first = nullptr;
    person* second = nullptr;
    together(named("ringer", [&] { first = bell.ring(); }),
             named("other ringer", [&] { second = bell.ring(); }));
    explorer::check((first == &one) != (second == &one), "it is told of once");
}

/// Who leaves does not take the place from the next.
void leaving_late() {
    detail::bell<person> bell;
    person one;
    person other;
    explorer::check(bell.try_wait(one), "nobody else waits");
    person* told = nullptr;
    bool other_waits = false;
    together(named("one", [&] { bell.leave(one); }), named("ringer", [&] { told = bell.ring(); }),
             named("other", [&] { other_waits = bell.try_wait(other); }));
    const bool still_there = bell.ring() == &other;
    explorer::check(other_waits == (still_there || told == &other),
                    "the other waits until told of");
}

void the_same_waits_again() {
    detail::bell<person> bell;
    person one;
    int told = 0;
    int waits = 0;
    together(named("waiter",
                   [&] {
                       for (int i = 0; i < 2; ++i) waits += bell.try_wait(one) ? 1 : 0;
                   }),
             named("ringer", [&] {
                 for (int i = 0; i < 2; ++i) told += bell.ring() == &one ? 1 : 0;
             }));
    told += bell.ring() == &one ? 1 : 0;
    explorer::check(told == waits, "for each wait it is told of once");
}

/// B1, with the ringer's fence as a pool has it (SLEEP-1).
void an_event_at_the_last_moment() {
    detail::bell<person> bell;
    person one;
    sync::atomic<bool> event{false};
    bool seen = false;
    person* told = nullptr;
    together(named("waiter",
                   [&] {
                       explorer::check(bell.try_wait(one), "nobody else waits");
                       seen = event.load(sync::relaxed);
                   }),
             named("ringer", [&] {
                 event.store(true, sync::relaxed);
                 sync::fence(sync::seq_cst);
                 told = bell.ring();
             }));
    explorer::check(seen || told == &one, "the waiter sees the event, or is told of");
}

TEST(bell, one_waits_at_a_time) { test::explore_thoroughly("bell: two come", two_come_to_wait); }

TEST(bell, a_waiter_is_told_of_once) { test::explore_thoroughly("bell: rung by two", rung_by_two); }

TEST(bell, who_leaves_takes_no_place_from_others) {
    test::explore_thoroughly("bell: leaving late", leaving_late);
}

TEST(bell, one_may_wait_again) {
    test::explore_thoroughly("bell: the same again", the_same_waits_again);
}

TEST(bell, a_waiter_sees_the_event_or_is_told_of) {
    test::explore_thoroughly("bell: at the last moment", an_event_at_the_last_moment);
}

TEST(bell, every_mutant_is_caught) {
    const explorer::options how = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"bell: two come", how, two_come_to_wait},
        {"bell: rung by two", how, rung_by_two},
        {"bell: leaving late", how, leaving_late},
        {"bell: at the last moment", how, an_event_at_the_last_moment},
    };
    EXPECT_EQ(test::survivors(scenarios, "bell.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft
