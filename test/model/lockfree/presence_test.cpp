#include "support/thorough.hpp"

#include <weft/detail/lockfree/presence.hpp>
#include <weft/detail/sync/plain.hpp>

#include <array>
#include <string>
#include <vector>

namespace weft {
namespace {

using explorer::named;
using explorer::together;

/// An object that visitors use and its owner ends.
struct guarded {
    sync::plain<bool> exists{true};
    std::array<sync::plain<int>, 2> uses{};

    void use(std::size_t visitor) {
        explorer::check(exists.read(), "it exists while a visitor is inside");
        uses[visitor].write(uses[visitor].read() + 1);
    }
};

struct fixture {
    detail::presence presence;
    guarded first;
    detail::presence::number number = presence.begin();

    bool visit(std::size_t visitor) {
        if (!presence.try_enter(number)) return false;
        first.use(visitor);
        presence.leave();
        return true;
    }
    void end() {
        presence.end();
        while (!presence.quiet()) explorer::yield();
        first.exists.write(false);
        for (const auto& each : first.uses) each.read();
    }
};

void one_enters_while_it_ends() {
    fixture all;
    together(named("visitor", [&] { all.visit(0); }), named("owner", [&] { all.end(); }));
    explorer::check(!all.visit(0), "it is gone");
}

void two_enter_while_it_ends() {
    fixture all;
    together(named("visitor", [&] { all.visit(0); }), named("other visitor", [&] { all.visit(1); }),
             named("owner", [&] { all.end(); }));
    explorer::check(all.presence.quiet(), "quiet stays quiet");
}

void one_enters_twice() {
    fixture all;
    together(named("visitor",
                   [&] {
                       const bool before = all.visit(0);
                       const bool after = all.visit(0);
                       explorer::check(before || !after, "what is gone stays gone");
                   }),
             named("owner", [&] { all.end(); }));
}

/// The next object is guarded by the same word: a visitor with the number of the first must not
/// enter the second.
void the_next_takes_its_place() {
    fixture all;
    guarded second;
    detail::presence::number next = 0;
    bool let_in = false;
    together(named("visitor of the first", [&] { let_in = all.visit(0); }),
             named("owner",
                   [&] {
                       all.end();
                       next = all.presence.begin();
                       explorer::check(next != all.number, "each has its own number");
                       explorer::check(all.presence.try_enter(next), "the second exists");
                       second.use(0);
                       all.presence.leave();
                   }),
             named("late visitor of the first", [&] { all.visit(1); }));
    explorer::check(all.first.uses[0].read() == (let_in ? 1 : 0),
                    "it was used if and only if the visitor was let in");
    explorer::check(!all.presence.try_enter(all.number), "the first is gone");
    explorer::check(all.presence.try_enter(next), "the second exists");
    all.presence.leave();
}

TEST(presence, an_object_in_use_does_not_end) {
    test::explore_thoroughly("presence: one enters while it ends", one_enters_while_it_ends);
    test::explore_thoroughly("presence: two enter while it ends", two_enter_while_it_ends);
}

TEST(presence, an_object_that_is_gone_stays_gone) {
    test::explore_thoroughly("presence: one enters twice", one_enters_twice);
}

TEST(presence, the_next_object_is_not_mistaken_for_it) {
    test::explore_thoroughly("presence: the next takes its place", the_next_takes_its_place);
}

TEST(presence, entering_is_lock_free) {
    const auto report = explorer::explore(
        "presence: a thread is stopped", explorer::options::weak(2, 2).freezing(), [] {
            fixture all;
            together(named("visitor", [&] { all.visit(0); }),
                     named("other visitor", [&] { all.visit(1); }), named("owner", [&] {
                         all.presence.end();
                         static_cast<void>(all.presence.quiet());
                     }));
        });
    EXPECT_TRUE(report.passed() && report.exhaustive) << report.explanation();
}

TEST(presence, every_mutant_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"presence: one enters while it ends", bounds, one_enters_while_it_ends},
        {"presence: two enter while it ends", bounds, two_enter_while_it_ends},
        {"presence: the next takes its place", bounds, the_next_takes_its_place},
    };
    EXPECT_EQ(test::survivors(scenarios, "presence.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft
