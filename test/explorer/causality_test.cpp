// Shapes of three and four threads: what one thread learned from another must reach the third.
#include "support/litmus.hpp"

namespace weft::inline v0::explorer {
namespace {

using namespace test;
using enum std::memory_order;
using order = std::memory_order;

// Write-to-read causality: x is stored, seen by a second thread, which notifies a third through y.

outcome_set write_to_read(order publish, order look) {
    return outcomes_of(unbounded(), [=] {
        atomic<int> x{0};
        atomic<int> y{0};
        outcome seen(3);
        together([&] { x.store(1, relaxed); },
                 [&] {
                     seen[0] = x.load(look);
                     y.store(1, publish);
                 },
                 [&] {
                     seen[1] = y.load(look);
                     seen[2] = x.load(relaxed);
                 });
        return seen;
    });
}

const outcome_set causal{{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1},
                         {1, 0, 0}, {1, 0, 1}, {1, 1, 1}};
const outcome broken_chain{1, 1, 0};

outcome_set united(outcome_set some, const outcome& more) {
    some.insert(more);
    return some;
}

TEST(write_to_read_causality, release_and_acquire_pass_on_what_was_only_seen) {
    EXPECT_EQ(write_to_read(release, acquire), causal);
}

TEST(write_to_read_causality, relaxed_passes_on_nothing) {
    EXPECT_EQ(write_to_read(relaxed, relaxed), united(causal, broken_chain));
}

// ISA2: the first thread's data reaches the third by way of the second.

outcome_set isa2(order publish, order look) {
    return outcomes_of(unbounded(), [=] {
        atomic<int> data{0};
        atomic<int> first{0};
        atomic<int> second{0};
        outcome seen(3);
        together(
            [&] {
                data.store(1, relaxed);
                first.store(1, publish);
            },
            [&] {
                seen[0] = first.load(look);
                second.store(1, publish);
            },
            [&] {
                seen[1] = second.load(look);
                seen[2] = data.load(relaxed);
            });
        return seen;
    });
}

TEST(isa2, release_and_acquire_are_transitive) { EXPECT_EQ(isa2(release, acquire), causal); }

TEST(isa2, relaxed_breaks_the_chain) {
    EXPECT_EQ(isa2(relaxed, relaxed), united(causal, broken_chain));
}

// Read-to-write causality: does a thread that saw x, but not y, come before the one that stored y?

outcome_set read_to_write(maybe_fence between) {
    return outcomes_of(unbounded(), [=] {
        atomic<int> x{0};
        atomic<int> y{0};
        outcome seen(3);
        together([&] { x.store(1, relaxed); },
                 [&] {
                     seen[0] = x.load(relaxed);
                     fence(between);
                     seen[1] = y.load(relaxed);
                 },
                 [&] {
                     y.store(1, relaxed);
                     fence(between);
                     seen[2] = x.load(relaxed);
                 });
        return seen;
    });
}

const outcome seen_but_missed{1, 0, 0};

TEST(read_to_write_causality, holds_with_seq_cst_fences) {
    EXPECT_FALSE(read_to_write(seq_cst).contains(seen_but_missed));
}

TEST(read_to_write_causality, does_not_hold_with_lesser_fences) {
    EXPECT_TRUE(read_to_write(acq_rel).contains(seen_but_missed));
}

// Independent reads of independent writes: do two readers agree which store came first?

outcome_set independent_reads(order look, maybe_fence between) {
    return outcomes_of(unbounded(), [=] {
        atomic<int> x{0};
        atomic<int> y{0};
        outcome seen(4);
        const auto read = [&](atomic<int>& one, atomic<int>& other, int position) {
            seen[static_cast<std::size_t>(position)] = one.load(look);
            fence(between);
            seen[static_cast<std::size_t>(position) + 1] = other.load(look);
        };
        together([&] { x.store(1, release); }, [&] { y.store(1, release); }, [&] { read(x, y, 0); },
                 [&] { read(y, x, 2); });
        return seen;
    });
}

outcome_set all_of_four_bits() {
    outcome_set all;
    for (int bits = 0; bits < 16; ++bits) {
        all.insert({bits >> 3 & 1, bits >> 2 & 1, bits >> 1 & 1, bits & 1});
    }
    return all;
}

outcome_set all_but_the_disagreement() {
    outcome_set agreed = all_of_four_bits();
    agreed.erase({1, 0, 1, 0});
    return agreed;
}

TEST(independent_reads, may_disagree_even_with_acquire) {
    EXPECT_EQ(independent_reads(relaxed, {}), all_of_four_bits());
    EXPECT_EQ(independent_reads(acquire, {}), all_of_four_bits());
}

TEST(independent_reads, agree_with_seq_cst_fences_between_the_loads) {
    EXPECT_EQ(independent_reads(relaxed, seq_cst), all_but_the_disagreement());
}

TEST(independent_reads, may_disagree_with_lesser_fences) {
    EXPECT_EQ(independent_reads(relaxed, acq_rel), all_of_four_bits());
}

} // namespace
} // namespace weft::inline v0::explorer
