#include <weft/pool.hpp>

#include "conform/cpp/occupation.hpp"
#include "conform/cpp/rendezvous.hpp"
#include "conform/cpp/threads.hpp"
#include "support/scale.hpp"

#include <weft/future.hpp>

#include <gtest/gtest.h>

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace weft {
namespace {

using namespace test;
using namespace std::chrono_literals;

class pool_of : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(workers, pool_of, testing::Values(1, 2, 3, 8, 64));

// Threads

TEST_P(pool_of, has_exactly_as_many_threads_as_asked_for_and_returns_them) {
    const std::size_t before = thread_ids().size();
    {
        const pool workers{GetParam()};
        EXPECT_EQ(workers.workers(), GetParam());
        EXPECT_EQ(thread_ids().size(), before + GetParam());
    }
    spin_until([&] { return thread_ids().size() <= before; }); // the kernel takes a moment
}

TEST_P(pool_of, all_its_workers_can_be_busy_at_once) {
    pool workers{GetParam()};
    const occupation all{workers};
}

TEST_P(pool_of, names_its_threads) {
    const std::set<std::string> before = thread_ids();
    const pool workers{pool_options{.workers = GetParam(), .name = "loom"}};
    std::set<std::string> names;
    for (const std::string& each : thread_ids()) {
        if (!before.contains(each)) names.insert(thread_file(each, "comm"));
    }
    std::set<std::string> wanted;
    for (std::size_t i = 0; i < GetParam(); ++i) wanted.insert("loom/" + std::to_string(i));
    EXPECT_EQ(names, wanted);
}

TEST_P(pool_of, calls_the_hooks_on_each_worker_once) {
    std::mutex guard;
    std::multiset<std::size_t> started;
    std::multiset<std::size_t> ended;
    std::set<std::thread::id> threads;
    {
        const pool workers{pool_options{.workers = GetParam(),
                                        .on_start =
                                            [&](std::size_t worker) {
                                                const std::lock_guard lock{guard};
                                                started.insert(worker);
                                                threads.insert(std::this_thread::get_id());
                                            },
                                        .on_end =
                                            [&](std::size_t worker) {
                                                const std::lock_guard lock{guard};
                                                ended.insert(worker);
                                                EXPECT_TRUE(
                                                    threads.contains(std::this_thread::get_id()));
                                            }}};
    }
    std::multiset<std::size_t> all;
    for (std::size_t i = 0; i < GetParam(); ++i) all.insert(i);
    EXPECT_EQ(started, all);
    EXPECT_EQ(ended, all);
    EXPECT_EQ(threads.size(), GetParam());
}

TEST(hooks, at_the_start_may_submit_even_when_the_pool_is_stopped_meanwhile) {
    event starting;
    event stopping;
    future<int> submitted;
    pool workers{pool_options{.workers = 1, .on_start = [&](std::size_t) {
                                  starting.happen();
                                  stopping.await();
                                  // makes a failure likely; no success depends on it
                                  std::this_thread::sleep_for(5ms);
                                  submitted = pool::current()->submit([] { return 1; });
                              }}};
    starting.await();
    stopping.happen();
    workers.stop();
    ASSERT_TRUE(submitted.ready());
    EXPECT_EQ(submitted.get(), 1);
}

TEST(hooks, at_the_end_are_on_no_worker_any_more) {
    pool* stopped = nullptr;
    pool* current = nullptr;
    std::string outcome;
    pool workers{pool_options{.workers = 1, .on_end = [&](std::size_t) {
                                  current = pool::current();
                                  outcome = error_of([&] { stopped->submit([] {}); });
                              }}};
    stopped = &workers;
    workers.stop();
    EXPECT_EQ(current, nullptr);
    EXPECT_EQ(outcome, "stopped");
}

TEST_P(pool_of, pins_each_worker_to_one_cpu) {
    std::mutex guard;
    std::multiset<int> cpus;
    {
        const pool workers{
            pool_options{.workers = GetParam(), .pinned = true, .on_end = [&](std::size_t) {
                             cpu_set_t set;
                             ASSERT_EQ(::sched_getaffinity(0, sizeof set, &set), 0);
                             EXPECT_EQ(CPU_COUNT(&set), 1);
                             const std::lock_guard lock{guard};
                             for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
                                 if (CPU_ISSET(cpu, &set)) cpus.insert(cpu);
                             }
                         }}};
    }
    ASSERT_EQ(cpus.size(), GetParam());
    const std::set<int> different(cpus.begin(), cpus.end());
    std::size_t allowed = 0;
    cpu_set_t set;
    ASSERT_EQ(::sched_getaffinity(0, sizeof set, &set), 0);
    allowed = static_cast<std::size_t>(CPU_COUNT(&set));
    EXPECT_EQ(different.size(), std::min(allowed, GetParam()));
}

TEST(pool, gives_its_workers_the_stack_that_was_asked_for) {
    constexpr std::size_t wanted = std::size_t{40} << 20;
    pool workers{pool_options{.workers = 2, .stack_size = wanted}};
    const std::size_t size = workers.run([] {
        pthread_attr_t attributes;
        void* bottom = nullptr;
        std::size_t found = 0;
        EXPECT_EQ(::pthread_getattr_np(::pthread_self(), &attributes), 0);
        EXPECT_EQ(::pthread_attr_getstack(&attributes, &bottom, &found), 0);
        ::pthread_attr_destroy(&attributes);
        return found;
    });
    EXPECT_GE(size + (64U << 10), wanted) << "but for a guard page and the like";
}

TEST(pool, has_by_default_a_worker_for_each_usable_cpu) {
    const pool workers;
    EXPECT_EQ(workers.workers(), usable_cpus());
}

TEST(usable_cpus, are_at_least_one_and_within_the_affinity_of_the_thread) {
    EXPECT_GE(usable_cpus(), 1U);
    EXPECT_LE(usable_cpus(), std::thread::hardware_concurrency());
    std::jthread{[] {
        cpu_set_t allowed;
        ASSERT_EQ(::sched_getaffinity(0, sizeof allowed, &allowed), 0);
        cpu_set_t one;
        CPU_ZERO(&one);
        for (std::size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu) {
            if (CPU_ISSET(cpu, &allowed)) CPU_SET(cpu, &one);
        }
        ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
        EXPECT_EQ(usable_cpus(), 1U);
    }};
}

TEST(pool, knows_whether_the_caller_is_on_a_worker) {
    EXPECT_EQ(pool::current(), nullptr);
    pool first{1};
    pool second{2};
    EXPECT_EQ(first.run([] { return pool::current(); }), &first);
    EXPECT_EQ(second.run([] { return pool::current(); }), &second);
}

TEST(pool, does_not_run_for_its_own_worker) {
    pool workers{2};
    EXPECT_EQ(workers.run([&] { return error_of([&] { workers.run([] {}); }); }), "would_deadlock");
}

TEST(pools, of_any_number_live_at_the_same_time) {
    const std::size_t before = thread_ids().size();
    std::vector<std::unique_ptr<pool>> pools;
    std::vector<future<std::size_t>> results;
    for (std::size_t i = 0; i < 40; ++i) {
        pools.push_back(std::make_unique<pool>(1 + i % 3));
        results.push_back(pools.back()->submit([i] { return i; }));
    }
    for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(results[i].get(), i);
    while (!pools.empty()) pools.erase(pools.begin());
    spin_until([&] { return thread_ids().size() <= before; });
}

// Statistics and policies

TEST_P(pool_of, counts_what_its_workers_do) {
    pool workers{GetParam()};
    for (int i = 0; i < 100; ++i) workers.submit([] {});
    workers.stop();
    const std::vector<worker_statistics> all = workers.statistics();
    EXPECT_EQ(all.size(), GetParam());
    EXPECT_EQ(total(workers, &worker_statistics::tasks), 100U);
    for (const worker_statistics& each : all) EXPECT_LE(each.steals_won, each.steals_tried);
}

TEST_P(pool_of, half_stealing_loses_and_repeats_nothing) {
    pool workers{
        pool_options{.workers = GetParam(), .stealing = std::make_shared<half_stealing>()}};
    constexpr std::size_t count = 20'000;
    std::vector<std::atomic<int>> runs(count);
    workers.run([&] {
        for (std::size_t i = 0; i < count; ++i) workers.submit([&runs, i] { ++runs[i]; });
    });
    workers.stop();
    EXPECT_TRUE(std::all_of(runs.begin(), runs.end(), [](const auto& each) { return each == 1; }));
}

TEST(stealing_policies, say_how_much_to_take) {
    for (const std::size_t available : {0U, 1U, 2U, 3U, 100U}) {
        EXPECT_EQ(random_stealing{}.amount(available), 1U);
        EXPECT_EQ(half_stealing{}.amount(available), std::max<std::size_t>(1, available / 2));
    }
}

TEST(stealing_policies, of_ones_own_are_asked) {
    struct all_of_it final : stealing_policy {
        mutable std::atomic<int> asked{0};
        [[nodiscard]] std::size_t amount(std::size_t available) const noexcept override {
            ++asked;
            return available;
        }
    };
    auto policy = std::make_shared<all_of_it>();
    std::atomic<int> ran{0};
    pool workers{pool_options{.workers = 2, .stealing = policy}};
    workers.run([&] {
        for (int i = 0; i < 1000; ++i) workers.submit([&] { ++ran; });
        blocking([&] { spin_until([&] { return policy->asked > 0; }); });
    });
    workers.stop();
    EXPECT_EQ(ran, 1000);
}

// Sleep

TEST_P(pool_of, is_asleep_while_there_is_nothing_to_do) {
    const std::set<std::string> before = thread_ids();
    pool workers{GetParam()};
    workers.run([] {});
    std::vector<std::string> threads;
    for (const std::string& each : thread_ids()) {
        if (!before.contains(each)) threads.push_back(each);
    }
    ASSERT_EQ(threads.size(), GetParam());
    // Workers eventually fall asleep, and then they do nothing at all for a while.
    bool asleep = false;
    for (int look = 0; look < 2'000 && !asleep; ++look) {
        const std::uint64_t switches = context_switches(threads);
        std::this_thread::sleep_for(50ms);
        asleep = context_switches(threads) == switches;
    }
    EXPECT_TRUE(asleep);
}

/// A worker takes all that came from outside into its own queue. A worker that finds nothing
/// meanwhile and falls asleep must be woken.
TEST(pool, has_all_its_workers_at_what_came_while_they_were_busy) {
    const int others = sanitized ? 5'000 : 100'000; // enough that taking them takes a while
    for (std::uint64_t round = 0; round < scaled(5, 100); ++round) {
        meeting busy{3};
        event over;
        meeting both{2};
        pool workers{2};
        for (int i = 0; i < 2; ++i) {
            workers.submit([&] {
                busy.attend();
                spin_until([&] { return over.has_happened(); }); // both are free at once
            });
        }
        ASSERT_TRUE(busy.attend());
        auto first = workers.submit([&] { return both.attend(); });
        for (int i = 0; i < others; ++i) workers.submit([] {});
        auto last = workers.submit([&] { return both.attend(); });
        over.happen();
        ASSERT_TRUE(first.get()) << round;
        ASSERT_TRUE(last.get()) << round;
    }
}

TEST_P(pool_of, wakes_for_every_task) {
    pool workers{GetParam()};
    for (std::uint64_t i = 0; i < scaled(500, 20'000); ++i) {
        EXPECT_EQ(workers.run([i] { return i; }), i);
    }
}

} // namespace
} // namespace weft
