// What an exploration reports, what it refuses, and what its objects are outside of one.
#include "support/exploring.hpp"

#include <weft/error.hpp>

#include <memory>
#include <optional>

namespace weft::inline v0::explorer {
namespace {

using namespace test;
using enum std::memory_order;

void two_threads_of_many_steps() {
    atomic<int> x{0};
    const auto count = [&] {
        for (int i = 0; i < 10; ++i) x.fetch_add(1);
    };
    together(count, count);
}

TEST(report, of_a_complete_search_is_exhaustive) {
    const report found = explore("complete", quiet(options::weak()), [] {
        atomic<int> x{0};
        together([&] { x.store(1); }, [&] { x.store(2); });
    });
    EXPECT_TRUE(found.passed());
    EXPECT_TRUE(found.exhaustive);
    EXPECT_EQ(found.explanation(), "");
    const std::string line = found.summary();
    EXPECT_EQ(line.find("explore: complete [weak, 2 stale reads, 2 preemptions]: "), 0U) << line;
    EXPECT_TRUE(contains(line, " executions, "));
    EXPECT_TRUE(contains(line, " per second, exhaustive"));
}

TEST(report, of_a_search_that_met_a_cap_says_so) {
    options bounds = quiet(options::sequential(100));
    bounds.max_executions = 100;
    const report found = explore("capped", bounds, two_threads_of_many_steps);
    EXPECT_TRUE(found.passed());
    EXPECT_FALSE(found.exhaustive);
    EXPECT_EQ(found.executions, 100U);
    EXPECT_TRUE(contains(found.summary(), "100 executions, "));
    EXPECT_TRUE(contains(found.summary(), "capped"));
}

TEST(report, a_search_ends_when_its_time_is_up) {
    options bounds = quiet(options::sequential(100));
    bounds.max_seconds = 0;
    const report found = explore("in no time", bounds, two_threads_of_many_steps);
    EXPECT_TRUE(found.passed());
    EXPECT_FALSE(found.exhaustive);
    EXPECT_LT(found.executions, 1000U);
}

TEST(report, of_random_schedules_is_never_exhaustive) {
    const report found = explore("random", quiet(options::random(50)), two_threads_of_many_steps);
    EXPECT_EQ(found.executions, 50U);
    EXPECT_FALSE(found.exhaustive);
    EXPECT_TRUE(contains(found.summary(), "random depth 3"));
}

TEST(report, names_the_failure_in_its_summary) {
    const report found = explore("planted", quiet(options::weak()), [] { check(false, "no"); });
    EXPECT_FALSE(found.passed());
    EXPECT_FALSE(found.exhaustive);
    EXPECT_TRUE(contains(found.summary(), "check failed"));
}

TEST(report, is_printed_as_one_line_by_default) {
    testing::internal::CaptureStdout();
    const report found = explore("printed", options::weak(), [] {});
    EXPECT_EQ(testing::internal::GetCapturedStdout(), found.summary() + "\n");
    testing::internal::CaptureStdout();
    explore("silent", quiet(options::weak()), [] {});
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

void take_a_late_message() {
    atomic<int> data{0};
    atomic<bool> ready{false};
    data.label("data");
    ready.label("ready");
    together(named{"writer",
                   [&] {
                       data.store(7, relaxed);
                       ready.store(true, relaxed);
                   }},
             named{"reader", [&] {
                       if (ready.load(acquire)) check(data.load(relaxed) == 7, "the data is there");
                   }});
}

TEST(explanation, shows_threads_places_operations_and_staleness) {
    const report found = explore("late", quiet(options::weak()), take_a_late_message);
    const std::string text = found.explanation();
    EXPECT_TRUE(contains(text, "check failed: the data is there\n"));
    EXPECT_TRUE(contains(text, "main    "));
    EXPECT_TRUE(contains(text, "starts reader\n"));
    EXPECT_TRUE(contains(text, "writer  explore_test.cpp:"));
    EXPECT_TRUE(contains(text, "data.store(7, relaxed)\n"));
    EXPECT_TRUE(contains(text, "ready.load(acquire) is true\n"));
    EXPECT_TRUE(contains(text, "data.load(relaxed) is 0, stale: the newest is 7\n"));
    EXPECT_TRUE(contains(text, "check: the data is there\n"));
    EXPECT_TRUE(contains(text, "again: WEFT_REPLAY='late=" + found.failure->replay + "'\n"));
}

TEST(explanation, of_a_race_names_the_object_and_both_threads) {
    const report found = explore("race", quiet(options::weak()), [] {
        plain<int> count{0};
        count.label("count");
        together(named{"left", [&] { count.write(1); }}, named{"right", [&] { count.write(2); }});
    });
    EXPECT_TRUE(contains(found.explanation(), "the write of count by right and what left did"));
}

TEST(explanation, of_a_deadlock_says_who_waits_for_what) {
    const report found = explore("deadlock", quiet(options::weak()), [] {
        mutex guard;
        together(named{"greedy", [&] {
                           guard.lock();
                           guard.lock();
                       }});
    });
    EXPECT_TRUE(contains(found.explanation(), "main waits for the end of greedy"));
    EXPECT_TRUE(contains(found.explanation(), "greedy waits for a mutex at explore_test.cpp:"));
    EXPECT_TRUE(contains(found.explanation(), "held by greedy"));
}

// What is refused.

template <class Change>
void expect_refused(Change change) {
    options bounds = quiet(options::weak());
    change(bounds);
    try {
        explore("refused", bounds, [] {});
        ADD_FAILURE() << "not refused";
    } catch (const error& refused) {
        EXPECT_EQ(refused.code(), errc::invalid_argument) << refused.what();
    }
}

TEST(options, outside_their_range_are_refused) {
    expect_refused([](options& bounds) { bounds.preemptions = -1; });
    expect_refused([](options& bounds) { bounds.stale_reads = -1; });
    expect_refused([](options& bounds) { bounds.timeouts = -1; });
    expect_refused([](options& bounds) { bounds.depth = 0; });
    expect_refused([](options& bounds) { bounds.max_steps = 0; });
    expect_refused([](options& bounds) { bounds.max_steps = 30'001; });
}

TEST(explore, inside_a_scenario_is_refused) {
    EXPECT_TRUE(passes(options::weak(), [] {
        bool refused = false;
        try {
            explore("inner", options::weak(), [] {});
        } catch (const error& why) {
            refused = why.code() == errc::invalid_argument;
        }
        check(refused, "refused");
    }));
}

testing::AssertionResult is_misuse(const scenario_body& body) {
    return fails_with(failure_kind::misuse, options::weak(), body);
}

TEST(misuse, objects_made_outside_the_scenario_and_used_inside) {
    atomic<int> an_atomic{0};
    plain<int> a_plain{0};
    mutex a_mutex;
    parker a_parker;
    EXPECT_TRUE(is_misuse([&] { an_atomic.load(); }));
    EXPECT_TRUE(is_misuse([&] { an_atomic.fetch_add(1); }));
    EXPECT_TRUE(is_misuse([&] { a_plain.read(); }));
    EXPECT_TRUE(is_misuse([&] { a_mutex.lock(); }));
    EXPECT_TRUE(is_misuse([&] { a_parker.unpark(); }));
}

TEST(misuse, an_object_kept_from_one_execution_to_the_next) {
    std::optional<atomic<int>> kept;
    EXPECT_TRUE(is_misuse([&] {
        if (!kept) kept.emplace(0);
        together([&] { kept->store(1); }, [&] { kept->store(2); });
    }));
}

TEST(misuse, a_scenario_that_does_more_than_before) {
    int runs = 0;
    EXPECT_TRUE(is_misuse([&] {
        atomic<int> x{0};
        const auto visit = [&] { x.fetch_add(1); };
        if (runs++ == 0) together(visit, visit);
        else together(visit, visit, visit);
    }));
}

TEST(misuse, a_scenario_that_does_less_than_before) {
    int runs = 0;
    EXPECT_TRUE(is_misuse([&] {
        atomic<int> x{0};
        const auto visit = [&] { x.fetch_add(1); };
        if (runs++ == 0) together(visit, visit);
        else together(visit);
    }));
}

TEST(misuse, a_failure_that_does_not_come_again) {
    int runs = 0;
    EXPECT_TRUE(is_misuse([&] { check(runs++ > 0, "only the first time"); }));
}

// Outside of an exploration.

TEST(outside, objects_are_like_ordinary_variables) {
    atomic<int> x{1};
    x.store(2);
    EXPECT_EQ(x.load(), 2);
    EXPECT_EQ(x.fetch_add(3), 2);
    EXPECT_EQ(x.exchange(7), 5);
    int expected = 0;
    EXPECT_FALSE(x.compare_exchange_weak(expected, 8));
    EXPECT_TRUE(x.compare_exchange_strong(expected, 8));
    EXPECT_EQ(x, 8);

    plain<std::string> text{"one"};
    text.modify() += " and another";
    EXPECT_EQ(text.read(), "one and another");

    mutex guard;
    EXPECT_TRUE(guard.try_lock());
    guard.unlock();
    explorer::atomic_thread_fence(seq_cst);
    yield();
    EXPECT_EQ(clock::now(), clock::time_point{});
    deallocate(allocate(16));
}

TEST(outside, threads_parkers_futexes_and_globals_end_the_program_saying_why) {
    const char* why = "a thread, parker, futex or global is used outside a scenario";
    EXPECT_DEATH(thread{[] {}}, why);
    EXPECT_DEATH(parker{}.unpark(), why);
    EXPECT_DEATH(atomic<int>{0}.notify_one(), why);
    EXPECT_DEATH(static_cast<void>(current_thread()), why);
    EXPECT_DEATH(static_cast<void>(global<int>{}.get()), why);
}

TEST(outside, a_check_that_fails_throws) {
    EXPECT_NO_THROW(check(true, "fine"));
    EXPECT_THROW(check(false, "not fine"), error);
}

TEST(outside, objects_made_there_may_end_inside_a_scenario) {
    auto x = std::make_unique<atomic<int>>(1);
    EXPECT_TRUE(passes(options::weak(), [&] { x.reset(); }));
}

} // namespace
} // namespace weft::inline v0::explorer
