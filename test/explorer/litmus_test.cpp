// The classic shapes of two threads on weak memory: exactly these outcomes, no more and no fewer.
//
// Two differences from C++20 are recorded here: a load returns only what was stored before it (load
// buffering, S), and a new store is the last in modification order (2+2W). Accesses of seq_cst are
// in seq_cst_test.cpp.
#include "support/litmus.hpp"

namespace weft::inline v0::explorer {
namespace {

using namespace test;
using enum std::memory_order;
using order = std::memory_order;

// Message passing: data, then a flag; the outcome is {flag, data} as the reader saw them.

outcome_set message_passing(order publish, order look, const options& bounds = unbounded()) {
    return outcomes_of(bounds, [=] {
        atomic<int> data{0};
        atomic<int> flag{0};
        outcome seen(2);
        together(
            [&] {
                data.store(1, relaxed);
                flag.store(1, publish);
            },
            [&] {
                seen[0] = flag.load(look);
                seen[1] = data.load(relaxed);
            });
        return seen;
    });
}

outcome_set message_passing_by_fences(order writer, order reader) {
    return outcomes_of(unbounded(), [=] {
        atomic<int> data{0};
        atomic<int> flag{0};
        outcome seen(2);
        together(
            [&] {
                data.store(1, relaxed);
                fence(writer);
                flag.store(1, relaxed);
            },
            [&] {
                seen[0] = flag.load(relaxed);
                fence(reader);
                seen[1] = data.load(relaxed);
            });
        return seen;
    });
}

const outcome_set message_arrives{{0, 0}, {0, 1}, {1, 1}};
const outcome_set message_may_be_late{{0, 0}, {0, 1}, {1, 0}, {1, 1}};

TEST(message_passing, relaxed_may_show_the_flag_without_the_data) {
    EXPECT_EQ(message_passing(relaxed, relaxed), message_may_be_late);
}

TEST(message_passing, release_and_acquire_bring_the_data_with_the_flag) {
    EXPECT_EQ(message_passing(release, acquire), message_arrives);
}

TEST(message_passing, release_alone_or_acquire_alone_does_not_help) {
    EXPECT_EQ(message_passing(release, relaxed), message_may_be_late);
    EXPECT_EQ(message_passing(relaxed, acquire), message_may_be_late);
}

TEST(message_passing, seq_cst_accesses_release_and_acquire) {
    EXPECT_EQ(message_passing(seq_cst, seq_cst), message_arrives);
}

TEST(message_passing, fences_order_relaxed_accesses) {
    EXPECT_EQ(message_passing_by_fences(release, acquire), message_arrives);
    EXPECT_EQ(message_passing_by_fences(acq_rel, acq_rel), message_arrives);
    EXPECT_EQ(message_passing_by_fences(seq_cst, seq_cst), message_arrives);
}

TEST(message_passing, fences_of_the_wrong_kind_do_not_help) {
    EXPECT_EQ(message_passing_by_fences(acquire, acquire), message_may_be_late);
    EXPECT_EQ(message_passing_by_fences(release, release), message_may_be_late);
}

TEST(message_passing, fences_in_the_wrong_place_do_not_help) {
    const auto seen = outcomes_of(unbounded(), [] {
        atomic<int> data{0};
        atomic<int> flag{0};
        outcome loaded(2);
        together(
            [&] {
                fence(release);
                data.store(1, relaxed);
                flag.store(1, relaxed);
            },
            [&] {
                fence(acquire);
                loaded[0] = flag.load(relaxed);
                loaded[1] = data.load(relaxed);
            });
        return loaded;
    });
    EXPECT_EQ(seen, message_may_be_late);
}

TEST(message_passing, sequential_memory_needs_no_orders) {
    EXPECT_EQ(message_passing(relaxed, relaxed, options::sequential(100)), message_arrives);
}

// Store buffering: each thread stores to its own object and loads the other's.

outcome_set store_buffering(order access, maybe_fence left, maybe_fence right,
                            const options& bounds = unbounded()) {
    return outcomes_of(bounds, [=] {
        atomic<int> x{0};
        atomic<int> y{0};
        outcome seen(2);
        together(
            [&] {
                x.store(1, access);
                fence(left);
                seen[0] = y.load(access);
            },
            [&] {
                y.store(1, access);
                fence(right);
                seen[1] = x.load(access);
            });
        return seen;
    });
}

const outcome_set one_sees_the_other{{0, 1}, {1, 0}, {1, 1}};
const outcome_set both_may_read_zero{{0, 0}, {0, 1}, {1, 0}, {1, 1}};

TEST(store_buffering, without_fences_both_may_read_zero) {
    EXPECT_EQ(store_buffering(relaxed, {}, {}), both_may_read_zero);
}

TEST(store_buffering, seq_cst_fences_on_both_sides_forbid_it) {
    EXPECT_EQ(store_buffering(relaxed, seq_cst, seq_cst), one_sees_the_other);
}

TEST(store_buffering, a_fence_on_one_side_does_not_help) {
    EXPECT_EQ(store_buffering(relaxed, seq_cst, {}), both_may_read_zero);
    EXPECT_EQ(store_buffering(relaxed, {}, seq_cst), both_may_read_zero);
}

TEST(store_buffering, lesser_fences_do_not_help) {
    EXPECT_EQ(store_buffering(relaxed, acq_rel, acq_rel), both_may_read_zero);
    EXPECT_EQ(store_buffering(relaxed, seq_cst, acq_rel), both_may_read_zero);
}

TEST(store_buffering, sequential_memory_forbids_it) {
    EXPECT_EQ(store_buffering(relaxed, {}, {}, options::sequential(100)), one_sees_the_other);
}

// Dekker's entry: a thread that sees the other's flag stays out.

void enter_if_alone(order kind) {
    atomic<bool> wants[2];
    plain<int> inside{0};
    const auto visit = [&](int self) {
        wants[self].store(true, relaxed);
        fence(kind);
        if (!wants[1 - self].load(relaxed)) inside.write(self);
    };
    together([&] { visit(0); }, [&] { visit(1); });
}

TEST(dekker, seq_cst_fences_keep_two_threads_apart) {
    EXPECT_TRUE(passes(unbounded(), [] { enter_if_alone(seq_cst); }));
}

TEST(dekker, acq_rel_fences_let_both_in) {
    EXPECT_TRUE(fails_with(failure_kind::data_race, unbounded(), [] { enter_if_alone(acq_rel); }));
}

// R: two stores, against a store of the second and a load of the first; {last y, x as loaded}.

outcome_set shape_r(maybe_fence between) {
    return outcomes_of(unbounded(), [=] {
        atomic<int> x{0};
        atomic<int> y{0};
        int seen = 0;
        together(
            [&] {
                x.store(1, relaxed);
                fence(between);
                y.store(1, relaxed);
            },
            [&] {
                y.store(2, relaxed);
                fence(between);
                seen = x.load(relaxed);
            });
        return outcome{y.load(relaxed), seen};
    });
}

TEST(shape_r, the_later_store_does_not_bring_what_came_before_the_earlier) {
    EXPECT_EQ(shape_r({}), (outcome_set{{1, 0}, {1, 1}, {2, 0}, {2, 1}}));
}

TEST(shape_r, seq_cst_fences_make_it_do_so) {
    EXPECT_EQ(shape_r(seq_cst), (outcome_set{{1, 0}, {1, 1}, {2, 1}}));
}

// S: two stores, against a load of the second and a store of the first; {y as loaded, last x}.

outcome_set shape_s(order publish, order look) {
    return outcomes_of(unbounded(), [=] {
        atomic<int> x{0};
        atomic<int> y{0};
        int seen = 0;
        together(
            [&] {
                x.store(2, relaxed);
                y.store(1, publish);
            },
            [&] {
                seen = y.load(look);
                x.store(1, relaxed);
            });
        return outcome{seen, x.load(relaxed)};
    });
}

TEST(shape_s, release_and_acquire_order_the_stores) {
    EXPECT_EQ(shape_s(release, acquire), (outcome_set{{0, 1}, {0, 2}, {1, 1}}));
}

TEST(shape_s, relaxed_orders_them_too_unlike_in_cpp20) {
    EXPECT_EQ(shape_s(relaxed, relaxed), (outcome_set{{0, 1}, {0, 2}, {1, 1}}));
}

TEST(load_buffering, a_load_never_sees_a_store_to_come_unlike_in_cpp20) {
    const auto seen = outcomes_of(unbounded(), [] {
        atomic<int> x{0};
        atomic<int> y{0};
        outcome loaded(2);
        together(
            [&] {
                loaded[0] = x.load(relaxed);
                y.store(1, relaxed);
            },
            [&] {
                loaded[1] = y.load(relaxed);
                x.store(1, relaxed);
            });
        return loaded;
    });
    EXPECT_EQ(seen, (outcome_set{{0, 0}, {0, 1}, {1, 0}}));
}

TEST(two_plus_two_writes, the_first_stores_are_never_both_last_unlike_in_cpp20) {
    const auto last = outcomes_of(unbounded(), [] {
        atomic<int> x{0};
        atomic<int> y{0};
        together(
            [&] {
                x.store(1, relaxed);
                y.store(2, relaxed);
            },
            [&] {
                y.store(1, relaxed);
                x.store(2, relaxed);
            });
        return outcome{x.load(relaxed), y.load(relaxed)};
    });
    EXPECT_EQ(last, (outcome_set{{1, 2}, {2, 1}, {2, 2}}));
}

} // namespace
} // namespace weft::inline v0::explorer
