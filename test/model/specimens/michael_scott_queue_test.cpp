#include "michael_scott_queue.hpp"

#include "support/exploring.hpp"

#include <array>
#include <cstddef>

namespace weft {
namespace {

using explorer::named;
using explorer::together;
using specimen::links;

/// One thread takes, another takes twice, a third puts a second item into the node that was freed
/// last, or into its own. If that node is the first dummy and becomes it again while the slow
/// thread is about to take, an untagged head looks as if nothing had happened.
template <links Links>
void the_first_dummy_returns() {
    specimen::michael_scott_queue<3, Links> queue;
    constexpr std::uint32_t no_node = 0xff;
    sync::atomic<std::uint32_t> freed{no_node};
    std::array<int, 2> times{};
    const auto take = [&] {
        const auto taken = queue.take();
        if (!taken) return false;
        ++times[static_cast<std::size_t>(taken->value)];
        freed.store(taken->node, sync::release);
        return true;
    };
    queue.put(1, 0);
    together(named("slow", [&] { take(); }),
             named("quick",
                   [&] {
                       take();
                       take();
                   }),
             named("putter", [&] {
                 const std::uint32_t reused = freed.exchange(no_node, sync::acquire);
                 queue.put(reused != no_node ? reused : 2, 1);
             }));
    while (take()) {
    }
    for (const int each : times) explorer::check(each == 1, "each item is taken once");
}

TEST(michael_scott_queue, without_tags_passes_at_a_low_bound_which_says_what_it_excludes) {
    const explorer::report found = explorer::explore(
        test::test_name(), explorer::options::weak(1, 1), the_first_dummy_returns<links::untagged>);
    ASSERT_TRUE(found.passed()) << found.explanation();
    EXPECT_TRUE(found.exhaustive);
    EXPECT_FALSE(found.complete());
    EXPECT_EQ(found.coverage(), "not covered: more than 1 preemption or more than 1 stale read");
    EXPECT_TRUE(test::contains(found.summary(), "exhaustive; not covered: more than 1 preemption"));
}

TEST(michael_scott_queue, without_tags_is_caught_at_the_next_bound) {
    const auto body = the_first_dummy_returns<links::untagged>;
    const explorer::report low =
        explorer::explore(test::test_name(), explorer::options::weak(1, 1), body);
    ASSERT_TRUE(low.next_bounds());
    EXPECT_EQ(low.next_bounds()->preemptions, 2);
    EXPECT_EQ(low.next_bounds()->stale_reads, 2);
    EXPECT_TRUE(
        test::fails_with(explorer::failure_kind::check, test::quiet(*low.next_bounds()), body));
}

TEST(michael_scott_queue, without_tags_is_caught_by_a_search_that_deepens) {
    const explorer::report found =
        explorer::explore_deeper(test::test_name(), test::quiet(explorer::options::weak(0, 0)), 60,
                                 the_first_dummy_returns<links::untagged>);
    ASSERT_FALSE(found.passed()) << found.summary();
    EXPECT_EQ(found.failure->kind, explorer::failure_kind::check);
    EXPECT_EQ(found.options.preemptions, 2);
}

TEST(michael_scott_queue, without_tags_is_caught_by_random_schedules) {
    EXPECT_TRUE(test::fails_with(explorer::failure_kind::check, explorer::options::random(200'000),
                                 the_first_dummy_returns<links::untagged>));
}

TEST(michael_scott_queue, with_tags_is_not_fooled) {
    EXPECT_TRUE(
        test::passes(explorer::options::weak(2, 2), the_first_dummy_returns<links::tagged>));
    const explorer::report some =
        explorer::explore(test::test_name(), explorer::options::random(20'000),
                          the_first_dummy_returns<links::tagged>);
    EXPECT_TRUE(some.passed()) << some.explanation();
}

} // namespace
} // namespace weft
