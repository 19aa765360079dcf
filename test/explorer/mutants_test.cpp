// Mutants: a weakened order that matters is caught, a needless one survives.
#include "support/litmus.hpp"

#include <algorithm>

namespace weft::inline v0::explorer {
namespace {

using namespace test;
using enum std::memory_order;

std::size_t caught(const mutation_report& found, mutation_kind kind) {
    return static_cast<std::size_t>(
        std::ranges::count_if(found.mutants, [&](const mutant_result& each) {
            return each.caught && each.mutant.kind == kind;
        }));
}

mutation_report mutants_of(const scenario_body& body, std::string_view file = "mutants_test.cpp") {
    return mutate({{test_name(), quiet(unbounded()), body}}, file);
}

void pass_a_message() {
    plain<int> data{0};
    atomic<bool> ready{false};
    together(
        [&] {
            data.write(1);
            ready.store(true, release);
        },
        [&] {
            if (ready.load(acquire)) data.read();
        });
}

TEST(mutants, of_message_passing_are_caught) {
    const mutation_report found = mutants_of(pass_a_message);
    EXPECT_EQ(found.mutants.size(), 2U);
    EXPECT_EQ(caught(found, mutation_kind::drop_release), 1U);
    EXPECT_EQ(caught(found, mutation_kind::drop_acquire), 1U);
    EXPECT_TRUE(found.all_caught()) << found.summary();
}

void pass_a_message_by_fences() {
    plain<int> data{0};
    atomic<bool> ready{false};
    together(
        [&] {
            data.write(1);
            explorer::atomic_thread_fence(release);
            ready.store(true, relaxed);
        },
        [&] {
            const bool seen = ready.load(relaxed);
            explorer::atomic_thread_fence(acquire);
            if (seen) data.read();
        });
}

TEST(mutants, of_fences_are_caught) {
    const mutation_report found = mutants_of(pass_a_message_by_fences);
    EXPECT_EQ(found.mutants.size(), 2U);
    EXPECT_EQ(caught(found, mutation_kind::drop_fence), 2U);
}

void keep_apart() {
    atomic<bool> wants[2];
    plain<int> inside{0};
    const auto visit = [&](int self) {
        wants[self].store(true, relaxed);
        fence(seq_cst);
        if (!wants[1 - self].load(relaxed)) inside.write(self);
    };
    together([&] { visit(0); }, [&] { visit(1); });
}

TEST(mutants, of_seq_cst_fences_are_caught) {
    const mutation_report found = mutants_of(keep_apart, "support/litmus.hpp");
    EXPECT_EQ(found.mutants.size(), 2U);
    EXPECT_EQ(caught(found, mutation_kind::drop_fence), 1U);
    EXPECT_EQ(caught(found, mutation_kind::soften_fence), 1U);
}

void count_to_two(std::memory_order order) {
    atomic<int> count{0};
    const auto increment = [&] { count.fetch_add(1, order); };
    together(increment, increment);
    check(count.load(relaxed) == 2, "no increment is lost");
}

TEST(mutants, of_read_modify_writes_are_caught) {
    const mutation_report found = mutants_of([] { count_to_two(relaxed); });
    EXPECT_EQ(found.mutants.size(), 1U);
    EXPECT_EQ(caught(found, mutation_kind::split), 1U);
}

TEST(mutants, of_a_compare_exchange_that_succeeds_are_caught) {
    const mutation_report found = mutants_of([] {
        plain<int> data{0};
        atomic<int> owner{0};
        const auto visit = [&](int self) {
            int expected = 0;
            if (!owner.compare_exchange_strong(expected, self, acquire, relaxed)) return;
            data.write(self);
            owner.store(0, release);
        };
        together([&] { visit(1); }, [&] { visit(2); });
    });
    EXPECT_EQ(found.mutants.size(), 3U);
    EXPECT_EQ(caught(found, mutation_kind::drop_acquire), 1U);
    EXPECT_EQ(caught(found, mutation_kind::drop_release), 1U);
    EXPECT_EQ(caught(found, mutation_kind::split), 1U);
}

TEST(mutants, of_a_compare_exchange_that_is_refused_are_apart) {
    const mutation_report found = mutants_of([] {
        plain<int> made{0};
        atomic<bool> ready{false};
        together(
            [&] {
                made.write(1);
                ready.store(true, release);
            },
            [&] {
                bool expected = false;
                if (!ready.compare_exchange_strong(expected, false, acquire, acquire)) made.read();
            });
    });
    EXPECT_EQ(caught(found, mutation_kind::drop_acquire_on_failure), 1U);
    EXPECT_EQ(caught(found, mutation_kind::drop_acquire), 0U);
}

TEST(mutants, of_needless_orders_survive_and_are_named) {
    const mutation_report found = mutants_of([] { count_to_two(acq_rel); });
    EXPECT_EQ(found.mutants.size(), 3U);
    EXPECT_EQ(found.caught(), 1U);
    EXPECT_FALSE(found.all_caught());
    const std::string text = found.summary();
    EXPECT_EQ(text.find("explore: mutants: 1 of 3 caught\n"), 0U) << text;
    EXPECT_TRUE(contains(text, "  survived: mutants_test.cpp:"));
    EXPECT_TRUE(contains(text, " fetch_add: drop_acquire\n"));
    EXPECT_TRUE(contains(text, " fetch_add: drop_release\n"));
}

TEST(mutants, are_only_of_files_that_end_in_the_suffix) {
    const mutation_report none = mutants_of(pass_a_message, "another.cpp");
    EXPECT_EQ(none.mutants.size(), 0U);
    EXPECT_FALSE(none.all_caught()) << "there is nothing to catch";
    EXPECT_EQ(mutants_of(pass_a_message, "explorer/mutants_test.cpp").mutants.size(), 2U);
    EXPECT_EQ(mutants_of(pass_a_message, "").mutants.size(), 2U);
}

TEST(mutants, are_caught_by_whichever_scenario_can) {
    const options bounds = quiet(unbounded());
    const mutation_report found = mutate(
        {{"counting", bounds, [] { count_to_two(relaxed); }}, {"passing", bounds, pass_a_message}},
        "mutants_test.cpp");
    ASSERT_EQ(found.unchanged.size(), 2U);
    EXPECT_TRUE(found.unchanged[0].passed() && found.unchanged[0].exhaustive);
    EXPECT_TRUE(found.unchanged[1].passed() && found.unchanged[1].exhaustive);
    EXPECT_EQ(found.mutants.size(), 3U);
    for (const mutant_result& each : found.mutants) {
        const bool splits = each.mutant.kind == mutation_kind::split;
        EXPECT_EQ(each.caught_by.find(splits ? "counting: " : "passing: "), 0U) << each.caught_by;
        EXPECT_GT(each.executions, 0U);
    }
}

TEST(mutants, of_a_scenario_that_fails_as_it_is_come_with_its_failure) {
    const mutation_report found = mutants_of([] { check(false, "always"); });
    ASSERT_EQ(found.unchanged.size(), 1U);
    EXPECT_FALSE(found.unchanged[0].passed());
    EXPECT_FALSE(found.all_caught());
}

} // namespace
} // namespace weft::inline v0::explorer
