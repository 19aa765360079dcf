#include <weft/detail/pool/sleep.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace weft::inline v0::detail {
namespace {

constexpr auto no_more = [] { return false; };
constexpr auto some_more = [] { return true; };

TEST(sleep_control, does_not_sleep_if_there_is_work) {
    sleep_control sleep{1};
    sleep.begin_search();
    EXPECT_FALSE(sleep.sleep(0, some_more)) << "nobody has woken it";
    EXPECT_EQ(sleep.asleep(), 0U);
    EXPECT_EQ(sleep.idle(), 1U) << "it searches again";
    sleep.end_search(no_more);
}

void await_sleepers(const sleep_control& sleep, std::size_t count) {
    while (sleep.asleep() != count) std::this_thread::yield();
}

TEST(sleep_control, notify_wakes_one_and_not_another_until_that_one_has_found_something) {
    sleep_control sleep{2};
    std::atomic<int> awake{0};
    std::atomic<bool> found{false};
    const auto doze = [&](std::size_t worker) {
        return [&, worker] {
            sleep.begin_search();
            sleep.sleep(worker, no_more);
            ++awake;
            while (!found) std::this_thread::yield();
            sleep.end_search(no_more);
        };
    };
    std::jthread first{doze(0)};
    std::jthread second{doze(1)};
    await_sleepers(sleep, 2);
    sleep.notify();
    while (awake == 0) std::this_thread::yield();
    sleep.notify();
    EXPECT_EQ(sleep.asleep(), 1U) << "the first still searches";
    found = true;
    sleep.wake_all();
}

TEST(sleep_control, the_last_searcher_wakes_another_if_there_is_more) {
    sleep_control sleep{2};
    std::jthread sleeper{[&] {
        sleep.begin_search();
        sleep.sleep(1, no_more);
        sleep.end_search(no_more);
    }};
    await_sleepers(sleep, 1);
    sleep.begin_search();
    sleep.end_search(some_more);
    sleeper.join();
    EXPECT_EQ(sleep.asleep(), 0U);
}

/// A worker that sleeps until it is woken.
std::jthread sleeper_in(sleep_control& sleep, std::size_t worker) {
    return std::jthread{[&sleep, worker] {
        sleep.begin_search();
        EXPECT_TRUE(sleep.sleep(worker, no_more)) << "it was woken";
        sleep.end_search(no_more);
    }};
}

TEST(sleep_control, a_searcher_that_is_not_the_last_wakes_nobody) {
    sleep_control sleep{3};
    const std::jthread sleeper = sleeper_in(sleep, 2);
    await_sleepers(sleep, 1);
    sleep.begin_search();
    sleep.begin_search();
    sleep.end_search(some_more);
    EXPECT_EQ(sleep.asleep(), 1U) << "there is another that searches";
    sleep.end_search(some_more);
    EXPECT_EQ(sleep.asleep(), 0U);
}

TEST(sleep_control, the_last_searcher_does_not_look_for_more_if_nobody_sleeps) {
    sleep_control sleep{2};
    sleep.begin_search();
    bool looked = false;
    sleep.end_search([&] { return looked = true; });
    EXPECT_FALSE(looked);
}

TEST(sleep_control, wakes_the_worker_that_is_named_and_no_other) {
    sleep_control sleep{3};
    const std::jthread first = sleeper_in(sleep, 0);
    std::jthread second = sleeper_in(sleep, 1);
    await_sleepers(sleep, 2);
    EXPECT_EQ(sleep.wakeable(), 2U);
    sleep.wake(2);
    EXPECT_EQ(sleep.asleep(), 2U) << "that one did not sleep";
    sleep.wake(1);
    second.join();
    EXPECT_EQ(sleep.asleep(), 1U);
    EXPECT_EQ(sleep.idle(), 1U);
    sleep.wake_all();
}

TEST(sleep_control, a_worker_that_stays_away_is_asleep_and_is_not_woken) {
    sleep_control sleep{1};
    sleep.begin_search();
    sleep.stay_away(no_more);
    EXPECT_TRUE(sleep.all_asleep());
    EXPECT_EQ(sleep.wakeable(), 0U);
    sleep.wake_all();
    EXPECT_EQ(sleep.asleep(), 1U);
    sleep.come_back();
    EXPECT_EQ(sleep.asleep(), 0U);
    EXPECT_EQ(sleep.idle(), 1U) << "it searches";
    sleep.end_search(no_more);
    EXPECT_EQ(sleep.idle(), 0U);
}

TEST(sleep_control, wake_all_wakes_more_than_one_mask_of_workers) {
    constexpr std::size_t workers = 70;
    sleep_control sleep{workers};
    std::vector<std::jthread> sleepers;
    for (std::size_t i = 0; i < workers; ++i) {
        sleepers.emplace_back([&sleep, i] {
            sleep.begin_search();
            sleep.sleep(i, no_more);
            sleep.end_search(no_more);
        });
    }
    await_sleepers(sleep, workers);
    sleep.wake_all();
    sleepers.clear();
    EXPECT_EQ(sleep.asleep(), 0U);
}

} // namespace
} // namespace weft::inline v0::detail
