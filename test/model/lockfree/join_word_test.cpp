#include "support/thorough.hpp"

#include <weft/detail/lockfree/join_word.hpp>
#include <weft/detail/sync/memory.hpp>
#include <weft/detail/sync/parker.hpp>
#include <weft/detail/sync/plain.hpp>

#include <optional>

namespace weft {
namespace {

using detail::join_word;
using explorer::named;
using explorer::together;
using state = join_word::state;

/// A child on its owner's stack: gone when the owner has seen that it is done.
struct child {
    join_word join;
    sync::plain<int> base{0};
    sync::plain<int> result{0};
};

/// Where an owner sleeps, and how often it was woken.
struct owner {
    sync::parker parker;
    sync::atomic<int> woken{0};

    void wake() {
        woken.fetch_add(1, sync::relaxed);
        parker.unpark();
    }
};

void run_stolen(child& stolen, owner& victim, int result = 1) {
    stolen.base.write(7);
    if (stolen.join.thief_begin()) victim.wake();
    stolen.result.write(result);
    if (stolen.join.thief_finish().wake) victim.wake();
}

void check_result(const child& stolen, int result = 1) {
    explorer::check(stolen.join.owner_look() == state::done, "it is done");
    explorer::check(stolen.result.read() == result, "the result is seen");
}

/// Sleeps until the child is done; true if it has slept.
bool sleep_until_done(child& stolen, owner& self) {
    bool slept = false;
    while (stolen.join.owner_look() != state::done) {
        if (stolen.join.owner_await() == state::done) continue;
        slept = true;
        self.parker.park();
    }
    check_result(stolen);
    return slept;
}

void looking_until_done() {
    child stolen;
    owner self;
    together(named("owner",
                   [&] {
                       while (stolen.join.owner_look() != state::done) explorer::yield();
                       check_result(stolen);
                   }),
             named("thief", [&] { run_stolen(stolen, self); }));
    explorer::check(self.woken.load(sync::relaxed) == 0, "the owner did not sleep");
}

void looking_while_it_runs() {
    child stolen;
    owner self;
    together(named("owner",
                   [&] {
                       const state seen = stolen.join.owner_look();
                       if (seen != state::shared) {
                           explorer::check(stolen.base.read() == 7, "the base is seen");
                       }
                       if (seen == state::done) check_result(stolen);
                   }),
             named("thief", [&] { run_stolen(stolen, self); }));
}

void sleeping_at_once() {
    child stolen;
    owner self;
    bool slept = false;
    together(named("owner", [&] { slept = sleep_until_done(stolen, self); }),
             named("thief", [&] { run_stolen(stolen, self); }));
    explorer::check((self.woken.load(sync::relaxed) > 0) == slept,
                    "the owner is woken if it sleeps");
}

void looking_then_sleeping() {
    child stolen;
    owner self;
    bool slept = false;
    together(named("owner",
                   [&] {
                       if (stolen.join.owner_look() == state::running) {
                           explorer::check(stolen.base.read() == 7, "the base is seen");
                       }
                       slept = sleep_until_done(stolen, self);
                   }),
             named("thief", [&] { run_stolen(stolen, self); }));
    explorer::check((self.woken.load(sync::relaxed) > 0) == slept,
                    "the owner is woken if it sleeps");
}

/// The owner announces that it helps, before it sleeps or without sleeping: the thief learns of it.
void helped() {
    child stolen;
    owner self;
    bool thief_knows = false;
    bool helps = false;
    together(named("owner",
                   [&] {
                       helps = stolen.join.owner_help();
                       sleep_until_done(stolen, self);
                   }),
             named("thief", [&] {
                 if (stolen.join.thief_begin()) self.wake();
                 stolen.result.write(1);
                 const join_word::finished end = stolen.join.thief_finish();
                 thief_knows = end.helped;
                 if (end.wake) self.wake();
             }));
    explorer::check(thief_knows == helps, "the thief knows if and only if the owner helps");
}

void awaited_before_it_begins() {
    child stolen;
    owner self;
    explorer::check(stolen.join.owner_await() == state::shared, "it has not begun");
    together(named("owner",
                   [&] {
                       self.parker.park();
                       explorer::check(stolen.join.owner_look() != state::shared, "it has begun");
                       sleep_until_done(stolen, self);
                   }),
             named("thief", [&] { run_stolen(stolen, self); }));
    explorer::check(self.woken.load(sync::relaxed) > 0, "the owner is woken");
}

void awaited_when_done() {
    child stolen;
    owner self;
    together(named("thief", [&] { run_stolen(stolen, self); }));
    explorer::check(stolen.join.owner_await() == state::done, "it is done");
    check_result(stolen);
}

/// The child ends as soon as its owner knows; the thief must not touch it any more.
void gone_when_looked_at() {
    auto* stolen = sync::make<child>();
    owner self;
    together(named("owner",
                   [&] {
                       while (stolen->join.owner_look() != state::done) explorer::yield();
                       sync::destroy(stolen);
                   }),
             named("thief", [&] { run_stolen(*stolen, self); }));
}

void gone_when_woken() {
    auto* stolen = sync::make<child>();
    owner self;
    together(named("owner",
                   [&] {
                       sleep_until_done(*stolen, self);
                       sync::destroy(stolen);
                   }),
             named("thief", [&] { run_stolen(*stolen, self); }));
}

/// The place of a child is used for the next one; one thief runs both.
void one_after_the_other() {
    std::optional<child> place{std::in_place};
    owner self;
    sync::atomic<bool> second{false};
    together(named("owner",
                   [&] {
                       sleep_until_done(*place, self);
                       place.emplace();
                       second.store(true, sync::release);
                       sleep_until_done(*place, self);
                   }),
             named("thief", [&] {
                 run_stolen(*place, self);
                 while (!second.load(sync::acquire)) explorer::yield();
                 run_stolen(*place, self);
             }));
}

/// Two thieves wake one owner: a token from one does not end the wait for the other too early.
void two_thieves() {
    child first;
    child second;
    owner self;
    bool slept_first = false;
    bool slept_second = false;
    together(named("owner",
                   [&] {
                       slept_second = sleep_until_done(second, self);
                       slept_first = sleep_until_done(first, self);
                   }),
             named("thief", [&] { run_stolen(first, self); }),
             named("other thief", [&] { run_stolen(second, self); }));
    const int sleeps = (slept_first ? 1 : 0) + (slept_second ? 1 : 0);
    explorer::check(self.woken.load(sync::relaxed) >= sleeps, "a token for each sleep");
}

TEST(join_word, the_thief_learns_that_it_was_helped) {
    test::explore_thoroughly("join word: helped", helped);
}

TEST(join_word, the_result_is_seen_when_it_is_done) {
    test::explore_thoroughly("join word: looking until done", looking_until_done);
}

TEST(join_word, what_came_before_begin_is_seen_while_it_runs) {
    test::explore_thoroughly("join word: looking while it runs", looking_while_it_runs);
}

TEST(join_word, the_owner_is_woken_if_and_only_if_it_sleeps) {
    test::explore_thoroughly("join word: sleeping at once", sleeping_at_once);
}

TEST(join_word, the_owner_may_look_before_it_sleeps) {
    test::explore_thoroughly("join word: looking then sleeping", looking_then_sleeping);
}

TEST(join_word, begin_leaves_an_awaited_child_awaited) {
    test::explore_thoroughly("join word: awaited before it begins", awaited_before_it_begins);
}

TEST(join_word, the_owner_does_not_sleep_if_the_child_is_done) {
    test::explore_thoroughly("join word: awaited when done", awaited_when_done);
}

TEST(join_word, a_child_may_end_when_it_is_seen_done) {
    test::explore_thoroughly("join word: gone when looked at", gone_when_looked_at);
}

TEST(join_word, a_child_may_end_when_its_owner_is_woken) {
    test::explore_thoroughly("join word: gone when woken", gone_when_woken);
}

TEST(join_word, the_place_of_a_child_may_be_used_again) {
    test::explore_thoroughly("join word: one after the other", one_after_the_other);
}

TEST(join_word, a_token_left_over_does_no_harm) {
    test::explore_thoroughly("join word: two thieves", two_thieves);
}

TEST(join_word, is_wait_free) {
    const auto report = explorer::explore(
        "join word: a thread is stopped", explorer::options::weak(2, 2).freezing(), [] {
            child stolen;
            together(named("owner",
                           [&] {
                               static_cast<void>(stolen.join.owner_look());
                               static_cast<void>(stolen.join.owner_await());
                           }),
                     named("thief", [&] {
                         static_cast<void>(stolen.join.thief_begin());
                         static_cast<void>(stolen.join.thief_finish());
                     }));
        });
    EXPECT_TRUE(report.passed() && report.exhaustive) << report.explanation();
}

TEST(join_word, every_mutant_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"join word: looking while it runs", bounds, looking_while_it_runs},
        {"join word: looking until done", bounds, looking_until_done},
        {"join word: sleeping at once", bounds, sleeping_at_once},
    };
    EXPECT_EQ(test::survivors(scenarios, "join_word.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft
