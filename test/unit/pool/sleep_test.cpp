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
    sleep.sleep(0, some_more);
    EXPECT_EQ(sleep.asleep(), 0U);
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
