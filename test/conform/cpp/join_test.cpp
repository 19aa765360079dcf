// Futures that are joined by tasks: in any order, by any task, and where that is an error.
#include "conform/cpp/rendezvous.hpp"

#include <weft/future.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace weft {
namespace {

using namespace test;

class joins_on : public testing::TestWithParam<std::size_t> {
protected:
    pool workers{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(workers, joins_on, testing::Values(1, 2, 3, 8, 64));

TEST_P(joins_on, a_task_joins_what_it_submitted_in_any_order) {
    EXPECT_EQ(workers.run([&] {
        std::vector<future<int>> children;
        for (int i = 0; i < 100; ++i) children.push_back(workers.submit([i] { return i; }));
        int sum = 0;
        for (std::size_t i = 0; i < 100; i += 2) sum += children[i].get();
        for (std::size_t i = 99; i < 100; i -= 2) sum += children[i].get();
        return sum;
    }),
              4950);
}

TEST_P(joins_on, futures_are_passed_on_and_joined_by_another_task_or_never) {
    std::atomic<int> ran{0};
    EXPECT_EQ(workers.run([&] {
        std::vector<future<int>> children;
        for (int i = 0; i < 100; ++i) {
            children.push_back(workers.submit([&ran, i] {
                ++ran;
                return i;
            }));
        }
        auto joiner = workers.submit([children = std::move(children)]() mutable {
            int sum = 0;
            for (std::size_t i = 99; i > 50; --i) sum += children[i].get();
            return sum; // the others are never joined
        });
        return workers.submit([joiner = std::move(joiner)]() mutable { return joiner.get(); })
            .get();
    }),
              (51 + 99) * 49 / 2);
    workers.stop();
    EXPECT_EQ(ran, 100);
}

TEST_P(joins_on, a_long_chain_of_joins_is_run_by_few_threads) {
    constexpr int links = 500;
    future<int> last = workers.submit([] { return 0; });
    for (int i = 0; i < links; ++i) {
        last = workers.submit([before = std::move(last)]() mutable { return before.get() + 1; });
    }
    EXPECT_EQ(last.get(), links);
}

/// A chain that is joined from its end runs on one stack, unless other workers come to help.
TEST_P(joins_on, a_chain_of_joins_beyond_the_stack_is_an_error_and_no_harm) {
    const auto expect_exhausted = [](const std::exception_ptr& thrown) {
        EXPECT_EQ(error_of([&] { std::rethrow_exception(thrown); }), "stack_exhausted");
    };
    pool small{pool_options{.workers = GetParam(),
                            .stack_size = sanitized ? 1U << 20 : 256U << 10,
                            .on_error = expect_exhausted}};
    const std::string ended = error_of([&] {
        small.run([&] {
            future<int> last = small.submit([] { return 0; });
            for (int i = 0; i < 20'000; ++i) {
                last =
                    small.submit([before = std::move(last)]() mutable { return before.get() + 1; });
            }
            EXPECT_EQ(last.get(), 20'000);
        });
    });
    EXPECT_TRUE(ended == "stack_exhausted" || (ended == "none" && GetParam() > 1)) << ended;
    EXPECT_EQ(small.run([] { return 5; }), 5);
}

TEST(joins, that_find_too_little_stack_leave_the_future_as_it_was) {
    pool small{pool_options{.workers = 1, .stack_size = sanitized ? 4U << 20 : 1U << 20}};
    struct descent {
        pool& workers;
        future<int>& joined;
        void go() const {
            try {
                fork_join([this] { go(); }, [] {});
            } catch (const error& thrown) {
                EXPECT_EQ(thrown.code(), errc::stack_exhausted);
                if (joined.valid()) return;
                joined = workers.submit([] { return 3; });
                EXPECT_EQ(error_of([this] { joined.get(); }), "stack_exhausted");
                EXPECT_TRUE(joined.valid());
            }
        }
    };
    future<int> joined;
    small.run([&] { descent{small, joined}.go(); });
    EXPECT_EQ(joined.get(), 3);
}

TEST(joins, of_a_task_that_another_worker_runs_need_no_stack_for_it) {
    struct descent {
        future<void>& joined;
        std::string& outcome;
        void go() const { // NOLINT(misc-no-recursion)
            try {
                fork_join([this] { go(); }, [] {});
            } catch (const error&) {
                outcome = error_of([this] { joined.wait(); });
            }
        }
    };
    event begun;
    event over;
    pool small{pool_options{.workers = 2, .stack_size = sanitized ? 4U << 20 : 1U << 20}};
    future<void> joined = small.submit([&] {
        begun.happen();
        spin_until(
            [&] { return over.has_happened() || total(small, &worker_statistics::waits) > 0; });
    });
    begun.await();
    std::string outcome;
    small.run([&] { descent{joined, outcome}.go(); });
    over.happen();
    EXPECT_EQ(outcome, "none");
}

TEST(joins, do_not_help_where_the_stack_is_used_up) {
    struct descent {
        future<void>& joined;
        void go() const { // NOLINT(misc-no-recursion)
            try {
                fork_join([this] { go(); }, [] {});
            } catch (const error&) {
                joined.wait();
            }
        }
    };
    event begun;
    pool small{pool_options{.workers = 2, .stack_size = sanitized ? 4U << 20 : 1U << 20}};
    const auto slept = [&] { return total(small, &worker_statistics::waits); };
    const auto helped = [&] { return total(small, &worker_statistics::helps); };
    future<void> joined = small.submit([&] {
        begun.happen();
        spin_until([&] { return slept() > 0; });
        // The waiter is called for the other callable, looks, and sleeps again.
        fork_join(
            [&] { blocking([&] { spin_until([&] { return slept() > 1 || helped() > 0; }); }); },
            [] {});
    });
    begun.await();
    small.run([&] { descent{joined}.go(); });
    EXPECT_EQ(helped(), 0U);
}

TEST(joins, of_another_pool_work_from_a_worker) {
    pool one{1};
    pool other{1};
    EXPECT_EQ(one.run([&] {
        return other.submit([] { return pool::current(); }).get() == &other &&
               other.run([&] { return one.workers(); }) == 1;
    }),
              true);
}

TEST(joins, of_another_pool_leave_the_task_to_that_pool) {
    event busy;
    event waits;
    std::atomic<bool> ran{false};
    pool one{1};
    pool other{1};
    other.post([&] {
        busy.happen();
        waits.await();
        // Long enough for the waiter to run what it must not; no success depends on it.
        std::this_thread::sleep_for(std::chrono::milliseconds{20});
        EXPECT_FALSE(ran);
    });
    busy.await(); // the only worker that may run the next task
    future<pool*> queued = other.submit([&] {
        ran = true;
        return pool::current();
    });
    EXPECT_EQ(one.run([&] {
        waits.happen();
        return queued.get();
    }),
              &other);
}

/// A worker waits for a task that another worker runs. Unrelated work is queued that needs what the
/// waiting worker has further down on its stack: taking it there would be the end of both.
TEST(joins, do_not_bury_a_waiting_task_under_one_that_waits_for_it) {
    event awaited_runs;
    event go;
    event handed_over;
    pool workers{2};
    future<int> awaited = workers.submit([&] {
        awaited_runs.happen();
        go.await();
        return 1;
    });
    awaited_runs.await(); // one worker is busy now
    future<int> waiting;
    future<int> unrelated;
    std::optional<future<int>> own;
    waiting = workers.submit([&] {
        handed_over.await();
        unrelated = workers.submit([&] { return own->get() + 10; }); // needs the task below
        return awaited.get() + 1;
    });
    own = std::move(waiting);
    handed_over.happen();
    // Asleep in its join, it has passed by the unrelated task.
    spin_until([&] { return total(workers, &worker_statistics::waits) > 0; });
    go.happen();
    workers.stop();
    EXPECT_EQ(unrelated.get(), 12);
}

/// Two tasks at once; only one of two workers is free, and the other waits for this one.
bool two_children_meet() {
    meeting children{2};
    const auto [first, second] =
        fork_join([&] { return children.attend(); }, [&] { return children.attend(); });
    return first && second;
}

void await_sleep_in_a_join(pool& workers, std::uint64_t waits_before) {
    spin_until([&] { return total(workers, &worker_statistics::waits) > waits_before; });
}

TEST(joins, of_a_stolen_child_help_when_it_forks_late) {
    pool workers{2};
    for (int round = 0; round < 50; ++round) {
        const std::uint64_t before = total(workers, &worker_statistics::waits);
        ASSERT_TRUE(workers.run([&] {
            auto both = fork_stolen([] {},
                                    [&] {
                                        await_sleep_in_a_join(workers, before);
                                        return two_children_meet();
                                    });
            return std::get<1>(both);
        })) << round;
    }
    EXPECT_GE(total(workers, &worker_statistics::helps), 50U);
}

TEST(joins, of_a_task_that_another_runs_help_when_it_forks_late) {
    pool workers{2};
    for (int round = 0; round < 50; ++round) {
        const std::uint64_t before = total(workers, &worker_statistics::waits);
        event awaited_runs;
        future<bool> awaited = workers.submit([&] {
            awaited_runs.happen();
            await_sleep_in_a_join(workers, before);
            return two_children_meet();
        });
        awaited_runs.await();
        ASSERT_TRUE(workers.run([&] { return awaited.get(); })) << round;
    }
}

/// Joins another task when it ends.
class joins_at_its_end {
public:
    explicit joins_at_its_end(pool& workers, int& joined) : workers_{&workers}, joined_{&joined} {}
    joins_at_its_end(joins_at_its_end&& other) noexcept
        : workers_{std::exchange(other.workers_, nullptr)}, joined_{other.joined_} {}
    ~joins_at_its_end() {
        if (workers_ != nullptr) *joined_ += workers_->submit([] { return 1; }).get();
    }
    void operator()() const {}

private:
    pool* workers_;
    int* joined_;
};

TEST(joins, out_of_turn_of_a_task_whose_callable_joins_when_it_ends) {
    for (const std::size_t n : {1U, 2U}) {
        int joined = 0;
        pool workers{n};
        auto all = workers.submit([&] {
            auto first = workers.submit(joins_at_its_end{workers, joined});
            auto second = workers.submit([] {});
            first.get();
            first = {};
            second.get();
        });
        EXPECT_TRUE(comes_soon([&] { return all.ready(); })) << n;
        all.get();
        workers.stop();
        EXPECT_EQ(joined, 1) << n;
    }
}

TEST(joins, of_a_task_with_itself_are_an_error) {
    for (const std::size_t n : {1U, 2U, 8U}) {
        event handed_over;
        pool workers{n};
        std::shared_ptr<future<int>> own;
        event done;
        std::string outcome;
        auto made = workers.submit([&] {
            handed_over.await();
            outcome = error_of([&] { own->get(); });
            done.happen();
            return 1;
        });
        own = std::make_shared<future<int>>(std::move(made));
        handed_over.happen();
        done.await();
        EXPECT_EQ(outcome, "would_deadlock");
        EXPECT_TRUE(own->valid()) << "it may be joined elsewhere";
        EXPECT_EQ(own->get(), 1);
    }
}

/// The only worker of a pool does not claim a task that it joins and takes from its own queue.
TEST(joins, of_a_task_with_itself_are_an_error_while_a_lone_worker_joins_it) {
    pool workers{1};
    int runs = 0;
    std::string outcome;
    workers.run([&] {
        future<void> child;
        child = workers.submit([&] {
            ++runs;
            outcome = error_of([&] { child.wait(); });
        });
        child.wait();
    });
    EXPECT_EQ(outcome, "would_deadlock");
    EXPECT_EQ(runs, 1);
}

TEST(joins, of_a_task_further_down_on_the_stack_are_an_error) {
    event handed_over;
    pool workers{1};
    future<int> own;
    std::string outcome;
    auto made = workers.submit([&] {
        handed_over.await();
        auto child = workers.submit([&] {
            outcome = error_of([&] { own.wait(); });
            return 1;
        });
        return child.get() + 1;
    });
    own = std::move(made);
    handed_over.happen();
    spin_until([&] { return own.ready(); });
    EXPECT_EQ(own.get(), 2);
    EXPECT_EQ(outcome, "would_deadlock");
}

TEST_P(joins_on, waiting_on_a_worker_for_an_unready_continuation_is_an_error) {
    event begun;
    event go;
    future<int> next = workers.run([&] {
        future<void> blocked; // not begun, or blocked: the continuation cannot be ready
        if (GetParam() > 1) {
            blocked = workers.submit([&] {
                begun.happen();
                go.await();
            });
            begun.await();
        } else {
            blocked = workers.submit([] {});
        }
        auto after = std::move(blocked).then([](future<void>) { return 1; });
        EXPECT_EQ(error_of([&] { after.get(); }), "would_deadlock");
        EXPECT_TRUE(after.valid());
        return after;
    });
    go.happen();
    EXPECT_EQ(next.get(), 1);
}

TEST_P(joins_on, waiting_on_a_worker_for_a_ready_continuation_is_none) {
    future<int> next =
        workers.submit([] { return 1; }).then([](future<int> before) { return before.get() + 1; });
    next.wait();
    EXPECT_EQ(workers.run([&] { return next.get(); }), 2);
}

} // namespace
} // namespace weft
