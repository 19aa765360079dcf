// One contract a call: what a thread keeps for its next calls is never lost, and never comes before
// a higher priority.
#include "conform/cpp/rendezvous.hpp"
#include "support/scale.hpp"

#include <weft/contract.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

namespace weft {
namespace {

using namespace test;

TEST(contract_single, a_thread_that_ends_leaves_nothing_behind) {
    std::vector<int> runs(100);
    contract_group group;
    std::vector<contract> all;
    for (int& each : runs) all.push_back(group.create([&each] { ++each; }, {.scheduled = true}));
    std::jthread{[&] { EXPECT_TRUE(group.try_execute_next()); }}.join();
    for (int i = 1; i < 100; ++i) EXPECT_TRUE(group.try_execute_next()) << "what is due is found";
    EXPECT_FALSE(group.try_execute_next());
    for (const int each : runs) EXPECT_EQ(each, 1);
}

TEST(contract_single, what_another_thread_keeps_is_waited_for_and_released) {
    for (const bool stops : {false, true}) {
        std::atomic<int> runs{0};
        std::atomic<int> releases{0};
        contract_group group;
        std::vector<contract> all;
        for (int i = 0; i < 40; ++i) {
            all.push_back(group.create([&] { ++runs; },
                                       {.on_release = [&] { ++releases; }, .scheduled = true}));
        }
        std::jthread{[&] { group.try_execute_next(); }}.join();
        if (stops) group.stop();
        else group.wait();
        EXPECT_EQ(runs, 40);
        EXPECT_EQ(releases, stops ? 40 : 0);
    }
}

TEST(contract_single, a_cancelled_group_runs_nothing_that_is_kept) {
    int runs = 0;
    contract_group group;
    std::vector<contract> all;
    for (int i = 0; i < 40; ++i) all.push_back(group.create([&] { ++runs; }, {.scheduled = true}));
    group.try_execute_next();
    group.stop(on_stop::cancel);
    EXPECT_EQ(runs, 1);
}

TEST(contract_single, a_higher_priority_comes_before_what_is_kept) {
    std::string order;
    contract_group group;
    std::vector<contract> normal;
    for (int i = 0; i < 3; ++i) {
        normal.push_back(group.create([&] { order += 'n'; }, {.scheduled = true}));
    }
    const contract high = group.create([&] { order += 'h'; }, {.priority = priority::high});
    group.try_execute_next();
    high.schedule();
    while (group.try_execute_next()) {
    }
    EXPECT_EQ(order, "nhnn");
}

class contract_single_on : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(threads, contract_single_on, testing::Values(1, 2, 8));

/// Threads that come and go, and call a few times each: nothing is lost, nothing runs at once.
TEST_P(contract_single_on, threads_that_come_and_go_lose_nothing) {
    constexpr int rounds = 40;
    std::vector<int> runs(50); // not atomic: a contract never runs concurrently with itself
    contract_group group;
    std::vector<contract> all;
    for (int& each : runs) {
        all.push_back(group.create(
            [&each](contract_token& token) {
                if (++each < rounds) token.schedule();
            },
            {.scheduled = true}));
    }
    for (int wave = 0; wave < 5; ++wave) {
        std::vector<std::jthread> threads;
        for (std::size_t number = 0; number < GetParam(); ++number) {
            threads.emplace_back([&] {
                for (int i = 0; i < 37; ++i) group.try_execute_next();
            });
        }
    }
    while (group.try_execute_next()) {
    }
    for (const int each : runs) EXPECT_EQ(each, rounds);
}

/// Sleepers and callers: each signal is answered, whoever keeps what.
TEST_P(contract_single_on, sleepers_run_what_callers_keep) {
    std::array<std::atomic<int>, 12> seen{};
    std::atomic<int> round{0};
    contract_group group;
    std::vector<contract> all;
    for (auto& each : seen) all.push_back(group.create([&each, &round] { each = round.load(); }));
    std::vector<std::jthread> sleepers;
    for (std::size_t number = 0; number < GetParam(); ++number) {
        sleepers.emplace_back([&] {
            while (group.execute_next_or_wait()) {
            }
        });
    }
    for (int now = 1; now <= 50; ++now) {
        round = now;
        for (const contract& each : all) each.schedule();
        group.try_execute_next(); // once: what it keeps is for the others
        spin_until([&] {
            return std::ranges::all_of(seen, [now](const auto& each) { return each == now; });
        });
    }
    group.stop();
}

} // namespace
} // namespace weft
