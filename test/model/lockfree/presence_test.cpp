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

/// What is used by those whom the gate lets in, and ended by its owner.
struct thing {
    sync::plain<bool> is_there{true};
    std::array<sync::plain<int>, 2> uses{};

    void use(std::size_t visitor) {
        explorer::check(is_there.read(), "it is there while somebody is inside");
        uses[visitor].write(uses[visitor].read() + 1);
    }
};

struct fixture {
    detail::presence gate;
    thing first;
    detail::presence::number number = gate.begin();

    bool visit(std::size_t visitor) {
        if (!gate.try_enter(number)) return false;
        first.use(visitor);
        gate.leave();
        return true;
    }
    void end() {
        gate.end();
        while (!gate.quiet()) explorer::yield();
        first.is_there.write(false);
        for (const auto& each : first.uses) each.read();
    }
};

void one_asks_while_it_ends() {
    fixture all;
    together(named("visitor", [&] { all.visit(0); }), named("owner", [&] { all.end(); }));
    explorer::check(!all.visit(0), "it is gone");
}

void two_ask_while_it_ends() {
    fixture all;
    together(named("visitor", [&] { all.visit(0); }), named("other visitor", [&] { all.visit(1); }),
             named("owner", [&] { all.end(); }));
    explorer::check(all.gate.quiet(), "quiet stays quiet");
}

void one_asks_twice() {
    fixture all;
    together(named("visitor",
                   [&] {
                       const bool before = all.visit(0);
                       const bool after = all.visit(0);
                       explorer::check(before || !after, "what is gone stays gone");
                   }),
             named("owner", [&] { all.end(); }));
}

/// The next thing has the same gate: who knows of the first must not come to the second.
void the_next_takes_its_place() {
    fixture all;
    thing second;
    detail::presence::number next = 0;
    bool let_in = false;
    together(named("visitor of the first", [&] { let_in = all.visit(0); }),
             named("owner",
                   [&] {
                       all.end();
                       next = all.gate.begin();
                       explorer::check(next != all.number, "each has its own number");
                       explorer::check(all.gate.try_enter(next), "the second is there");
                       second.use(0);
                       all.gate.leave();
                   }),
             named("late visitor of the first", [&] { all.visit(1); }));
    explorer::check(all.first.uses[0].read() == (let_in ? 1 : 0), "in or not in");
    explorer::check(!all.gate.try_enter(all.number), "the first is gone");
    explorer::check(all.gate.try_enter(next), "the second is there");
    all.gate.leave();
}

TEST(presence, what_is_used_does_not_end) {
    test::explore_thoroughly("presence: one asks while it ends", one_asks_while_it_ends);
    test::explore_thoroughly("presence: two ask while it ends", two_ask_while_it_ends);
}

TEST(presence, what_is_gone_stays_gone) {
    test::explore_thoroughly("presence: one asks twice", one_asks_twice);
}

TEST(presence, another_in_its_place_is_not_taken_for_it) {
    test::explore_thoroughly("presence: the next takes its place", the_next_takes_its_place);
}

TEST(presence, asking_is_lock_free) {
    const auto report = explorer::explore(
        "presence: a thread is stopped", explorer::options::weak(2, 2).freezing(), [] {
            fixture all;
            together(named("visitor", [&] { all.visit(0); }),
                     named("other visitor", [&] { all.visit(1); }), named("owner", [&] {
                         all.gate.end();
                         static_cast<void>(all.gate.quiet());
                     }));
        });
    EXPECT_TRUE(report.passed() && report.exhaustive) << report.explanation();
}

TEST(presence, every_mutant_is_caught) {
    const explorer::options how = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"presence: one asks while it ends", how, one_asks_while_it_ends},
        {"presence: two ask while it ends", how, two_ask_while_it_ends},
        {"presence: the next takes its place", how, the_next_takes_its_place},
    };
    EXPECT_EQ(test::survivors(scenarios, "presence.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft
