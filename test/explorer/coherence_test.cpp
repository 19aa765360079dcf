// One atomic object: what a thread has seen is never undone, how old a value may be, what a
// read-modify-write sees, and how far a release reaches.
#include "support/litmus.hpp"

namespace weft::inline v0::explorer {
namespace {

using namespace test;
using enum std::memory_order;

/// Runs whole threads one after the other, in each order: what differs otherwise is staleness.
options without_preemption(int stale_reads) { return options::weak(0, stale_reads); }

TEST(coherence, read_read_a_second_load_returns_nothing_older) {
    const auto seen = outcomes_of(unbounded(), [] {
        atomic<int> x{0};
        outcome loaded(2);
        together([&] { x.store(1, relaxed); },
                 [&] {
                     loaded[0] = x.load(relaxed);
                     loaded[1] = x.load(relaxed);
                 });
        return loaded;
    });
    EXPECT_EQ(seen, (outcome_set{{0, 0}, {0, 1}, {1, 1}}));
}

TEST(coherence, write_write_the_later_store_of_a_thread_stays) {
    const auto seen = outcomes_of(unbounded(), [] {
        atomic<int> x{0};
        outcome loaded(2);
        together(
            [&] {
                x.store(1, relaxed);
                x.store(2, relaxed);
            },
            [&] {
                loaded[0] = x.load(relaxed);
                loaded[1] = x.load(relaxed);
            });
        loaded.push_back(x.load(relaxed));
        return loaded;
    });
    EXPECT_EQ(seen,
              (outcome_set{{0, 0, 2}, {0, 1, 2}, {0, 2, 2}, {1, 1, 2}, {1, 2, 2}, {2, 2, 2}}));
}

TEST(coherence, read_write_a_store_comes_after_what_its_thread_loaded) {
    const auto loaded_and_last = outcomes_of(unbounded(), [] {
        atomic<int> x{0};
        int loaded = 0;
        together(
            [&] {
                loaded = x.load(relaxed);
                x.store(1, relaxed);
            },
            [&] { x.store(2, relaxed); });
        return outcome{loaded, x.load(relaxed)};
    });
    EXPECT_EQ(loaded_and_last, (outcome_set{{0, 1}, {0, 2}, {2, 1}}));
}

TEST(coherence, write_read_a_load_returns_nothing_older_than_its_threads_store) {
    const auto loaded_and_last = outcomes_of(unbounded(), [] {
        atomic<int> x{0};
        int loaded = 0;
        together(
            [&] {
                x.store(1, relaxed);
                loaded = x.load(relaxed);
            },
            [&] { x.store(2, relaxed); });
        return outcome{loaded, x.load(relaxed)};
    });
    EXPECT_EQ(loaded_and_last, (outcome_set{{1, 1}, {1, 2}, {2, 2}}));
}

outcome two_loads_of_three_values() {
    atomic<int> x{0};
    outcome loaded(2);
    together(
        [&] {
            x.store(1, relaxed);
            x.store(2, relaxed);
        },
        [&] {
            loaded[0] = x.load(relaxed);
            loaded[1] = x.load(relaxed);
        });
    return loaded;
}

TEST(stale_loads, may_return_any_older_store) {
    EXPECT_EQ(outcomes_of(without_preemption(2), two_loads_of_three_values),
              (outcome_set{{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}}));
}

TEST(stale_loads, are_at_most_as_many_as_the_bound) {
    EXPECT_EQ(outcomes_of(without_preemption(1), two_loads_of_three_values),
              (outcome_set{{0, 0}, {0, 2}, {1, 2}, {2, 2}}));
}

TEST(stale_loads, do_not_occur_with_a_bound_of_zero_or_in_sequential_memory) {
    const outcome_set newest_only{{0, 0}, {2, 2}};
    EXPECT_EQ(outcomes_of(without_preemption(0), two_loads_of_three_values), newest_only);
    EXPECT_EQ(outcomes_of(options::sequential(0), two_loads_of_three_values), newest_only);
}

TEST(stale_loads, do_not_reach_behind_the_start_or_the_join_of_a_thread) {
    const auto seen = outcomes_of(unbounded(), [] {
        atomic<int> x{0};
        outcome loaded;
        x.store(1, relaxed);
        together([&] {
            loaded.push_back(x.load(relaxed));
            x.store(2, relaxed);
        });
        loaded.push_back(x.load(relaxed));
        return loaded;
    });
    EXPECT_EQ(seen, (outcome_set{{1, 2}}));
}

TEST(read_modify_write, of_two_increments_none_is_lost) {
    const auto seen = outcomes_of(unbounded(), [] {
        atomic<int> x{0};
        outcome found(2);
        together([&] { found[0] = x.fetch_add(1, relaxed); },
                 [&] { found[1] = x.fetch_add(1, relaxed); });
        found.push_back(x.load(relaxed));
        return found;
    });
    EXPECT_EQ(seen, (outcome_set{{0, 1, 2}, {1, 0, 2}}));
}

TEST(read_modify_write, a_refused_exchange_shows_the_newest_value) {
    const auto seen = outcomes_of(without_preemption(2), [] {
        atomic<int> x{0};
        int expected = 7;
        together(
            [&] {
                x.store(1, relaxed);
                x.store(2, relaxed);
            },
            [&] { x.compare_exchange_strong(expected, 8, relaxed); });
        return outcome{expected};
    });
    EXPECT_EQ(seen, (outcome_set{{0}, {2}}));
}

TEST(read_modify_write, every_kind_computes_as_its_name_says) {
    EXPECT_TRUE(passes(options::sequential(), [] {
        atomic<unsigned> x{0b1100};
        check(x.fetch_add(1U) == 0b1100, "add");
        check(x.fetch_sub(1U) == 0b1101, "subtract");
        check(x.fetch_and(0b0110) == 0b1100, "and");
        check(x.fetch_or(0b0011) == 0b0100, "or");
        check(x.fetch_xor(0b0101) == 0b0111, "xor");
        check(x.exchange(9) == 0b0010, "exchange");
        check(x == 9, "the last value");
    }));
}

outcome one_weak_exchange() {
    atomic<int> x{0};
    int expected = 0;
    const bool done = x.compare_exchange_weak(expected, 1);
    return {done, expected, x.load()};
}

TEST(weak_exchange, may_fail_spuriously_in_weak_memory) {
    EXPECT_EQ(outcomes_of(unbounded(), one_weak_exchange), (outcome_set{{0, 0, 0}, {1, 0, 1}}));
}

TEST(weak_exchange, does_not_fail_spuriously_in_sequential_memory) {
    EXPECT_EQ(outcomes_of(options::sequential(), one_weak_exchange), (outcome_set{{1, 0, 1}}));
}

// Release sequences. The first thread stores data, then releases 1 through the flag; the outcome is
// {flag acquired, data}.

template <class Release, class Continue>
outcome_set release_sequence(Release publish, Continue go_on) {
    return outcomes_of(unbounded(), [=] {
        atomic<int> data{0};
        atomic<int> flag{0};
        outcome seen(2);
        together(
            [&] {
                data.store(1, relaxed);
                publish(flag);
            },
            [&] { go_on(flag); },
            [&] {
                seen[0] = flag.load(acquire);
                seen[1] = data.load(relaxed);
            });
        return seen;
    });
}

constexpr auto release_one = [](atomic<int>& flag) { flag.store(1, release); };
constexpr auto nothing = [](atomic<int>&) {};

TEST(release_sequence, a_relaxed_read_modify_write_of_another_thread_continues_it) {
    const auto seen =
        release_sequence(release_one, [](atomic<int>& flag) { flag.fetch_add(10, relaxed); });
    EXPECT_EQ(seen, (outcome_set{{0, 0}, {0, 1}, {1, 1}, {10, 0}, {10, 1}, {11, 1}}));
}

TEST(release_sequence, begins_at_a_release_fence_too) {
    const auto by_fence = [](atomic<int>& flag) {
        fence(release);
        flag.store(1, relaxed);
    };
    const auto seen =
        release_sequence(by_fence, [](atomic<int>& flag) { flag.fetch_add(10, relaxed); });
    EXPECT_EQ(seen, (outcome_set{{0, 0}, {0, 1}, {1, 1}, {10, 0}, {10, 1}, {11, 1}}));
}

TEST(release_sequence, a_relaxed_store_of_another_thread_ends_it) {
    const auto seen = release_sequence(release_one, [](atomic<int>& flag) {
        if (flag.load(relaxed) == 1) flag.store(2, relaxed);
    });
    EXPECT_EQ(seen, (outcome_set{{0, 0}, {0, 1}, {1, 1}, {2, 0}, {2, 1}}));
}

TEST(release_sequence, a_relaxed_store_of_the_same_thread_ends_it) {
    const auto then_relaxed = [](atomic<int>& flag) {
        flag.store(1, release);
        flag.store(2, relaxed);
    };
    EXPECT_EQ(release_sequence(then_relaxed, nothing),
              (outcome_set{{0, 0}, {0, 1}, {1, 1}, {2, 0}, {2, 1}}));
}

} // namespace
} // namespace weft::inline v0::explorer
