// Contracts on several threads: pools, threads of their own, long runs, ends.
#include "conform/cpp/rendezvous.hpp"
#include "conform/cpp/threads.hpp"
#include "support/scale.hpp"

#include <weft/contract.hpp>
#include <weft/future.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace weft {
namespace {

using namespace test;
using namespace std::chrono_literals;

class contracts_on : public testing::TestWithParam<std::size_t> {
protected:
    pool workers{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(workers, contracts_on, testing::Values(1, 2, 3, 16));

TEST_P(contracts_on, what_is_scheduled_from_outside_is_run) {
    int runs = 0; // not atomic: a run has what came before in the one before
    std::atomic<int> seen{0};
    contract_group group{workers};
    const contract some = group.create([&] { seen = ++runs; });
    for (int i = 1; i <= 200; ++i) {
        some.schedule();
        spin_until([&] { return seen == i; });
    }
}

/// Each run sees what was written before the schedule that it answers.
TEST_P(contracts_on, a_run_sees_what_the_scheduler_wrote) {
    contract_group group{workers};
    std::array<std::atomic<int>, 4> written{};
    std::array<int, 4> seen{};
    const contract some = group.create([&] {
        for (std::size_t i = 0; i < seen.size(); ++i) {
            seen[i] = written[i].load(std::memory_order_relaxed);
        }
    });
    std::vector<std::jthread> writers;
    for (auto& each : written) {
        writers.emplace_back([&] {
            for (std::uint64_t i = 0; i < scaled(2'000, 100'000); ++i) {
                each.store(static_cast<int>(i) + 1, std::memory_order_relaxed);
                EXPECT_TRUE(some.schedule());
            }
        });
    }
    writers.clear();
    group.wait();
    for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], written[i]);
}

TEST_P(contracts_on, tasks_and_contracts_share_the_workers) {
    std::atomic<bool> enough{false};
    contract_group group{workers};
    const contract endless = group.create(
        [&](contract_token& token) {
            if (!enough) token.schedule();
        },
        {.scheduled = true});
    for (int i = 0; i < 50; ++i) EXPECT_EQ(workers.run([i] { return i; }), i);
    enough = true;
    group.wait();
}

TEST_P(contracts_on, a_contract_may_submit_and_fork) {
    std::atomic<int> sum{0};
    contract_group group{workers};
    const contract some = group.create([&] {
        const auto [one, two] = fork_join([] { return 1; }, [] { return 2; });
        sum += one + two;
        pool::current()->submit([&] { sum += 10; });
    });
    some.schedule();
    group.wait();
    spin_until([&] { return sum == 13; });
}

TEST_P(contracts_on, wait_from_a_worker_is_an_error) {
    contract_group group{workers};
    EXPECT_EQ(workers.run([&] { return error_of([&] { group.wait(); }); }), "would_deadlock");
}

TEST_P(contracts_on, every_release_callback_runs_once_at_the_end) {
    for (const on_stop mode : {on_stop::drain, on_stop::cancel}) {
        std::vector<std::atomic<int>> released(100);
        std::vector<contract> all;
        {
            contract_group group{contract_group_options{.pool = &workers, .at_end = mode}};
            for (auto& each : released) {
                all.push_back(group.create([](contract_token& token) { token.schedule(); },
                                           {.on_release = [&each] { ++each; }, .scheduled = true}));
            }
        }
        for (const auto& each : released) EXPECT_EQ(each, 1);
    }
}

TEST_P(contracts_on, a_group_outlives_the_work_of_a_stopped_pool) {
    int released = 0;
    {
        std::atomic<int> runs{0};
        contract_group group{workers};
        const contract some = group.create([&] { ++runs; }, {.on_release = [&] { ++released; }});
        workers.stop();
        some.schedule();
        EXPECT_EQ(runs, 0) << "sources are not asked any more";
    }
    EXPECT_EQ(released, 1) << "the end of the group does it";
}

TEST_P(contracts_on, groups_come_and_go_concurrently) {
    std::atomic<int> runs{0};
    contract_group first{workers};
    const contract some = first.create([&] { ++runs; });
    for (int i = 1; i <= 20; ++i) {
        std::atomic<int> others{0};
        contract_group second{workers};
        const contract other = second.create([&] { ++others; });
        some.schedule();
        other.schedule();
        spin_until([&] { return runs == i && others == 1; });
    }
}

/// Idle: a group without anything due costs nothing.
TEST(contracts, that_are_not_due_let_the_workers_sleep) {
    std::atomic<int> runs{0};
    pool workers{2};
    contract_group group{workers};
    std::vector<contract> all;
    for (int i = 0; i < 1000; ++i) all.push_back(group.create([&] { ++runs; }));
    for (const contract& each : all) each.schedule();
    group.wait();
    const auto ids = thread_ids();
    const std::vector<std::string> threads{ids.begin(), ids.end()};
    bool quiet = false;
    for (int look = 0; look < 2'000 && !quiet; ++look) {
        const std::uint64_t parks = total(workers, &worker_statistics::parks);
        std::this_thread::sleep_for(20ms);
        quiet = total(workers, &worker_statistics::parks) == parks && parks >= 2;
    }
    EXPECT_TRUE(quiet);
}

/// All of one word: the first takes until the others have run, on the second worker.
TEST(contracts, a_long_run_does_not_hold_up_its_neighbours) {
    event begun;
    event over;
    std::atomic<int> runs{0};
    pool workers{2};
    contract_group group{workers};
    std::vector<contract> all;
    all.push_back(group.create([&] {
        begun.happen();
        over.await();
    }));
    for (int i = 1; i < 32; ++i) all.push_back(group.create([&] { ++runs; }));
    for (const contract& each : all) each.schedule();
    begun.await();
    EXPECT_TRUE(comes_soon([&] { return runs == 31; }));
    // Scheduled again, they still run.
    for (const contract& each : all) each.schedule();
    EXPECT_TRUE(comes_soon([&] { return runs == 62; }));
    over.happen();
}

/// A run that waits for its neighbour to run, in a batch that one thread has claimed.
TEST(contracts, of_a_claimed_batch_are_run_by_another_thread) {
    std::atomic<bool> second_ran{false};
    contract_group group;
    const contract first =
        group.create([&] { spin_until([&] { return second_ran.load(); }); }, {.scheduled = true});
    const contract second = group.create([&] { second_ran = true; }, {.scheduled = true});
    std::jthread one{[&] { group.execute_some(2); }};
    std::jthread other{[&] {
        while (!second_ran) group.try_execute_next();
    }};
}

TEST(contracts, are_created_and_released_by_many_threads_at_once) {
    std::atomic<int> runs{0};
    std::atomic<int> released{0};
    pool workers{3};
    contract_group group{workers};
    constexpr int threads = 4;
    const int each = static_cast<int>(scaled(sanitized ? 200 : 1000, 50'000));
    {
        std::vector<std::jthread> makers;
        for (int i = 0; i < threads; ++i) {
            makers.emplace_back([&] {
                for (int j = 0; j < each; ++j) {
                    const contract some =
                        group.create([&] { ++runs; }, {.on_release = [&] { ++released; }});
                    some.schedule();
                }
            });
        }
    }
    group.wait();
    EXPECT_EQ(runs, threads * each);
    EXPECT_EQ(released, threads * each);
    EXPECT_EQ(group.size(), 0U);
}

TEST(contracts, a_pool_takes_as_many_groups_as_it_has_places) {
    pool workers{1};
    std::vector<std::unique_ptr<contract_group>> groups;
    std::string error = "none";
    while (error == "none") {
        error = error_of([&] { groups.push_back(std::make_unique<contract_group>(workers)); });
    }
    EXPECT_EQ(error, "full");
    EXPECT_EQ(groups.size(), 64U);
}

} // namespace
} // namespace weft
