#include "lockfree/intake.hpp"

#include "support/thorough.hpp"

#include <weft/detail/sync/plain.hpp>

#include <array>

namespace weft {
namespace {

using explorer::named;
using explorer::together;

/// A visitor that is let in writes to a flag of its own; a thread that sees quiet reads all flags.
template <std::size_t Visitors>
struct fixture {
    detail::intake intake;
    std::array<sync::plain<bool>, Visitors> was_inside{};
    std::array<bool, Visitors> let_in{};

    bool visit(std::size_t visitor) {
        if (!intake.try_enter()) return false;
        was_inside[visitor].write(true);
        intake.leave();
        let_in[visitor] = true;
        return true;
    }
    auto visitor(std::size_t number) {
        return [this, number] { visit(number); };
    }
    void wait_until_quiet() {
        while (!intake.quiet()) explorer::yield();
        for (const auto& each : was_inside) each.read();
    }
    void finish() {
        explorer::check(intake.closed() && intake.quiet(), "it is closed and nobody is inside");
        for (std::size_t i = 0; i < Visitors; ++i) {
            explorer::check(was_inside[i].read() == let_in[i],
                            "a visitor was inside if and only if it was let in");
        }
    }
};

void one_enters_one_closes() {
    fixture<1> all;
    together(named("visitor", all.visitor(0)), named("closer", [&] {
                 all.intake.close();
                 all.wait_until_quiet();
             }));
    all.finish();
}

void two_enter_one_closes() {
    fixture<2> all;
    together(named("visitor", all.visitor(0)), named("other visitor", all.visitor(1)),
             named("closer", [&] {
                 all.intake.close();
                 all.wait_until_quiet();
             }));
    all.finish();
}

void one_closes_another_waits() {
    fixture<1> all;
    together(named("visitor", all.visitor(0)), named("closer", [&] { all.intake.close(); }),
             named("waiter", [&] { all.wait_until_quiet(); }));
    all.finish();
}

void two_close() {
    fixture<1> all;
    bool first = false;
    bool second = false;
    together(named("closer", [&] { first = all.intake.close(); }),
             named("other closer", [&] { second = all.intake.close(); }),
             named("visitor", all.visitor(0)));
    explorer::check(first != second, "one was the first");
    explorer::check(!all.intake.close(), "it is closed already");
    all.finish();
}

void entering_after_closing() {
    fixture<2> all;
    together(named("closer",
                   [&] {
                       all.intake.close();
                       explorer::check(!all.visit(0), "nobody gets in");
                       explorer::check(!all.visit(0), "nobody gets in");
                   }),
             named("visitor", all.visitor(1)));
    explorer::check(!all.intake.try_enter(), "nobody gets in");
    all.finish();
}

void leaving_after_closing() {
    fixture<1> all;
    explorer::check(all.intake.try_enter(), "it is open");
    together(named("visitor",
                   [&] {
                       all.was_inside[0].write(true);
                       all.intake.leave();
                       all.let_in[0] = true;
                   }),
             named("closer", [&] {
                 all.intake.close();
                 all.wait_until_quiet();
                 explorer::check(all.was_inside[0].read(), "what was done inside is seen");
             }));
    all.finish();
}

void two_waiters() {
    fixture<1> all;
    together(named("visitor", all.visitor(0)),
             named("closer",
                   [&] {
                       all.intake.close();
                       all.wait_until_quiet();
                   }),
             named("waiter", [&] {
                 if (all.intake.quiet()) all.was_inside[0].read();
             }));
    all.finish();
}

void open_is_not_quiet() {
    fixture<2> all;
    together(named("visitor", all.visitor(0)), named("other visitor", all.visitor(1)),
             named("observer", [&] {
                 explorer::check(!all.intake.quiet() && !all.intake.closed(), "it is open");
             }));
    explorer::check(all.let_in[0] && all.let_in[1], "both got in");
    all.intake.close();
    all.finish();
}

void entering_again_and_again() {
    fixture<2> all;
    together(named("visitor",
                   [&] {
                       const bool first = all.visit(0);
                       const bool second = all.visit(1);
                       explorer::check(first || !second, "closed stays closed");
                   }),
             named("closer", [&] {
                 all.intake.close();
                 all.wait_until_quiet();
             }));
    all.finish();
}

/// A worker that has seen quiet ends, and nobody wakes it again: so quiet must last.
void quiet_and_still_quiet() {
    fixture<1> all;
    together(named("visitor", all.visitor(0)), named("closer", [&] {
                 all.intake.close();
                 all.wait_until_quiet();
                 explorer::check(all.intake.quiet(), "quiet stays quiet");
             }));
    all.finish();
}

/// A thread other than the closer sees that it is quiet.
void written_before_closing() {
    detail::intake intake;
    sync::plain<int> written{0};
    together(named("closer",
                   [&] {
                       written.write(1);
                       intake.close();
                   }),
             named("waiter", [&] {
                 while (!intake.quiet()) explorer::yield();
                 explorer::check(written.read() == 1, "written before it was closed");
             }));
}

TEST(intake, what_came_before_closing_is_seen_when_it_is_quiet) {
    test::explore_thoroughly("intake: written before closing", written_before_closing);
}

TEST(intake, what_was_done_inside_is_seen_when_it_is_quiet) {
    test::explore_thoroughly("intake: one enters, one closes", one_enters_one_closes);
}

TEST(intake, two_enter_while_it_closes) {
    test::explore_thoroughly("intake: two enter, one closes", two_enter_one_closes);
}

TEST(intake, any_thread_may_wait_until_it_is_quiet) {
    test::explore_thoroughly("intake: one closes, another waits", one_closes_another_waits);
}

TEST(intake, one_is_the_first_to_close) {
    test::explore_thoroughly("intake: two close", two_close);
}

TEST(intake, nobody_enters_after_closing) {
    test::explore_thoroughly("intake: entering after closing", entering_after_closing);
}

TEST(intake, a_visitor_inside_may_leave_after_closing) {
    test::explore_thoroughly("intake: leaving after closing", leaving_after_closing);
}

TEST(intake, every_thread_that_sees_quiet_sees_what_was_done_inside) {
    test::explore_thoroughly("intake: two waiters", two_waiters);
}

TEST(intake, is_not_quiet_while_it_is_open) {
    test::explore_thoroughly("intake: open is not quiet", open_is_not_quiet);
}

TEST(intake, closed_stays_closed) {
    test::explore_thoroughly("intake: entering again and again", entering_again_and_again);
}

TEST(intake, quiet_stays_quiet) {
    test::explore_thoroughly("intake: quiet and still quiet", quiet_and_still_quiet);
}

TEST(intake, is_lock_free) {
    const auto report = explorer::explore(
        "intake: a thread is stopped", explorer::options::weak(2, 2).freezing(), [] {
            fixture<2> all;
            together(named("visitor", all.visitor(0)), named("other visitor", all.visitor(1)),
                     named("closer", [&] {
                         all.intake.close();
                         static_cast<void>(all.intake.quiet());
                     }));
        });
    EXPECT_TRUE(report.passed() && report.exhaustive) << report.explanation();
}

TEST(intake, every_mutant_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"intake: one enters, one closes", bounds, one_enters_one_closes},
        {"intake: two enter, one closes", bounds, two_enter_one_closes},
        {"intake: two close", bounds, two_close},
        {"intake: written before closing", bounds, written_before_closing},
    };
    EXPECT_EQ(test::survivors(scenarios, "intake.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft
