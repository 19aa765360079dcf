// A group and its threads, where it matters which of them sleep and what is claimed together.
#include "contract/contract_core.hpp"

#include "conform/cpp/rendezvous.hpp"
#include "conform/cpp/slow_batch.hpp"
#include "sync/asymmetric_fence.hpp"
#include "unit/sync/observed_thread.hpp"

#include <weft/contract.hpp>
#include <weft/future.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

namespace weft {
namespace {

using namespace test;

TEST(contract_group_alone, a_thread_that_waits_for_a_long_run_sleeps) {
    contract_group group;
    event begun;
    event go;
    const contract slow = group.create([&] {
        begun.happen();
        go.await();
    });
    slow.schedule();
    const std::jthread driver{[&] { group.try_execute_next(); }};
    begun.await();
    const observed_thread waiter{[&] { group.wait(); }};
    EXPECT_TRUE(waiter.falls_asleep());
    go.happen();
    EXPECT_TRUE(waiter.ends());
}

/// It does not run what is due: that is for the pool's workers.
TEST(contract_group_alone, a_thread_that_waits_for_a_group_on_a_busy_pool_sleeps) {
    event begun;
    event go;
    pool workers{1};
    contract_group group{workers};
    workers.post([&] {
        begun.happen();
        go.await();
    });
    begun.await();
    const contract some = group.create([] {}, {.scheduled = true});
    const observed_thread waiter{[&] { group.wait(); }};
    EXPECT_TRUE(waiter.falls_asleep());
    go.happen();
    EXPECT_TRUE(waiter.ends());
}

/// A group without contracts has not ended: one may be created.
TEST(contract_group_alone, a_driver_of_an_empty_group_sleeps_until_something_is_due) {
    contract_group group;
    std::atomic<bool> ran{false};
    const observed_thread driver{[&] { ran = group.execute_next_or_wait(); }};
    EXPECT_TRUE(driver.falls_asleep());
    const contract some = group.create([] {}, {.scheduled = true});
    EXPECT_TRUE(driver.ends());
    EXPECT_TRUE(ran);
    group.stop();
}

TEST(contract_group_alone, a_driver_whose_time_is_over_wakes_no_thread_for_nothing) {
    contract_group group;
    const observed_thread driver{[&] { group.execute_next_or_wait(); }};
    EXPECT_TRUE(driver.falls_asleep());
    const auto sleeps = driver.sleeps();
    EXPECT_FALSE(group.execute_next_or_wait(std::chrono::nanoseconds{1}));
    EXPECT_TRUE(driver.falls_asleep());
    EXPECT_EQ(driver.sleeps(), sleeps) << "it was woken";
    group.stop();
}

/// The contracts are released together. The first release waits for the second, which only another
/// thread can do then.
TEST(contract_group_alone, stopping_wakes_a_thread_that_helps) {
    contract_group group;
    std::atomic<bool> second_released{false};
    const contract first = group.create(
        [] {},
        {.on_release = [&] { EXPECT_TRUE(comes_soon([&] { return second_released.load(); })); }});
    const contract second = group.create([] {}, {.on_release = [&] { second_released = true; }});
    const observed_thread driver{[&] {
        while (group.execute_next_or_wait()) {
        }
    }};
    EXPECT_TRUE(driver.falls_asleep());
    group.stop();
}

/// The thread that stops the group frees the second contract.
TEST(contract_group_alone, stopping_does_not_wait_for_a_long_run_with_the_rest_of_its_batch) {
    slow_batch batch;
    batch.group().stop();
    EXPECT_TRUE(batch.has_run());
}

TEST(contract_group_alone, a_driver_stays_until_the_last_contract_is_gone) {
    contract_group group;
    event begun;
    event go;
    const contract slow = group.create([&] {
        begun.happen();
        go.await();
    });
    slow.schedule();
    const std::jthread runner{[&] { group.try_execute_next(); }};
    begun.await();
    const std::jthread stopper{[&] { group.stop(); }};
    spin_until([&] { return !slow.valid(); });
    const observed_thread driver{[&] {
        while (group.execute_next_or_wait()) {
        }
    }};
    EXPECT_TRUE(driver.falls_asleep());
    go.happen();
    EXPECT_TRUE(driver.ends());
    EXPECT_EQ(group.size(), 0U);
}

TEST(contract_group_alone, a_thread_that_frees_a_slow_batch_runs_what_it_has_freed) {
    if (!sync::heavy_fence_works()) GTEST_SKIP() << "nothing is ever freed";
    event begun;
    event go;
    std::atomic<bool> neighbour_ran{false};
    contract_group group;
    const contract slow = group.create([&] {
        begun.happen();
        go.await();
    });
    const contract neighbour = group.create([&] { neighbour_ran = true; });
    slow.schedule();
    neighbour.schedule();
    const std::jthread driver{[&] { group.execute_some(2); }};
    begun.await();
    EXPECT_FALSE(group.try_execute_next()) << "the batch has not been watched";
    const auto start = std::chrono::steady_clock::now();
    spin_until(
        [&] { return std::chrono::steady_clock::now() - start > std::chrono::milliseconds{1}; });
    EXPECT_TRUE(group.try_execute_next());
    EXPECT_TRUE(neighbour_ran);
    go.happen();
}

/// Something is due for it all the time.
TEST(contract_group_alone, a_busy_thread_frees_the_rest_of_a_slow_batch_too) {
    event begun;
    std::atomic<bool> neighbour_ran{false};
    contract_group group; // runs what is due when it ends
    const contract slow = group.create([&] {
        begun.happen();
        EXPECT_TRUE(comes_soon([&] { return neighbour_ran.load(); }));
    });
    const contract neighbour = group.create([&] { neighbour_ran = true; });
    std::vector<contract> others; // so that each thread has a block
    for (int i = 0; i < 30; ++i) others.push_back(group.create([] {}));
    const contract endless = group.create([&](contract_token& token) {
        if (!neighbour_ran) token.schedule();
    });
    slow.schedule();
    neighbour.schedule();
    const std::jthread driver{[&] { group.execute_some(2); }};
    begun.await();
    endless.schedule();
    EXPECT_TRUE(comes_soon([&] {
        group.try_execute_next();
        return neighbour_ran.load();
    }));
}

TEST(contract_group_alone, has_nothing_for_a_worker_if_nothing_is_due) {
    detail::contract_core core{{}};
    EXPECT_FALSE(core.has_work());
    EXPECT_FALSE(core.try_run());
    core.end();
}

/// A worker's turn with a group ends after many runs. Then it has another task, and a thread that
/// sleeps is woken for what is still due.
TEST(contract_group_alone, a_worker_that_ends_its_turn_wakes_another_thread) {
    std::atomic<bool> ended{false};
    std::atomic<bool> was_asleep{false};
    std::atomic<bool> was_woken{false};
    pool workers{1};
    contract_group group{workers}; // runs what is due when it ends
    const observed_thread driver{[&] {
        while (!ended) group.execute_next_or_wait();
    }};
    const contract endless = group.create([&](contract_token& token) {
        if (was_asleep && pool::current() == nullptr) was_woken = true;
        if (ended) return;
        token.schedule();
        if (was_asleep || pool::current() == nullptr) return;
        was_asleep = driver.falls_asleep();
        workers.post([&] {
            EXPECT_TRUE(comes_soon([&] { return was_woken.load(); }));
            ended = true;
        });
    });
    endless.schedule();
    EXPECT_TRUE(comes_soon([&] { return ended.load(); }));
    spin_until([&] {
        endless.schedule();
        return driver.ended();
    });
}

/// The second contract of a visit leaves its priority before it is run. The visit is over then: it
/// is not continued with contracts that are due later.
TEST(contract_group_alone, a_visit_ends_when_nothing_is_left_of_it) {
    contract_group group;
    std::string order;
    const contract first = group.create([&](contract_token& token) {
        order += 'a';
        if (order.size() > 2) token.schedule();
    });
    const contract second = group.create([&] { order += 'b'; });
    std::vector<contract> others; // so that the third is in another block
    for (int i = 0; i < 30; ++i) others.push_back(group.create([] {}));
    const contract third = group.create([&] { order += 'c'; });
    first.schedule();
    second.schedule();
    EXPECT_TRUE(group.try_execute_next());
    second.set_priority(priority::high);
    EXPECT_TRUE(group.try_execute_next());
    EXPECT_EQ(order, "ab");
    EXPECT_FALSE(group.try_execute_next());
    first.schedule();
    third.schedule();
    EXPECT_TRUE(group.try_execute_next());
    EXPECT_TRUE(group.try_execute_next());
    EXPECT_EQ(order, "abac") << "each block once";
    group.stop(on_stop::cancel);
}

TEST(contract_group_alone, a_contract_that_is_being_released_keeps_its_priority) {
    contract_group group;
    std::string order;
    const contract first = group.create([] {}, {.on_release = [&] { order += 'a'; }});
    const contract second = group.create([] {}, {.on_release = [&] { order += 'b'; }});
    first.release();
    second.release();
    second.set_priority(priority::high);
    EXPECT_EQ(group.execute_some(2), 2U);
    EXPECT_EQ(order, "ab");
}

/// Three contracts are claimed together. The first is released, and its entry is used again; the
/// second takes long, so that another thread frees the third. The new contract is not freed with
/// it: it runs, and must not run concurrently with itself.
TEST(contract_group_alone, an_entry_that_is_used_again_is_not_given_back_with_the_batch) {
    contract_group group;
    event created;
    event neighbour_ran;
    event go;
    std::atomic<int> inside{0};
    std::atomic<bool> met{false};
    contract again;
    contract first = group.create([] {});
    const contract second = group.create([&] {
        again = group.create([&] {
            if (++inside > 1) met = true;
            else go.await();
            --inside;
        });
        again.schedule();
        created.happen();
        neighbour_ran.await();
    });
    const contract third = group.create([&] { neighbour_ran.happen(); });
    second.schedule();
    third.schedule();
    first = contract{};
    {
        const std::jthread owner{[&] { group.execute_some(3); }};
        created.await();
        const std::jthread runner{[&] { group.try_execute_next(); }};
        spin_until([&] { return inside == 1; });
        spin_until([&] {
            group.try_execute_next();
            return neighbour_ran.has_happened();
        });
        again.schedule();
        for (int i = 0; i < 3; ++i) group.try_execute_next();
        EXPECT_FALSE(met);
        go.happen();
    }
    group.wait();
    EXPECT_FALSE(met);
}

} // namespace
} // namespace weft
