// A worker that waits for a task works on what that task has submitted, and goes on as soon as its
// own wait has ended, whatever it has begun meanwhile.
#include "conform/cpp/rendezvous.hpp"

#include <weft/future.hpp>
#include <weft/shared_future.hpp>
#include <weft/task_group.hpp>

#include <threadpool.h>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace weft {
namespace {

using namespace test;

/// Two workers: one waits for a task that the other runs.
class two_workers : public testing::Test {
protected:
    /// Runs `body` on one worker and `awaited` on the other; `body` is called with the future of
    /// `awaited`, which has begun.
    template <class Awaited, class Body>
    auto run(Awaited awaited, Body body) {
        return workers.run([&] { return run_here(awaited, body); });
    }
    /// The same on a worker.
    template <class Awaited, class Body>
    auto run_here(Awaited awaited, Body body) {
        event begun;
        auto result = workers.submit([&] {
            begun.happen();
            return awaited();
        });
        begun.await(); // not a join: the other worker must steal it
        return body(result);
    }
    /// The awaited task goes on only when another thread has run what it has submitted.
    int submit_and_let_others_run() {
        event ran;
        auto part = workers.submit([&] {
            ran.happen();
            return 2;
        });
        ran.await();
        return part.get();
    }

    std::vector<future<void>> older;
    pool workers{2};
};

TEST_F(two_workers, a_waiter_runs_what_the_awaited_task_has_submitted) {
    const int result = run([&] { return submit_and_let_others_run(); },
                           [](auto& awaited) { return awaited.get(); });
    EXPECT_EQ(result, 2);
    EXPECT_GE(total(workers, &worker_statistics::helps), 1U);
}

TEST_F(two_workers, a_waiter_that_sleeps_is_woken_for_it) {
    const int result = run(
        [&] {
            spin_until([&] { return total(workers, &worker_statistics::waits) > 0; });
            return submit_and_let_others_run();
        },
        [](auto& awaited) { return awaited.get(); });
    EXPECT_EQ(result, 2);
}

TEST_F(two_workers, a_group_that_waits_runs_what_its_tasks_have_submitted) {
    workers.run([&] {
        task_group group;
        event begun;
        group.submit([&] {
            begun.happen();
            task_group parts;
            event ran;
            parts.submit([&] { ran.happen(); });
            ran.await();
        });
        begun.await();
        group.wait();
    });
}

/// The part waits for the task that waits below it, which is no cycle: the awaited task ends
/// without the part.
TEST_F(two_workers, what_it_runs_may_wait_for_the_waiter) {
    event part_runs;
    future<int> part;
    shared_future<int> waiter;
    event waiter_is_known;
    waiter = workers
                 .submit([&] {
                     waiter_is_known.await();
                     return run_here(
                         [&] {
                             part = workers.submit([&] {
                                 part_runs.happen();
                                 return waiter.get() + 1;
                             });
                             part_runs.await();
                             return 1;
                         },
                         [](auto& awaited) { return awaited.get(); });
                 })
                 .share();
    waiter_is_known.happen();
    EXPECT_EQ(waiter.get(), 1);
    EXPECT_EQ(part.get(), 2);
}

/// What was suspended goes on in a later wait of the same thread, if that depends on it.
TEST(submitted_help, that_was_suspended_goes_on_in_a_later_wait) {
    pool workers{3};
    const int result = workers.run([&] {
        event go_on;
        event last_runs;
        auto last = workers.submit([&] {
            last_runs.happen();
            go_on.await();
            return 1;
        });
        last_runs.await();
        event awaited_runs;
        future<int> part;
        auto awaited = workers.submit([&] {
            awaited_runs.happen();
            event part_runs;
            part = workers.submit([&] {
                part_runs.happen();
                return last.get() + 1; // another worker runs it, and is not ready
            });
            part_runs.await();
            return 1;
        });
        awaited_runs.await();
        const int first = awaited.get(); // runs the part, which waits
        go_on.happen();
        return first + part.get();
    });
    EXPECT_EQ(result, 3);
}

/// The same where the part waits with a deadline, again and again.
TEST_F(two_workers, what_it_runs_may_poll_for_the_waiter) {
    event part_runs;
    event waiter_is_known;
    future<bool> part;
    shared_future<int> waiter;
    waiter = workers
                 .submit([&] {
                     waiter_is_known.await();
                     return run_here(
                         [&] {
                             part = workers.submit([&] {
                                 part_runs.happen();
                                 while (!waiter.wait_for(std::chrono::seconds{10})) {
                                 }
                                 return waiter.ready();
                             });
                             part_runs.await();
                             return 1;
                         },
                         [](auto& awaited) { return awaited.get(); });
                 })
                 .share();
    waiter_is_known.happen();
    EXPECT_EQ(waiter.get(), 1);
    EXPECT_TRUE(part.get());
}

/// The part is left to the task that joins it.
TEST(submitted_help, may_be_switched_off) {
    pool workers{pool_options{.workers = 2, .help_with_submitted = false}};
    const bool ran_by_its_submitter = workers.run([&] {
        event begun;
        auto awaited = workers.submit([&] {
            begun.happen();
            auto part = workers.submit([] { return std::this_thread::get_id(); });
            spin_until([&] { return total(workers, &worker_statistics::waits) > 0; });
            return part.get() == std::this_thread::get_id();
        });
        begun.await();
        return awaited.get();
    });
    EXPECT_TRUE(ran_by_its_submitter);
    EXPECT_EQ(total(workers, &worker_statistics::helps), 0U);
}

/// Who completes a task has not submitted what follows it.
TEST_F(two_workers, a_waiter_runs_no_continuation_of_what_the_runner_completes) {
    std::thread::id waiter;
    std::atomic<bool> waits{false};
    std::atomic<int> wrong{0};
    std::atomic<int> slept{-1}; // how often the waiter had when it ran the first
    future<void> next;
    workers.run([&] {
        event begun;
        waiter = std::this_thread::get_id();
        auto awaited = workers.submit([&] {
            begun.happen();
            auto first = workers.submit(
                [&] { slept = static_cast<int>(total(workers, &worker_statistics::waits)); });
            next = std::move(first).then([&](future<void> before) {
                before.get();
                if (waits && std::this_thread::get_id() == waiter) ++wrong;
            });
            spin_until([&] {
                const auto sleeps = static_cast<int>(total(workers, &worker_statistics::waits));
                return wrong > 0 || (slept >= 0 && sleeps > slept);
            });
            return 1;
        });
        begun.await();
        waits = true;
        static_cast<void>(awaited.get()); // runs the first, and sleeps again
        waits = false;
    });
    workers.wait_idle();
    EXPECT_EQ(wrong, 0);
}

/// A thread has some stack, however little was asked for; so has what it helps with.
TEST(submitted_help, works_on_small_stacks) {
    for (const std::size_t size : {1U, 40'000U, 100'000U}) {
        pool workers{pool_options{.workers = 2, .stack_size = size}};
        std::atomic<int> ran{0};
        event begun;
        auto awaited = workers.submit([&] {
            begun.happen();
            event part_runs;
            auto part = workers.submit([&] {
                ++ran;
                part_runs.happen();
            });
            part_runs.await();
        });
        auto waiter = workers.submit([&] {
            begun.await();
            static_cast<void>(error_of([&] { awaited.wait(); }));
        });
        waiter.get();
        workers.stop();
        EXPECT_EQ(ran, 1) << size;
    }
}

/// Each stack has its own exceptions: the waiter is inside a handler, and so is the part.
TEST_F(two_workers, exceptions_of_several_stacks_do_not_mix) {
    const int result = run([&] { return submit_and_let_others_run(); },
                           [&](auto& awaited) {
                               try {
                                   throw std::runtime_error{"the waiter's"};
                               } catch (const std::runtime_error&) {
                                   static_cast<void>(awaited.get());
                                   try {
                                       throw; // still the waiter's
                                   } catch (const std::runtime_error& again) {
                                       return std::string{again.what()} == "the waiter's" ? 1 : 0;
                                   }
                               }
                           });
    EXPECT_EQ(result, 1);
    const int thrown = run(
        [&] {
            event ran;
            auto part = workers.submit([&]() -> int {
                ran.happen();
                throw std::logic_error{"the part's"};
            });
            ran.await();
            try {
                return part.get();
            } catch (const std::logic_error&) {
                return 3;
            }
        },
        [](auto& awaited) { return awaited.get(); });
    EXPECT_EQ(thrown, 3);
}

/// What nobody can wait for is left to other workers: the waiter may hold a lock that it needs.
TEST_F(two_workers, a_waiter_that_holds_a_lock_runs_nothing_that_was_posted) {
    std::mutex lock;
    std::atomic<bool> locked{false};
    run(
        [&] {
            spin_until([&] { return locked.load(); });
            for (int i = 0; i < 3; ++i) workers.post([&] { const std::scoped_lock held{lock}; });
            // The waiter looks at the queue meanwhile.
            spin_until([&] { return total(workers, &worker_statistics::waits) > 0; });
            return 1;
        },
        [&](auto& awaited) {
            const std::scoped_lock held{lock};
            locked = true;
            return awaited.get();
        });
    workers.wait_idle();
}

/// What the runner had queued before is no part of the awaited task.
TEST_F(two_workers, a_waiter_runs_nothing_that_was_queued_before) {
    std::thread::id waiter;
    std::atomic<bool> waits{false};
    std::atomic<int> wrong{0};
    workers.run([&] {
        event runner_runs;
        event awaited_runs;
        shared_future<int> awaited;
        auto runner = workers.submit([&] {
            runner_runs.happen();
            for (int i = 0; i < 3; ++i) {
                older.push_back(workers.submit([&] {
                    if (waits && std::this_thread::get_id() == waiter) ++wrong;
                }));
            }
            awaited =
                workers
                    .submit([&] {
                        awaited_runs.happen();
                        spin_until([&] { return total(workers, &worker_statistics::waits) > 0; });
                        return 1;
                    })
                    .share();
            return awaited.get(); // runs it: the other worker steals nothing
        });
        runner_runs.await();
        waiter = std::this_thread::get_id();
        awaited_runs.await();
        waits = true;
        static_cast<void>(awaited.get());
        waits = false;
        return runner.get();
    });
    workers.wait_idle();
    EXPECT_EQ(wrong, 0);
}

/// The parts of a part, and so on: each thread has several stacks under way.
int count_leaves(pool& workers, int depth) {
    if (depth == 0) return 1;
    std::array<future<int>, 3> parts;
    for (auto& each : parts) {
        each = workers.submit([&workers, depth] { return count_leaves(workers, depth - 1); });
    }
    int sum = 0;
    for (auto& each : parts) sum += each.get(); // the oldest first, which thieves take
    return sum;
}

TEST(submitted_help, counts_right_at_any_number_of_workers) {
    for (const std::size_t n : {1U, 2U, 3U, 8U}) {
        pool workers{n};
        const int depth = sanitized ? 6 : 8;
        int leaves = 1;
        for (int i = 0; i < depth; ++i) leaves *= 3;
        EXPECT_EQ(workers.run([&] { return count_leaves(workers, depth); }), leaves);
    }
}

void* run_part(thread_pool* /*pool*/, void* data) {
    static_cast<event*>(data)->happen();
    return data;
}
struct c_awaited {
    event begun;
    event ran;
};
void* run_awaited(thread_pool* pool, void* data) {
    auto* own = static_cast<c_awaited*>(data);
    own->begun.happen();
    ::future* part = thread_pool_submit(pool, run_part, &own->ran);
    own->ran.await();
    void* result = future_get(part);
    future_free(part);
    return result;
}
void* run_waiter(thread_pool* pool, void* data) {
    ::future* awaited = thread_pool_submit(pool, run_awaited, data);
    static_cast<c_awaited*>(data)->begun.await();
    void* result = future_get(awaited);
    future_free(awaited);
    return result;
}

TEST(submitted_help, in_c_as_in_cpp) {
    thread_pool* pool = thread_pool_new(2);
    ASSERT_NE(pool, nullptr);
    c_awaited all;
    ::future* whole = thread_pool_submit(pool, run_waiter, &all);
    EXPECT_EQ(future_get(whole), &all.ran);
    future_free(whole);
    thread_pool_shutdown_and_destroy(pool);
}

} // namespace
} // namespace weft
