// Accesses of order seq_cst: one total order of them, as strong as that of C++20 and no stronger.
#include "support/litmus.hpp"

#include <array>
#include <cstddef>

namespace weft::inline v0::explorer {
namespace {

using namespace test;
using enum std::memory_order;
using order = std::memory_order;

constexpr order store_of(order each) { return each == acquire ? relaxed : each; }
constexpr order load_of(order each) { return each == release ? relaxed : each; }

// Store buffering: each thread stores its own word and reads the other's.

struct four_orders {
    order first_store = seq_cst;
    order first_load = seq_cst;
    order second_store = seq_cst;
    order second_load = seq_cst;
};

outcome_set store_buffering(four_orders orders) {
    return outcomes_of(unbounded(), [=] {
        atomic<int> x{0};
        atomic<int> y{0};
        outcome seen(2);
        together(
            [&] {
                x.store(1, orders.first_store);
                seen[0] = y.load(orders.first_load);
            },
            [&] {
                y.store(1, orders.second_store);
                seen[1] = x.load(orders.second_load);
            });
        return seen;
    });
}

const outcome_set one_sees_the_other{{0, 1}, {1, 0}, {1, 1}};
const outcome_set both_may_read_zero{{0, 0}, {0, 1}, {1, 0}, {1, 1}};

TEST(seq_cst_store_buffering, one_thread_sees_the_other) {
    EXPECT_EQ(store_buffering({}), one_sees_the_other);
}

TEST(seq_cst_store_buffering, all_four_accesses_are_needed) {
    EXPECT_EQ(store_buffering({.first_store = release}), both_may_read_zero);
    EXPECT_EQ(store_buffering({.first_load = acquire}), both_may_read_zero);
    EXPECT_EQ(store_buffering({.second_store = release}), both_may_read_zero);
    EXPECT_EQ(store_buffering({.second_load = acquire}), both_may_read_zero);
}

TEST(seq_cst_store_buffering, an_update_may_take_the_place_of_the_store) {
    const auto outcomes = [](order update) {
        return outcomes_of(unbounded(), [=] {
            atomic<int> x{0};
            atomic<int> y{0};
            outcome seen(2);
            together(
                [&] {
                    x.fetch_add(1, update);
                    seen[0] = y.load(seq_cst);
                },
                [&] {
                    y.exchange(1, update);
                    seen[1] = x.load(seq_cst);
                });
            return seen;
        });
    };
    EXPECT_EQ(outcomes(seq_cst), one_sees_the_other);
    EXPECT_EQ(outcomes(acq_rel), both_may_read_zero);
}

TEST(seq_cst_store_buffering, a_fence_may_take_the_place_of_one_pair_of_accesses) {
    const auto outcomes = [](order accesses) {
        return outcomes_of(unbounded(), [=] {
            atomic<int> x{0};
            atomic<int> y{0};
            outcome seen(2);
            together(
                [&] {
                    x.store(1, store_of(accesses));
                    seen[0] = y.load(load_of(accesses));
                },
                [&] {
                    y.store(1, relaxed);
                    explorer::atomic_thread_fence(seq_cst);
                    seen[1] = x.load(relaxed);
                });
            return seen;
        });
    };
    EXPECT_EQ(outcomes(seq_cst), one_sees_the_other);
    EXPECT_EQ(outcomes(acquire), both_may_read_zero);
    EXPECT_EQ(outcomes(release), both_may_read_zero);
}

// Not stronger than C++20: the total order alone makes nothing happen before anything.

TEST(seq_cst_data, is_not_published_by_a_relaxed_flag) {
    const outcome_set outcomes = outcomes_of(unbounded(), [] {
        atomic<int> data{0};
        atomic<int> flag{0};
        outcome seen(2);
        together(
            [&] {
                data.store(1, seq_cst);
                flag.store(1, relaxed);
            },
            [&] {
                seen[0] = flag.load(relaxed);
                seen[1] = data.load(seq_cst);
            });
        return seen;
    });
    EXPECT_EQ(outcomes, (outcome_set{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
}

TEST(seq_cst_data, orders_no_plain_data) {
    EXPECT_TRUE(fails_with(failure_kind::data_race, unbounded(), [] {
        plain<int> data{0};
        atomic<int> x{0};
        atomic<int> y{0};
        bool first = false;
        together(
            [&] {
                data.write(1);
                x.store(1, seq_cst);
                first = y.load(seq_cst) == 0;
            },
            [&] {
                y.store(1, seq_cst);
                static_cast<void>(x.load(seq_cst));
                data.write(2);
            });
    }));
}

/// The example Z6.U of Lahav et al., "Repairing sequential consistency in C/C++11": the total order
/// need not agree with what happens before through a release that is not seq_cst.
TEST(seq_cst_order, may_disagree_with_a_weaker_release) {
    const outcome_set outcomes = outcomes_of(unbounded(), [] {
        atomic<int> x{0};
        atomic<int> y{0};
        outcome seen(3);
        together(
            [&] {
                x.store(1, seq_cst);
                y.store(1, release);
            },
            [&] {
                seen[0] = y.fetch_add(1, seq_cst);
                seen[1] = y.load(relaxed);
            },
            [&] {
                y.store(3, seq_cst);
                seen[2] = x.load(seq_cst);
            });
        return seen;
    });
    EXPECT_TRUE(outcomes.contains({1, 3, 0}));
}

// Independent reads of independent writes: two readers see two stores, each in its own order.

bool readers_may_disagree(order store, order load) {
    const outcome_set outcomes = outcomes_of(options::weak(3, 3), [=] {
        atomic<int> x{0};
        atomic<int> y{0};
        outcome seen(4);
        together([&] { x.store(1, store); }, [&] { y.store(1, store); },
                 [&] {
                     seen[0] = x.load(load);
                     seen[1] = y.load(load);
                 },
                 [&] {
                     seen[2] = y.load(load);
                     seen[3] = x.load(load);
                 });
        return seen;
    });
    return outcomes.contains({1, 0, 1, 0});
}

TEST(seq_cst_independent_reads, agree_on_the_order_of_the_stores) {
    EXPECT_FALSE(readers_may_disagree(seq_cst, seq_cst));
    EXPECT_FALSE(readers_may_disagree(relaxed, seq_cst));
}

TEST(seq_cst_independent_reads, by_acquire_need_not_agree) {
    EXPECT_TRUE(readers_may_disagree(seq_cst, acquire));
}

TEST(seq_cst_order, passes_through_a_third_thread) {
    const auto outcomes = [](order middle) {
        return outcomes_of(unbounded(), [=] {
            atomic<int> x{0};
            atomic<int> y{0};
            outcome seen(3);
            together([&] { x.store(1, seq_cst); },
                     [&] {
                         seen[0] = x.load(middle);
                         seen[1] = y.load(middle);
                     },
                     [&] {
                         y.store(1, seq_cst);
                         seen[2] = x.load(seq_cst);
                     });
            return seen;
        });
    };
    EXPECT_FALSE(outcomes(seq_cst).contains({1, 0, 0}));
    EXPECT_TRUE(outcomes(acquire).contains({1, 0, 0}));
}

TEST(seq_cst_order, has_a_place_for_a_failed_compare_exchange) {
    const auto outcomes = [](order failure) {
        return outcomes_of(options::weak(3, 3), [=] {
            atomic<int> x{0};
            atomic<int> y{0};
            outcome seen(4);
            together([&] { x.store(1, relaxed); }, [&] { y.store(1, relaxed); },
                     [&] {
                         seen[0] = 7; // expected in vain
                         x.compare_exchange_strong(seen[0], 8, seq_cst, failure);
                         seen[1] = y.load(seq_cst);
                     },
                     [&] {
                         seen[2] = y.load(seq_cst);
                         seen[3] = x.load(seq_cst);
                     });
            return seen;
        });
    };
    EXPECT_FALSE(outcomes(seq_cst).contains({1, 0, 1, 0}));
    EXPECT_TRUE(outcomes(acquire).contains({1, 0, 1, 0}));
}

// Locks that need the total order.

/// Peterson's lock for two threads.
class peterson_lock {
public:
    explicit peterson_lock(order each) : order_{each} {}

    void lock(std::size_t self) {
        const std::size_t other = 1 - self;
        wants_[self].store(true, store_of(order_));
        turn_.store(other, store_of(order_));
        while (wants_[other].load(load_of(order_)) && turn_.load(load_of(order_)) == other) {
            explorer::yield();
        }
    }
    void unlock(std::size_t self) { wants_[self].store(false, store_of(order_)); }

private:
    order order_;
    std::array<atomic<bool>, 2> wants_{};
    atomic<std::size_t> turn_{0};
};

void count_under(order each, int times) {
    peterson_lock lock{each};
    plain<int> counter{0};
    const auto count = [&](std::size_t self) {
        return [&, self] {
            for (int i = 0; i < times; ++i) {
                lock.lock(self);
                ++counter.modify();
                lock.unlock(self);
            }
        };
    };
    together(count(0), count(1));
    check(counter.read() == 2 * times, "nothing is lost");
}

TEST(peterson, excludes_with_seq_cst_accesses) {
    EXPECT_TRUE(passes(options::weak(4, 4), [] { count_under(seq_cst, 1); }));
    EXPECT_TRUE(passes(options::weak(2, 2), [] { count_under(seq_cst, 2); }));
}

TEST(peterson, does_not_exclude_with_release_and_acquire) {
    EXPECT_TRUE(
        fails_with(failure_kind::data_race, options::weak(2, 2), [] { count_under(release, 1); }));
    EXPECT_TRUE(
        fails_with(failure_kind::data_race, options::weak(2, 2), [] { count_under(acquire, 1); }));
}

void enter_if_alone(order store, order load) {
    atomic<bool> first{false};
    atomic<bool> second{false};
    plain<int> inside{0};
    const auto enter = [&](atomic<bool>& own, const atomic<bool>& other) {
        own.store(true, store);
        if (!other.load(load)) inside.modify() += 1;
    };
    together([&] { enter(first, second); }, [&] { enter(second, first); });
}

TEST(dekker, seq_cst_accesses_keep_two_threads_apart) {
    EXPECT_TRUE(passes(unbounded(), [] { enter_if_alone(seq_cst, seq_cst); }));
}

TEST(dekker, with_one_weaker_order_both_may_enter) {
    EXPECT_TRUE(
        fails_with(failure_kind::data_race, unbounded(), [] { enter_if_alone(release, seq_cst); }));
    EXPECT_TRUE(
        fails_with(failure_kind::data_race, unbounded(), [] { enter_if_alone(seq_cst, acquire); }));
}

} // namespace
} // namespace weft::inline v0::explorer
