// Which interleavings a search runs: all within the bounds and each once, or random ones.
#include "support/litmus.hpp"

#include <array>
#include <limits>

namespace weft::inline v0::explorer {
namespace {

using namespace test;
using enum std::memory_order;

std::uint64_t executions(int preemptions, int left_steps, int right_steps) {
    const report found = explore(test_name(), quiet(options::sequential(preemptions)), [=] {
        atomic<int> left{0};
        atomic<int> right{0};
        together(
            [&] {
                for (int i = 0; i < left_steps; ++i) left.fetch_add(1);
            },
            [&] {
                for (int i = 0; i < right_steps; ++i) right.fetch_add(1);
            });
    });
    EXPECT_TRUE(found.passed() && found.exhaustive) << found.explanation();
    return found.executions;
}

constexpr int no_bound = std::numeric_limits<int>::max();

// A decision stands before each step of a thread while both can run; starts and ends are none. So
// the executions are the ways to merge two sequences of steps.
TEST(depth_first, runs_each_interleaving_of_two_threads_once) {
    EXPECT_EQ(executions(no_bound, 1, 1), 2U);
    EXPECT_EQ(executions(no_bound, 2, 2), 6U);
    EXPECT_EQ(executions(no_bound, 3, 2), 10U);
    EXPECT_EQ(executions(no_bound, 3, 3), 20U);
    EXPECT_EQ(executions(no_bound, 4, 4), 70U);
}

// With n steps each: which thread goes first (2); whether it is stopped after 1 to n-1 of its steps
// (2(n-1) more); and if so, whether the other is then stopped in the same way (2(n-1)(n-1) more).
TEST(depth_first, runs_as_many_as_the_bound_of_preemptions_allows) {
    EXPECT_EQ(executions(0, 3, 3), 2U);
    EXPECT_EQ(executions(1, 3, 3), 2U + 4U);
    EXPECT_EQ(executions(2, 3, 3), 2U + 4U + 8U);
    EXPECT_EQ(executions(0, 4, 4), 2U);
    EXPECT_EQ(executions(1, 4, 4), 2U + 6U);
    EXPECT_EQ(executions(2, 4, 4), 2U + 6U + 18U);
}

TEST(depth_first, a_started_thread_may_run_before_its_starters_next_operation) {
    const auto seen = outcomes_of(unbounded(), [] {
        atomic<int> x{0};
        const thread other{[&] { x.store(1); }};
        return outcome{x.load()};
    });
    EXPECT_EQ(seen, (outcome_set{{0}, {1}}));
}

TEST(depth_first, a_thread_started_by_a_thread_may_run_first_too) {
    const auto seen = outcomes_of(unbounded(), [] {
        atomic<int> x{0};
        int loaded = 0;
        thread parent{[&] {
            const thread child{[&] { x.store(1); }};
            loaded = x.load();
        }};
        parent.join();
        return outcome{loaded};
    });
    EXPECT_EQ(seen, (outcome_set{{0}, {1}}));
}

TEST(depth_first, a_yield_costs_no_preemption) {
    const auto seen = outcomes_of(options::sequential(0), [] {
        atomic<int> x{0};
        int loaded = 0;
        together(
            [&] {
                x.store(1);
                yield();
                loaded = x.load();
            },
            [&] { x.store(2); });
        return outcome{loaded};
    });
    EXPECT_EQ(seen, (outcome_set{{1}, {2}}));
}

// More atomic objects than views have room for at first.

outcome_set message_passing_among_many(std::memory_order publish, std::memory_order look) {
    return outcomes_of(unbounded(), [=] {
        std::array<atomic<int>, 100> many;
        outcome seen(2);
        together(
            [&] {
                many.front().store(1, relaxed);
                many.back().store(1, publish);
            },
            [&] {
                seen[0] = many.back().load(look);
                seen[1] = many.front().load(relaxed);
            });
        return seen;
    });
}

TEST(many_atomics, behave_like_few) {
    EXPECT_EQ(message_passing_among_many(release, acquire), (outcome_set{{0, 0}, {0, 1}, {1, 1}}));
    EXPECT_EQ(message_passing_among_many(relaxed, acquire),
              (outcome_set{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
}

TEST(many_atomics, made_midway_leave_what_is_known_as_it_is) {
    EXPECT_TRUE(passes(options::weak(3, 3), [] {
        atomic<int> data{0};
        atomic<bool> ready{false};
        together(
            [&] {
                data.store(1, relaxed);
                const std::array<atomic<int>, 50> made_after_a_store;
                ready.store(true, release);
            },
            [&] {
                const bool seen = ready.load(acquire);
                const std::array<atomic<int>, 50> made_after_a_load;
                if (seen) check(data.load(relaxed) == 1, "the data is there");
            });
    }));
}

// Random schedules with priorities.

void look_twice() {
    atomic<int> value{1};
    together(
        [&] {
            if (value.load() == 1) check(value.load() == 1, "it is still there");
        },
        [&] { value.store(0); });
}

TEST(random_schedules, find_a_bug_of_depth_two) {
    EXPECT_TRUE(fails_with(failure_kind::check, options::random(1'000, 2), look_twice));
}

TEST(random_schedules, of_depth_one_run_threads_one_after_the_other) {
    options bounds = quiet(options::random(1'000, 1));
    bounds.memory = memory_model::sequential;
    EXPECT_TRUE(explore(test_name(), bounds, look_twice).passed());
}

TEST(random_schedules, find_stale_reads) {
    EXPECT_TRUE(fails_with(failure_kind::check, options::random(1'000), [] {
        atomic<int> x{0};
        atomic<int> y{0};
        int seen[2];
        const auto visit = [&](int self, atomic<int>& own, atomic<int>& other) {
            own.store(1, std::memory_order_relaxed);
            seen[self] = other.load(std::memory_order_relaxed);
        };
        together([&] { visit(0, x, y); }, [&] { visit(1, y, x); });
        check(seen[0] + seen[1] > 0, "one sees the other");
    }));
}

TEST(random_schedules, end_loops_that_yield) {
    const options bounds = quiet(options::random(1'000));
    const report found = explore(test_name(), bounds, [] {
        atomic<bool> go[2];
        together(
            [&] {
                while (!go[0].load(relaxed)) yield();
                go[1].store(true, relaxed);
            },
            [&] {
                go[0].store(true, relaxed);
                while (!go[1].load(relaxed)) yield();
            });
    });
    EXPECT_TRUE(found.passed()) << found.explanation();
}

TEST(random_schedules, of_one_seed_are_the_same_each_time) {
    const auto find = [](std::uint64_t seed) {
        return explore(test_name(), quiet(options::random(1'000, 2, seed)), look_twice);
    };
    const report first = find(7);
    const report second = find(7);
    EXPECT_EQ(first.executions, second.executions);
    EXPECT_EQ(first.explanation(), second.explanation());
}

TEST(random_schedules, of_different_seeds_differ) {
    std::set<std::uint64_t> needed;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        needed.insert(
            explore(test_name(), quiet(options::random(1'000, 2, seed)), look_twice).executions);
    }
    EXPECT_GT(needed.size(), 1U);
}

} // namespace
} // namespace weft::inline v0::explorer
