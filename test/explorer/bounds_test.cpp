// What a bound excludes: the report says so, and names the next one.
#include "support/exploring.hpp"

#include <chrono>

namespace weft::inline v0::explorer {
namespace {

using namespace test;
using enum std::memory_order;

void store_and_load() {
    atomic<int> x{0};
    const auto both = [&] {
        x.store(1, relaxed);
        static_cast<void>(x.load(relaxed));
    };
    together(both, both);
}

TEST(bounds, that_exclude_nothing_make_the_search_complete) {
    const report found = explore(test_name(), quiet(options::weak(100, 100)), store_and_load);
    EXPECT_TRUE(found.complete());
    EXPECT_EQ(found.coverage(), "complete: no bound excluded an execution");
    EXPECT_FALSE(found.next_bounds());
}

TEST(bounds, name_the_preemptions_they_exclude) {
    const report found = explore(test_name(), quiet(options::sequential(1)), store_and_load);
    EXPECT_TRUE(found.exhaustive);
    EXPECT_FALSE(found.complete());
    EXPECT_EQ(found.coverage(), "not covered: more than 1 preemption");
    ASSERT_TRUE(found.next_bounds());
    EXPECT_EQ(found.next_bounds()->preemptions, 2);
    EXPECT_EQ(found.next_bounds()->memory, memory_model::sequential);
}

TEST(bounds, name_the_stale_reads_they_exclude) {
    const report found = explore(test_name(), quiet(options::weak(100, 0)), [] {
        atomic<int> x{0};
        together([&] { x.store(1, relaxed); }, [&] { static_cast<void>(x.load(relaxed)); });
    });
    EXPECT_EQ(found.coverage(), "not covered: more than 0 stale reads");
    ASSERT_TRUE(found.next_bounds());
    EXPECT_EQ(found.next_bounds()->stale_reads, 1);
    EXPECT_EQ(found.next_bounds()->preemptions, 100);
}

TEST(bounds, count_a_spurious_failure_as_a_stale_read) {
    const report found = explore(test_name(), quiet(options::weak(100, 0)), [] {
        atomic<int> x{0};
        int expected = 0;
        x.compare_exchange_weak(expected, 1, relaxed, relaxed);
    });
    EXPECT_EQ(found.coverage(), "not covered: more than 0 stale reads");
}

void wait_for_a_token() {
    parker bed;
    together([&] { bed.park_until(clock::now() + std::chrono::seconds{1}); },
             [&] { bed.unpark(); });
}

TEST(bounds, name_the_timeouts_they_exclude) {
    options none = quiet(options::weak(100, 100));
    none.timeouts = 0;
    const report found = explore(test_name(), none, wait_for_a_token);
    EXPECT_EQ(found.coverage(), "not covered: more than 0 timeouts");
    ASSERT_TRUE(found.next_bounds());
    EXPECT_EQ(found.next_bounds()->timeouts, 1);
    EXPECT_TRUE(explore(test_name(), *found.next_bounds(), wait_for_a_token).complete());
}

TEST(bounds, that_exclude_the_same_thing_in_sequential_memory_do_not_speak_of_stale_reads) {
    const report found = explore(test_name(), quiet(options::sequential(100)), store_and_load);
    EXPECT_TRUE(found.complete());
}

TEST(bounds, have_no_next_after_a_failure_a_cap_or_random_schedules) {
    const report failed = explore(test_name(), quiet(options::weak(0, 0)), [] {
        store_and_load();
        check(false, "it fails");
    });
    EXPECT_FALSE(failed.next_bounds());
    EXPECT_EQ(failed.coverage(), "the search ended at the first failure");

    options few = quiet(options::weak(2, 2));
    few.max_executions = 1;
    const report capped = explore(test_name(), few, store_and_load);
    EXPECT_FALSE(capped.next_bounds());
    EXPECT_TRUE(contains(capped.summary(), "capped; the search ended at its cap"));

    const report random = explore(test_name(), quiet(options::random(7)), store_and_load);
    EXPECT_FALSE(random.next_bounds());
    EXPECT_EQ(random.coverage(), "a sample of 7 random schedules");
}

TEST(deeper_search, ends_when_it_is_complete) {
    const report found =
        explore_deeper(test_name(), quiet(options::weak(0, 0)), 60, store_and_load);
    EXPECT_TRUE(found.complete()) << found.summary();
    EXPECT_GT(found.options.preemptions, 0);
}

TEST(deeper_search, ends_at_the_first_failure) {
    const report found = explore_deeper(test_name(), quiet(options::weak(0, 0)), 60, [] {
        atomic<int> x{0};
        const auto add = [&] { x.store(x.load(relaxed) + 1, relaxed); };
        together(add, add);
        check(x.load(relaxed) == 2, "nothing is lost");
    });
    ASSERT_FALSE(found.passed());
    EXPECT_LE(found.options.preemptions + found.options.stale_reads, 2);
}

TEST(deeper_search, returns_the_last_exhaustive_search_when_time_is_out) {
    const report found = explore_deeper(test_name(), quiet(options::weak(0, 0)), 0, store_and_load);
    EXPECT_TRUE(found.exhaustive);
    EXPECT_EQ(found.options.preemptions, 0);
}

} // namespace
} // namespace weft::inline v0::explorer
