#include <weft/detail/pool/sleep.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
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

/// Sleeps once and then stays away.
auto nap(sleep_control& sleep, std::size_t worker, alarm_time alarm) {
    return [&sleep, worker, alarm] {
        sleep.begin_search();
        sleep.sleep(worker, no_more, [alarm] { return alarm; });
        sleep.stay_away(no_more);
    };
}

TEST(sleep_control, a_keeper_wakes_when_its_alarm_comes) {
    sleep_control sleep{1};
    const alarm_time alarm = alarm_now() + 1'000'000;
    nap(sleep, 0, alarm)();
    EXPECT_GE(alarm_now(), alarm);
    EXPECT_TRUE(sleep.is_unwatched(alarm));
}

TEST(sleep_control, an_alarm_is_watched_by_one_and_an_earlier_one_wakes_a_sleeper) {
    sleep_control sleep{2};
    const alarm_time far = alarm_now() + alarm_time{3'600'000'000'000};
    std::jthread keeper{nap(sleep, 0, far)};
    while (sleep.is_unwatched(far)) std::this_thread::yield();
    std::jthread other{nap(sleep, 1, far)};
    while (sleep.wakeable() < 2) std::this_thread::yield();
    sleep.notify_alarm(far);
    sleep.notify_alarm(far + 1);
    EXPECT_EQ(sleep.wakeable(), 2U) << "the keeper will wake in time";
    sleep.notify_alarm(far - 1);
    while (sleep.wakeable() != 1) std::this_thread::yield();
    EXPECT_FALSE(sleep.is_unwatched(far)) << "the other was woken, and not the keeper";
    sleep.wake_all();
}

TEST(sleep_control, the_keeper_is_the_last_to_be_woken) {
    sleep_control sleep{3};
    const alarm_time far = alarm_now() + alarm_time{3'600'000'000'000};
    std::jthread keeper{nap(sleep, 0, far)};
    while (sleep.is_unwatched(far)) std::this_thread::yield();
    std::jthread second{nap(sleep, 1, no_alarm)};
    std::jthread third{nap(sleep, 2, no_alarm)};
    for (std::size_t left : {2U, 1U}) {
        await_sleepers(sleep, 3);
        while (sleep.wakeable() != left + 1) std::this_thread::yield();
        sleep.notify();
        while (sleep.wakeable() != left) std::this_thread::yield();
        EXPECT_FALSE(sleep.is_unwatched(far));
    }
    await_sleepers(sleep, 3);
    sleep.notify();
    keeper.join();
    EXPECT_TRUE(sleep.is_unwatched(far));
}

} // namespace
} // namespace weft::inline v0::detail
