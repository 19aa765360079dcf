#include <weft/task_group.hpp>

#include "conform/cpp/rendezvous.hpp"
#include "support/sanitizers.h"
#include "support/scale.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace weft {
namespace {

using namespace test;

class task_group_on : public testing::TestWithParam<std::size_t> {
protected:
    pool workers{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(workers, task_group_on, testing::Values(1, 2, 3, 8, 64));

TEST_P(task_group_on, wait_returns_when_all_tasks_have_ended) {
    workers.run([] {
        std::atomic<int> ran{0};
        task_group group;
        for (int round = 1; round <= 10; ++round) {
            for (int i = 0; i < 100; ++i) group.submit([&] { ++ran; });
            group.wait();
            EXPECT_EQ(ran, round * 100);
        }
    });
}

TEST_P(task_group_on, a_thread_outside_waits_too) {
    std::atomic<int> ran{0};
    task_group group{workers};
    for (int i = 0; i < 1000; ++i) group.submit([&] { ++ran; });
    group.wait();
    EXPECT_EQ(ran, 1000);
    group.wait();
}

TEST_P(task_group_on, several_threads_add_tasks) {
    std::atomic<int> ran{0};
    task_group group{workers};
    {
        std::vector<std::jthread> adders;
        for (int t = 0; t < 4; ++t) {
            adders.emplace_back([&] {
                for (int i = 0; i < 250; ++i) group.submit([&] { ++ran; });
            });
        }
    }
    group.wait();
    EXPECT_EQ(ran, 1000);
}

/// Each task adds two smaller ones.
struct spreading {
    task_group& group;
    std::atomic<int>& ran;
    int depth;
    void operator()() const {
        ++ran;
        if (depth == 0) return;
        group.submit(spreading{group, ran, depth - 1});
        group.submit(spreading{group, ran, depth - 1});
    }
};

TEST_P(task_group_on, tasks_of_the_group_add_others) {
    std::atomic<int> ran{0};
    task_group group{workers};
    group.submit(spreading{group, ran, 10});
    group.wait();
    EXPECT_EQ(ran, 2047);
    workers.run([] {
        std::atomic<int> count{0};
        task_group inside;
        inside.submit(spreading{inside, count, 10});
        inside.wait();
        EXPECT_EQ(count, 2047);
    });
}

TEST_P(task_group_on, a_posted_task_may_wait_for_a_group) {
    std::atomic<int> ran{0};
    workers.post([&] {
        task_group group;
        for (int i = 0; i < 10; ++i) group.submit([&] { ++ran; });
        group.wait();
        ran += 100;
    });
    workers.stop();
    EXPECT_EQ(ran, 110);
}

TEST_P(task_group_on, groups_nest) {
    std::atomic<int> ran{0};
    workers.run([&] {
        task_group outer;
        for (int i = 0; i < 10; ++i) {
            outer.submit([&] {
                task_group inner;
                for (int j = 0; j < 10; ++j) {
                    inner.submit([&] { fork_join([&] { ++ran; }, [&] { ++ran; }); });
                }
                inner.wait();
            });
        }
        outer.wait();
    });
    EXPECT_EQ(ran, 200);
}

TEST_P(task_group_on, the_first_exception_in_the_order_of_run_is_thrown) {
    workers.run([] {
        for (int first = 0; first < 20; ++first) {
            std::atomic<int> ran{0};
            task_group group;
            for (int i = 0; i < 20; ++i) {
                group.submit([&ran, i, first] {
                    ++ran;
                    if (i >= first) throw std::runtime_error{std::to_string(i)};
                });
            }
            try {
                group.wait();
                ADD_FAILURE();
            } catch (const std::runtime_error& thrown) {
                EXPECT_EQ(thrown.what(), std::to_string(first));
            }
            EXPECT_EQ(ran, 20) << "all run, and all are joined";
            group.submit([&] { ++ran; });
            group.wait();
            EXPECT_EQ(ran, 21) << "the group may be used again";
        }
    });
}

TEST_P(task_group_on, leaving_the_scope_joins) {
    std::atomic<int> ran{0};
    workers.run([&] {
        std::atomic<int> local{0};
        {
            task_group group;
            for (int i = 0; i < 100; ++i) group.submit([&] { ++local; });
        }
        EXPECT_EQ(local, 100);
    });
    {
        task_group group{workers};
        for (int i = 0; i < 100; ++i) group.submit([&] { ++ran; });
    }
    EXPECT_EQ(ran, 100);
}

TEST_P(task_group_on, leaving_the_scope_by_an_exception_joins) {
    workers.run([] {
        std::atomic<int> ran{0};
        EXPECT_THROW(
            {
                task_group group;
                for (int i = 0; i < 100; ++i) group.submit([&] { ++ran; });
                throw std::logic_error{"left early"};
            },
            std::logic_error);
        EXPECT_EQ(ran, 100);
    });
}

TEST(task_groups, report_an_exception_that_was_not_waited_for) {
    std::atomic<int> reported{0};
    pool workers{
        pool_options{.workers = 2, .on_error = [&](const std::exception_ptr&) { ++reported; }}};
    {
        task_group group{workers};
        group.submit([] { throw std::logic_error{"nobody waits"}; });
    }
    EXPECT_EQ(reported, 1);
}

TEST(task_groups, outside_a_pool_must_be_given_one) {
    EXPECT_EQ(error_of([] { const task_group group; }), "outside_pool");
}

TEST(task_groups, of_a_stopped_pool_take_nothing) {
    pool workers{1};
    task_group group{workers};
    workers.stop();
    EXPECT_EQ(error_of([&] { group.submit([] {}); }), "stopped");
    group.wait();
}

/// Waiting for itself throws. The task is still a member of the group, whose owner waits for it.
TEST_P(task_group_on, a_task_that_waits_for_its_group_is_an_error_and_stays_a_member) {
    event added;
    event thrown;
    event go;
    std::atomic<bool> ended{false};
    std::string outcome;
    task_group group{workers};
    group.submit([&] {
        added.await();
        outcome = error_of([&] { group.wait(); });
        thrown.happen();
        go.await();
        ended = true;
    });
    added.happen();
    thrown.await();
    EXPECT_EQ(outcome, "would_deadlock");
    const std::jthread late{[&] {
        // makes a failure likely; no success depends on it
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
        go.happen();
    }};
    EXPECT_EQ(error_of([&] { group.wait(); }), "none");
    EXPECT_TRUE(ended);
    group.submit([&] { ended = false; });
    group.wait();
    EXPECT_FALSE(ended) << "the group may be used again";
}

/// Another thread may wait for the group meanwhile, and have taken all its tasks to wait for them.
TEST(task_group_death, destroyed_in_one_of_its_own_tasks) {
    if (WEFT_THREAD_SANITIZED) GTEST_SKIP() << "the sanitizer has its own idea of a child's end";
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(
        {
            pool workers{1};
            auto* group = new task_group{workers};
            group->submit([group] { delete group; });
            group->wait();
        },
        "weft::task_group: destroyed in one of its own tasks");
}

TEST_P(task_group_on, a_task_that_waits_for_its_group_is_refused_each_time) {
    for (int round = 0; round < 100; ++round) {
        std::atomic<int> refused{0};
        task_group group{workers};
        const auto wait_inside = [&] {
            refused += error_of([&] { group.wait(); }) == "would_deadlock";
        };
        for (int i = 0; i < 3; ++i) group.submit(wait_inside);
        group.submit([&] { static_cast<void>(fork_join(wait_inside, wait_inside)); });
        group.wait();
        ASSERT_EQ(refused, 5);
    }
}

TEST_P(task_group_on, cancelled_tasks_do_not_begin_and_wait_is_content) {
    std::atomic<std::size_t> begun{0};
    std::atomic<int> late{0};
    event go;
    task_group group{workers};
    for (std::size_t i = 0; i < GetParam(); ++i) {
        group.submit([&] {
            ++begun;
            go.await();
        });
    }
    spin_until([&] { return begun == GetParam(); }); // all workers are busy
    for (int i = 0; i < 100; ++i) group.submit([&] { ++late; });
    EXPECT_FALSE(group.cancelled());
    group.cancel();
    EXPECT_TRUE(group.cancelled());
    go.happen();
    EXPECT_EQ(error_of([&] { group.wait(); }), "none");
    EXPECT_EQ(late, 0);
    EXPECT_EQ(begun, GetParam());
}

TEST_P(task_group_on, move_only_tasks_and_results_that_are_dropped) {
    std::atomic<int> sum{0};
    task_group group{workers};
    for (int i = 1; i <= 10; ++i) {
        group.submit([&sum, number = std::make_unique<int>(i)] {
            sum += *number;
            return std::string{"a result that nobody wants"};
        });
    }
    group.wait();
    EXPECT_EQ(sum, 55);
}

/// Where the stack is used up a task cannot be run in its join; then it must not have been taken.
TEST_P(task_group_on, no_task_outlives_its_scope_where_the_stack_is_used_up) {
    struct descent {
        std::atomic<int>& left_behind;
        void go() const { // NOLINT(misc-no-recursion)
            try {
                fork_join([this] { go(); }, [] {});
            } catch (const error& thrown) {
                EXPECT_EQ(thrown.code(), errc::stack_exhausted);
                auto ended = std::make_shared<std::atomic<bool>>(false);
                bool taken = false;
                try {
                    task_group group;
                    group.submit([ended] { *ended = true; });
                    taken = true;
                    group.wait();
                } catch (const error&) {
                }
                if (taken && !*ended) ++left_behind;
            }
        }
    };
    std::atomic<int> left_behind{0};
    pool small{pool_options{.workers = GetParam(), .stack_size = sanitized ? 4U << 20 : 1U << 20}};
    small.run([&] { descent{left_behind}.go(); });
    EXPECT_EQ(left_behind, 0);
}

/// It is joined deeper than it was submitted, and nobody else runs it.
TEST(task_groups, end_a_task_unrun_that_is_joined_where_the_stack_is_used_up) {
    struct descent {
        task_group& group;
        std::string& outcome;
        void go() const { // NOLINT(misc-no-recursion)
            try {
                fork_join([this] { go(); }, [] {});
            } catch (const error&) {
                outcome = error_of([this] { group.wait(); });
            }
        }
    };
    pool small{pool_options{.workers = 1, .stack_size = sanitized ? 4U << 20 : 1U << 20}};
    const auto ran = std::make_shared<bool>(false);
    small.run([&] {
        std::string outcome;
        task_group group;
        group.submit([ran] { *ran = true; });
        descent{group, outcome}.go();
        EXPECT_EQ(outcome, "stack_exhausted");
        EXPECT_EQ(ran.use_count(), 1) << "the task is gone";
    });
    small.stop();
    EXPECT_FALSE(*ran);
}

TEST_P(task_group_on, an_error_of_a_task_of_a_cancelled_group_is_thrown) {
    workers.run([] {
        task_group group;
        group.submit([&] {
            group.cancel();
            throw error{errc::full, "test"};
        });
        EXPECT_EQ(error_of([&] { group.wait(); }), "full");
    });
}

TEST_P(task_group_on, a_task_that_fails_as_cancelled_though_the_group_was_not_is_thrown) {
    workers.run([] {
        task_group group;
        group.submit([] { throw error{errc::cancelled, "the first"}; });
        group.submit([] { throw error{errc::cancelled, "the second"}; });
        try {
            group.wait();
            ADD_FAILURE() << "it threw nothing";
        } catch (const error& thrown) {
            EXPECT_EQ(thrown.code(), errc::cancelled);
            EXPECT_NE(std::string_view{thrown.what()}.find("the first"), std::string_view::npos);
        }
    });
}

} // namespace
} // namespace weft
