// Threads that wait: mutexes, parking, futexes, time, and loops that spin.
#include "support/litmus.hpp"

#include <chrono>
#include <mutex>

namespace weft::inline v0::explorer {
namespace {

using namespace test;
using enum std::memory_order;
using std::chrono::nanoseconds;

int now() { return static_cast<int>(clock::now().time_since_epoch().count()); }

options without_timeouts(options bounds) {
    bounds.timeouts = 0;
    return bounds;
}

TEST(mutex, two_of_them_locked_in_opposite_orders_deadlock) {
    EXPECT_TRUE(fails_with(failure_kind::deadlock, options::sequential(1), [] {
        mutex a;
        mutex b;
        together(
            [&] {
                const std::lock_guard first{a};
                const std::lock_guard second{b};
            },
            [&] {
                const std::lock_guard first{b};
                const std::lock_guard second{a};
            });
    }));
}

TEST(mutex, two_of_them_locked_in_one_order_do_not) {
    EXPECT_TRUE(passes(options::sequential(), [] {
        mutex a;
        mutex b;
        const auto lock_both = [&] {
            const std::lock_guard first{a};
            const std::lock_guard second{b};
        };
        together(lock_both, lock_both);
    }));
}

TEST(mutex, locked_twice_by_one_thread_is_a_deadlock) {
    EXPECT_TRUE(fails_with(failure_kind::deadlock, options::sequential(), [] {
        mutex a;
        a.lock();
        a.lock();
    }));
}

TEST(mutex, unlocked_by_a_thread_that_does_not_hold_it_is_a_misuse) {
    EXPECT_TRUE(fails_with(failure_kind::misuse, options::sequential(), [] {
        mutex a;
        a.lock();
        together([&] { a.unlock(); });
    }));
}

TEST(mutex, try_lock_succeeds_only_while_nobody_holds_it) {
    const auto seen = outcomes_of(unbounded(), [] {
        mutex a;
        bool got = false;
        together(
            [&] {
                a.lock();
                a.unlock();
            },
            [&] {
                got = a.try_lock();
                if (got) a.unlock();
            });
        return outcome{got};
    });
    EXPECT_EQ(seen, (outcome_set{{0}, {1}}));
}

TEST(parker, a_token_left_before_the_park_is_kept) {
    EXPECT_TRUE(passes(options::weak(), [] {
        parker sleeper;
        sleeper.unpark();
        sleeper.park();
    }));
}

TEST(parker, tokens_do_not_add_up) {
    EXPECT_TRUE(fails_with(failure_kind::deadlock, options::weak(), [] {
        parker sleeper;
        sleeper.unpark();
        sleeper.unpark();
        sleeper.park();
        sleeper.park();
    }));
}

TEST(parker, unpark_wakes_a_parked_thread) {
    EXPECT_TRUE(passes(options::weak(), [] {
        parker sleeper;
        together([&] { sleeper.park(); }, [&] { sleeper.unpark(); });
    }));
}

// Going to sleep when there is nothing to do: the sleeper must not miss what its waker sees no need
// to wake it for.

void sleep_without_a_second_look() {
    atomic<bool> ready{false};
    atomic<bool> sleeping{false};
    parker sleeper;
    together(
        [&] {
            if (ready.load()) return;
            sleeping.store(true);
            sleeper.park();
        },
        [&] {
            ready.store(true);
            if (sleeping.load()) sleeper.unpark();
        });
}

void sleep_after_a_second_look(maybe_fence between) {
    atomic<bool> ready{false};
    atomic<bool> sleeping{false};
    parker sleeper;
    together(
        [&] {
            sleeping.store(true, std::memory_order_release);
            fence(between);
            if (!ready.load(std::memory_order_acquire)) sleeper.park();
        },
        [&] {
            ready.store(true, std::memory_order_release);
            fence(between);
            if (sleeping.load(std::memory_order_acquire)) sleeper.unpark();
        });
}

TEST(lost_wake_up, found_where_the_sleeper_does_not_look_again) {
    EXPECT_TRUE(
        fails_with(failure_kind::deadlock, options::sequential(1), sleep_without_a_second_look));
}

TEST(lost_wake_up, by_store_buffering_is_found_only_in_weak_memory) {
    const auto unfenced = [] { sleep_after_a_second_look({}); };
    EXPECT_TRUE(passes(options::sequential(100), unfenced));
    EXPECT_TRUE(fails_with(failure_kind::deadlock, unbounded(), unfenced));
}

TEST(lost_wake_up, does_not_happen_with_fences_on_both_sides) {
    EXPECT_TRUE(passes(unbounded(), [] { sleep_after_a_second_look(seq_cst); }));
}

// Time.

outcome park_for_five_while_another_unparks() {
    parker sleeper;
    bool woken = false;
    int after = 0;
    together(
        [&] {
            woken = sleeper.park_for(nanoseconds{5});
            after = now();
        },
        [&] { sleeper.unpark(); });
    return {woken, after};
}

TEST(timed_park, is_woken_or_runs_out_and_then_it_is_the_deadline) {
    EXPECT_EQ(outcomes_of(unbounded(), park_for_five_while_another_unparks),
              (outcome_set{{0, 5}, {1, 0}}));
}

TEST(timed_park, without_a_budget_runs_out_only_if_nobody_else_can_run) {
    const options bounds = without_timeouts(unbounded());
    EXPECT_EQ(outcomes_of(bounds, park_for_five_while_another_unparks), (outcome_set{{1, 0}}));
    const auto alone = outcomes_of(bounds, [] {
        parker sleeper;
        const bool woken = sleeper.park_for(nanoseconds{5});
        return outcome{woken, now()};
    });
    EXPECT_EQ(alone, (outcome_set{{0, 5}}));
}

TEST(timed_park, of_two_threads_may_run_out_in_either_order_but_time_never_goes_back) {
    const auto seen = outcomes_of(unbounded(), [] {
        parker sleepers[2];
        outcome ends(2);
        together(
            [&] {
                sleepers[0].park_until(clock::time_point{nanoseconds{5}});
                ends[0] = now();
            },
            [&] {
                sleepers[1].park_until(clock::time_point{nanoseconds{9}});
                ends[1] = now();
            });
        ends.push_back(now());
        return ends;
    });
    EXPECT_EQ(seen, (outcome_set{{5, 9, 9}, {9, 9, 9}}));
}

// Futexes.

TEST(futex, sleeps_only_on_the_expected_value) {
    EXPECT_TRUE(passes(options::weak(), [] {
        const atomic<int> x{1};
        check(x.futex_wait(0), "returns at once");
    }));
    EXPECT_TRUE(fails_with(failure_kind::deadlock, options::weak(), [] {
        const atomic<int> x{1};
        x.futex_wait(1);
    }));
}

TEST(futex, may_return_for_no_reason_within_the_bound_of_timeouts) {
    const auto value_after_the_wait = [] {
        atomic<int> x{0};
        int seen = 0;
        together(
            [&] {
                x.futex_wait(0);
                seen = x.load();
            },
            [&] {
                x.store(1);
                x.notify_one();
            });
        return outcome{seen};
    };
    const options bounds = options::sequential(100);
    EXPECT_EQ(outcomes_of(bounds, value_after_the_wait), (outcome_set{{0}, {1}}));
    EXPECT_EQ(outcomes_of(without_timeouts(bounds), value_after_the_wait), (outcome_set{{1}}));
}

TEST(futex, a_store_without_a_notification_wakes_nobody) {
    const auto store_and = [](auto notify) {
        atomic<int> x{0};
        together([&] { x.wait(0); },
                 [&] {
                     x.store(1);
                     notify(x);
                 });
    };
    EXPECT_TRUE(fails_with(failure_kind::deadlock, options::weak(),
                           [&] { store_and([](atomic<int>&) {}); }));
    EXPECT_TRUE(
        passes(options::weak(), [&] { store_and([](atomic<int>& x) { x.notify_one(); }); }));
}

TEST(futex, a_wait_ends_though_loads_are_stale) {
    EXPECT_TRUE(passes(options::weak(2, 20), [] {
        atomic<int> x{0};
        together([&] { x.wait(0, relaxed); },
                 [&] {
                     x.store(1, relaxed);
                     x.notify_one();
                 });
    }));
}

TEST(futex, notify_one_wakes_one_and_notify_all_wakes_all) {
    const auto two_wait_and = [](auto notify) {
        atomic<int> x{0};
        together([&] { x.wait(0); }, [&] { x.wait(0); },
                 [&] {
                     x.store(1);
                     notify(x);
                 });
    };
    EXPECT_TRUE(fails_with(failure_kind::deadlock, options::weak(),
                           [&] { two_wait_and([](atomic<int>& x) { x.notify_one(); }); }));
    EXPECT_TRUE(
        passes(options::weak(), [&] { two_wait_and([](atomic<int>& x) { x.notify_all(); }); }));
}

TEST(futex, notify_one_may_wake_either_of_two) {
    const auto seen = outcomes_of(options::sequential(0), [] {
        atomic<int> x{0};
        int first = 0;
        const auto wait = [&](int self) {
            x.futex_wait(0);
            if (first == 0) first = self;
        };
        together([&] { wait(1); }, [&] { wait(2); },
                 [&] {
                     x.notify_one();
                     x.store(1);
                     x.notify_all();
                 });
        return outcome{first};
    });
    EXPECT_EQ(seen, (outcome_set{{1}, {2}}));
}

TEST(futex, with_a_deadline_says_if_the_time_is_up) {
    const auto seen = outcomes_of(unbounded(), [] {
        atomic<int> x{0};
        bool in_time = false;
        together([&] { in_time = x.futex_wait(0, 5); },
                 [&] {
                     x.store(1);
                     x.notify_one();
                 });
        return outcome{in_time};
    });
    EXPECT_EQ(seen, (outcome_set{{0}, {1}}));
}

// Spinning.

TEST(spinning, two_threads_that_wait_for_each_other_are_a_livelock) {
    EXPECT_TRUE(fails_with(failure_kind::livelock, options::weak(), [] {
        atomic<bool> go[2];
        const auto follow = [&](int self) {
            while (!go[1 - self].load(acquire)) yield();
            go[self].store(true, release);
        };
        together([&] { follow(0); }, [&] { follow(1); });
    }));
}

void wait_for_a_flag(bool yielding) {
    atomic<bool> flag{false};
    together(
        [&] {
            while (!flag.load(relaxed)) {
                if (yielding) yield();
            }
        },
        [&] { flag.store(true, relaxed); });
}

TEST(spinning, without_yield_is_a_livelock) {
    EXPECT_TRUE(
        fails_with(failure_kind::livelock, options::sequential(), [] { wait_for_a_flag(false); }));
}

TEST(spinning, with_yield_ends_however_stale_loads_may_be) {
    EXPECT_TRUE(passes(options::weak(2, 1000), [] { wait_for_a_flag(true); }));
}

TEST(spinning, of_two_threads_does_not_keep_a_third_from_running) {
    EXPECT_TRUE(passes(options::weak(), [] {
        atomic<bool> flag{false};
        const auto wait = [&] {
            while (!flag.load(relaxed)) yield();
        };
        together(wait, wait, [&] { flag.store(true, relaxed); });
    }));
}

TEST(spinning, a_yield_makes_earlier_stores_seen) {
    EXPECT_TRUE(passes(unbounded(), [] {
        atomic<int> x{0};
        bool stored = false; // unknown to the explorer
        together(
            [&] {
                x.store(1, relaxed);
                stored = true;
            },
            [&] {
                x.load(relaxed);
                const bool before = stored;
                yield();
                check(x.load(relaxed) == 1 || !before, "the store is seen");
            });
    }));
}

} // namespace
} // namespace weft::inline v0::explorer
