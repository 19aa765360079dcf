#include <weft/pool.hpp>

#include "conform/cpp/rendezvous.hpp"
#include "support/patience.hpp"
#include "support/scale.hpp"

#include <weft/blocking.hpp>
#include <weft/error.hpp>
#include <weft/fork_join.hpp>
#include <weft/future.hpp>
#include <weft/resource.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

namespace weft {
namespace {

using namespace test;

using setting = std::tuple<std::size_t, planning>;

class multi_stealing_on : public testing::TestWithParam<setting> {
protected:
    static pool_options options() {
        const auto [workers, when] = GetParam();
        return {.workers = workers, .stealing = std::make_shared<multi_stealing>(when)};
    }
    static std::uint64_t total(const pool& workers, std::uint64_t worker_statistics::* statistic) {
        std::uint64_t sum = 0;
        for (const worker_statistics& each : workers.statistics()) sum += each.*statistic;
        return sum;
    }
};
INSTANTIATE_TEST_SUITE_P(workers, multi_stealing_on,
                         testing::Combine(testing::Values(1, 2, 3, 8, 64),
                                          testing::Values(planning::when_many_are_idle,
                                                          planning::when_one_is_idle)));

TEST_P(multi_stealing_on, tasks_of_one_queue_are_run_once) {
    pool workers{options()};
    constexpr std::size_t count = 20'000;
    std::vector<std::atomic<int>> runs(count);
    workers.run([&] {
        for (std::size_t i = 0; i < count; ++i) workers.submit([&runs, i] { ++runs[i]; });
    });
    workers.stop();
    EXPECT_TRUE(std::all_of(runs.begin(), runs.end(), [](const auto& each) { return each == 1; }));
    EXPECT_LE(total(workers, &worker_statistics::orders_carried),
              total(workers, &worker_statistics::orders_given));
}

/// The submitting task blocks its worker, and each task waits until all other workers have one:
/// they come only if each of them finds its way to the one queue.
TEST_P(multi_stealing_on, every_worker_gets_something_of_one_queue) {
    std::size_t others = 0;
    std::atomic<std::size_t> begun{0};
    pool workers{options()};
    others = workers.workers() - 1;
    workers.run([&] {
        for (std::size_t i = 0; i < others; ++i) {
            workers.submit([&] {
                ++begun;
                spin_until([&] { return begun == others; });
            });
        }
        spin_until([&] { return begun == others; });
    });
    EXPECT_EQ(begun, others);
}

TEST_P(multi_stealing_on, a_tree_of_tasks_is_run_once) {
    std::atomic<std::uint64_t> leaves{0};
    pool workers{options()};
    struct tree {
        pool& workers;
        std::atomic<std::uint64_t>& leaves;
        void grow(int depth) const {
            if (depth == 0) {
                ++leaves;
                return;
            }
            workers.submit([*this, depth] { grow(depth - 1); });
            workers.submit([*this, depth] { grow(depth - 1); });
        }
    };
    workers.submit([&] { tree{workers, leaves}.grow(12); });
    workers.stop();
    EXPECT_EQ(leaves, 4096U);
}

TEST_P(multi_stealing_on, scoped_children_are_stolen_as_under_any_policy) {
    pool workers{options()};
    struct fib {
        static int compute(int n) {
            if (n < 2) return n;
            const auto [one, two] =
                fork_join([n] { return compute(n - 1); }, [n] { return compute(n - 2); });
            return one + two;
        }
    };
    EXPECT_EQ(workers.run([] { return fib::compute(20); }), 6765);
}

TEST_P(multi_stealing_on, joins_among_many_tasks_end) {
    pool workers{options()};
    const std::uint64_t sum = workers.run([&] {
        std::vector<future<std::uint64_t>> all;
        for (std::uint64_t i = 0; i < 3'000; ++i) {
            all.push_back(
                workers.submit([&workers, i] { return workers.submit([i] { return i; }).get(); }));
        }
        std::uint64_t total = 0;
        for (auto& each : all) total += each.get();
        return total;
    });
    EXPECT_EQ(sum, 3'000U * 2'999 / 2);
}

TEST_P(multi_stealing_on, bursts_leave_nobody_asleep_over_work) {
    std::atomic<std::uint64_t> ran{0};
    std::uint64_t wanted = 0;
    pool workers{options()};
    for (std::uint64_t burst = 0; burst < scaled(200, 20'000); ++burst) {
        const std::uint64_t count = 1 + burst * 7 % 100;
        workers.submit([&, count] {
            for (std::uint64_t i = 0; i < count; ++i) workers.submit([&] { ++ran; });
        });
        wanted += count;
        if (burst % 3 == 0) spin_until([&] { return ran == wanted; });
    }
    spin_until([&] { return ran == wanted; });
}

/// Whatever orders are under way.
TEST_P(multi_stealing_on, stopping_runs_or_ends_everything) {
    for (const on_stop mode : {on_stop::drain, on_stop::cancel}) {
        for (std::uint64_t round = 0; round < scaled(10, 1'000); ++round) {
            std::atomic<int> ran{0};
            std::vector<future<void>> all;
            pool workers{options()};
            workers.run([&] {
                for (int i = 0; i < 500; ++i) all.push_back(workers.submit([&] { ++ran; }));
            });
            workers.stop(mode);
            int ended = 0;
            for (future<void>& each : all) {
                ASSERT_TRUE(each.ready());
                try {
                    each.get();
                } catch (const error& refused) {
                    ASSERT_EQ(refused.code(), errc::not_run);
                    ++ended;
                }
            }
            EXPECT_EQ(ran + ended, 500);
            EXPECT_TRUE(mode == on_stop::cancel || ended == 0);
        }
    }
}

TEST_P(multi_stealing_on, workers_that_stand_in_for_others_take_part) {
    pool_options with_extra_threads = options();
    with_extra_threads.extra_threads = 2;
    std::atomic<int> ran{0};
    pool workers{with_extra_threads};
    const auto block = [&] { blocking([&] { spin_until([&] { return ran == 2'000; }); }); };
    workers.run([&] {
        workers.submit(block);
        for (int i = 0; i < 2'000; ++i) workers.submit([&] { ++ran; });
        block();
    });
    workers.stop();
    EXPECT_EQ(ran, 2'000);
}

/// One task blocks until those behind it in the same queue were planned for and begun elsewhere.
TEST(multi_stealing, gives_orders_where_many_tasks_are_in_one_queue) {
    for (const std::size_t stand_ins : {0U, 30U}) {
        pool workers{pool_options{.workers = 4,
                                  .extra_threads = stand_ins,
                                  .stealing = std::make_shared<multi_stealing>()}};
        std::atomic<int> ran{0};
        std::uint64_t carried = 0;
        for (patience left; carried == 0 && !left.is_over();) {
            workers.run([&] {
                const int before = ran;
                for (int i = 0; i < 200; ++i) workers.submit([&] { ++ran; });
                spin_until([&] { return ran == before + 200; }); // others run them
            });
            for (const worker_statistics& each : workers.statistics()) {
                carried += each.orders_carried;
            }
        }
        EXPECT_GT(carried, 0U) << stand_ins;
    }
}

TEST(multi_stealing, takes_a_task_of_high_priority_before_what_was_planned) {
    for (const planning plans : {planning::when_many_are_idle, planning::when_one_is_idle}) {
        pool workers{
            pool_options{.workers = 2, .stealing = std::make_shared<multi_stealing>(plans)}};
        resource<int> any{0};
        event begun;
        event queued;
        std::atomic<int> ran{0};
        std::atomic<int> ran_before{-1};
        auto thief = workers.submit([&] {
            begun.happen();
            queued.await();
        });
        workers.run([&] {
            begun.await();
            for (int i = 0; i < 200; ++i) workers.submit([&] { ++ran; });
            when(any).submit(workers, {.priority = priority::high},
                             [&](int&) { ran_before = ran.load(); });
            queued.happen();
            spin_until([&] { return ran == 200 && ran_before >= 0; });
        });
        thief.get();
        EXPECT_EQ(ran_before, 0);
    }
}

TEST(multi_stealing, says_how_much_to_take_and_when_to_plan) {
    const multi_stealing usual;
    for (const std::size_t available : {0U, 1U, 2U, 32U}) EXPECT_EQ(usual.amount(available), 1U);
    EXPECT_EQ(usual.amount(100), 50U);
    EXPECT_EQ(usual.amount(100'000), 4'096U);
    EXPECT_EQ(usual.plans(), planning::when_many_are_idle);
    EXPECT_EQ(multi_stealing{planning::when_one_is_idle}.plans(), planning::when_one_is_idle);
    EXPECT_EQ(random_stealing{}.plans(), planning::never);
    EXPECT_EQ(half_stealing{}.plans(), planning::never);
}

} // namespace
} // namespace weft
