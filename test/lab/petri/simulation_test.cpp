#include <weft/lab/simulation.hpp>
#include <weft/lab/state_space.hpp>

#include "models/classics.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace weft::petri {
namespace {

TEST(simulation, a_seed_gives_the_same_run_again) {
    net n = models::philosophers(5);
    simulation one{n, 7};
    simulation other{n, 7};
    simulation third{n, 8};
    one.run(200);
    other.run(200);
    third.run(200);
    EXPECT_EQ(one.taken(), other.taken());
    EXPECT_NE(one.taken(), third.taken());
}

TEST(simulation, what_a_function_throws_passes_through_and_changes_nothing) {
    bool broken = false;
    const auto throwing = [&](int value) {
        if (broken) throw std::runtime_error{"broken"};
        return value;
    };
    net n;
    const auto here = n.add_place<int>("here", {1, 2, 3});
    const auto there = n.add_place<int>("there");
    n.add_transition("move")
        .take(here)
        .when([&](int value) { return throwing(value) > 0; })
        .put(there, throwing);
    simulation run{n};
    EXPECT_TRUE(run.step());
    const marking before = run.now();
    broken = true;
    EXPECT_THROW(run.step(), std::runtime_error);
    EXPECT_THROW(run.concurrent_step(step_rule::strict), std::runtime_error);
    EXPECT_THROW(static_cast<void>(explore(n)), std::runtime_error);
    EXPECT_EQ(run.now(), before);
    EXPECT_EQ(run.steps(), 1U);
    broken = false;
    EXPECT_EQ(run.run(10), 2U);
    EXPECT_EQ(run.view().count(there), 3U);
    EXPECT_EQ(explore(n).markings(), 8U);
}

TEST(simulation, what_was_done_can_be_undone_and_done_again) {
    net n = models::token_ring(5);
    simulation run{n, 3};
    run.run(50);
    const marking ending = run.now();
    const trace way = run.taken();
    for (int each = 0; each != 50; ++each) ASSERT_TRUE(run.undo());
    EXPECT_FALSE(run.undo());
    EXPECT_EQ(run.now(), n.initial());
    run.replay(read_trace(write_trace(way)));
    EXPECT_EQ(run.now(), ending);
}

TEST(simulation, a_monitor_sees_every_step_and_may_stop) {
    net n = models::philosophers(3);
    simulation run{n};
    std::size_t seen = 0;
    run.watch([&](const simulation& now, const auto& step) {
        EXPECT_EQ(step.size(), 1U);
        EXPECT_EQ(now.steps(), seen + 1);
        return ++seen != 10;
    });
    EXPECT_EQ(run.run(1000), 10U);
    EXPECT_EQ(seen, 10U);
}

TEST(simulation, a_run_ends_where_nothing_is_enabled) {
    net n;
    const auto steps = n.add_place("steps", 5);
    n.add_transition("go").take(steps, 2);
    simulation run{n};
    EXPECT_EQ(run.run(1000), 2U);
    EXPECT_FALSE(run.step());
}

TEST(simulation, a_strict_step_can_be_fired_in_any_order) {
    net n = models::philosophers(6);
    simulation run{n, 5};
    for (int round = 0; round != 100; ++round) {
        const marking before = run.now();
        if (!run.concurrent_step(step_rule::strict)) break;
        const marking after = run.now();
        const auto step = run.taken().steps.back();
        run.undo();
        for (auto each = step.rbegin(); each != step.rend(); ++each) run.fire(each->transition);
        EXPECT_EQ(run.now(), after);
        for (std::size_t each = 0; each != step.size(); ++each) run.undo();
        EXPECT_EQ(run.now(), before);
        run.step();
    }
}

TEST(step, readers_share_a_token_that_a_taker_does_not_in_the_strict_rule) {
    net n;
    const auto shared = n.add_place("shared", 1);
    const auto left = n.add_place("left", 1);
    const auto right = n.add_place("right", 1);
    n.add_transition("read left").read(shared).take(left);
    n.add_transition("read right").read(shared).take(right);
    n.add_transition("take").take(shared);
    const std::vector<binding_element> readers{{0, {}}, {1, {}}};
    const std::vector<binding_element> all{{0, {}}, {1, {}}, {2, {}}};
    EXPECT_EQ(fire_step(n, n.initial(), readers, step_rule::strict), (marking{1, 0, 0}));
    EXPECT_EQ(fire_step(n, n.initial(), all, step_rule::a_priori), (marking{0, 0, 0}));
    try {
        static_cast<void>(fire_step(n, n.initial(), all, step_rule::strict));
        FAIL();
    } catch (const error& wrong) {
        EXPECT_EQ(wrong.code(), fault::not_enabled);
        EXPECT_NE(std::string{wrong.what()}.find("'shared'"), std::string::npos);
    }
}

TEST(step, no_token_is_taken_twice) {
    net n;
    const auto one = n.add_place("one", 1);
    n.add_transition("a").take(one);
    n.add_transition("b").take(one);
    for (const step_rule rule : {step_rule::strict, step_rule::a_priori}) {
        EXPECT_THROW(static_cast<void>(fire_step(n, n.initial(), {{0, {}}, {1, {}}}, rule)), error);
    }
}

TEST(step, no_element_puts_where_another_is_inhibited_by_the_strict_rule) {
    net n;
    const auto source = n.add_place("from", 1);
    const auto flag = n.add_place("flag", 0);
    n.add_transition("raise").take(source).put(flag);
    n.add_transition("while down").inhibit(flag);
    const std::vector<binding_element> both{{0, {}}, {1, {}}};
    EXPECT_THROW(static_cast<void>(fire_step(n, n.initial(), both, step_rule::strict)), error);
    EXPECT_EQ(fire_step(n, n.initial(), both, step_rule::a_priori), (marking{0, 1}));
}

TEST(trace, is_read_as_it_is_written) {
    const trace all{{{{"a", ""}}, {{"b c", "(1, [2,3])"}, {"Core1.LTS", ""}}}};
    EXPECT_EQ(read_trace(write_trace(all)), all);
    EXPECT_EQ(read_trace("# a comment\n\n  a  \n").steps.size(), 1U);
}

TEST(trace, a_wrong_line_is_named) {
    for (const char* text : {"a\n\n | b\n", "a\nb\n(1)\n", "a\nb\nc(1\n"}) {
        try {
            static_cast<void>(read_trace(text));
            FAIL() << text;
        } catch (const error& wrong) {
            EXPECT_EQ(wrong.code(), fault::bad_trace);
            EXPECT_EQ(std::string{wrong.what()}.substr(0, 7), "line 3:") << wrong.what();
        }
    }
}

TEST(trace, replaying_what_cannot_be_names_the_step) {
    net n = models::token_ring(3);
    simulation run{n};
    const auto message = [&](const char* text) {
        try {
            simulation{n}.replay(read_trace(text));
        } catch (const error& wrong) {
            return std::string{wrong.what()};
        }
        return std::string{"nothing"};
    };
    EXPECT_NE(message("OtherProcess\n").find("has 3 enabled bindings"), std::string::npos);
    EXPECT_NE(message("MainProcess\n").find("step 1: 'MainProcess' is not enabled"),
              std::string::npos);
    EXPECT_NE(message("Nobody\n").find("there is no transition 'Nobody'"), std::string::npos);
}

} // namespace
} // namespace weft::petri
