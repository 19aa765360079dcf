// Tasks without a future, and waiting until there is nothing to do.
#include "conform/cpp/failure_chain.hpp"
#include "conform/cpp/rendezvous.hpp"
#include "conform/cpp/stopping.hpp"

#include <weft/contract.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace weft {
namespace {

using namespace test;

std::string text_of(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const error& known) {
        return std::string{name_of(known.code())};
    } catch (const std::exception& other) {
        return other.what();
    }
}

/// Collects what a pool reports.
struct reports {
    std::mutex guard;
    std::vector<std::string> texts;
    pool_options options(std::size_t workers) {
        return {.workers = workers, .on_error = [this](const std::exception_ptr& thrown) {
                    const std::scoped_lock lock{guard};
                    texts.push_back(text_of(thrown));
                }};
    }
};

class post_on : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(workers, post_on, testing::Values(1, 2, 8));

TEST_P(post_on, every_posted_task_runs_once) {
    std::atomic<int> ran{0};
    pool workers{GetParam()};
    for (int i = 0; i < 1'000; ++i) workers.post([&] { ++ran; });
    workers.run([&] {
        for (int i = 0; i < 1'000; ++i) workers.post([&] { ++ran; });
    });
    workers.wait_idle();
    EXPECT_EQ(ran, 2'000);
}

TEST_P(post_on, a_task_posted_by_a_worker_of_another_pool_runs_on_this_one) {
    pool workers{GetParam()};
    pool other{1};
    std::atomic<pool*> ran_on{nullptr};
    other.run([&] { workers.post([&] { ran_on = pool::current(); }); });
    workers.stop();
    EXPECT_EQ(ran_on, &workers);
}

TEST_P(post_on, the_closure_is_destroyed_after_the_run) {
    const auto shared = std::make_shared<int>(1);
    pool workers{GetParam()};
    workers.post([shared] { return *shared; });
    workers.post([moved = std::make_unique<int>(2), shared] { return *moved; });
    workers.post([shared, room = std::array<char, 1'000>{}] { return room[0]; });
    workers.wait_idle();
    EXPECT_EQ(shared.use_count(), 1);
}

TEST_P(post_on, an_exception_goes_to_on_error) {
    reports all;
    pool workers{all.options(GetParam())};
    workers.post([] { throw std::runtime_error{"lost"}; });
    workers.wait_idle();
    EXPECT_EQ(all.texts, std::vector<std::string>{"lost"});
}

TEST_P(post_on, a_stopped_pool_refuses_it) {
    pool workers{GetParam()};
    workers.stop();
    EXPECT_EQ(error_of([&] { workers.post([] {}); }), "stopped");
}

TEST_P(post_on, a_cancelled_one_is_reported_as_not_run) {
    reports all;
    const auto shared = std::make_shared<int>(1);
    std::atomic<int> ran{0};
    {
        pool workers{all.options(1)};
        event started;
        event go;
        workers.post([&] {
            started.happen();
            go.await();
        });
        started.await();
        workers.post([&ran, shared] { ++ran; });
        cancel_before(workers, go);
    }
    EXPECT_EQ(ran, 0);
    EXPECT_EQ(shared.use_count(), 1);
    EXPECT_EQ(all.texts, std::vector<std::string>{"not_run"});
}

TEST(posted_tasks, that_are_cancelled_have_the_failure_that_their_closure_owns_as_cause) {
    std::vector<std::string> reported;
    event started;
    event go;
    {
        pool workers{pool_options{.workers = 1, .on_error = [&](const std::exception_ptr& failure) {
                                      reported.push_back(chain_of(failure));
                                  }}};
        auto failed = workers.submit([] { throw std::runtime_error{"lost"}; });
        failed.wait();
        workers.post([&] {
            started.happen();
            go.await();
        });
        started.await();
        workers.post([failed = std::move(failed)]() mutable { failed.get(); });
        cancel_before(workers, go);
    }
    EXPECT_EQ(reported, std::vector<std::string>{"not_run < lost"});
}

TEST_P(post_on, wait_idle_waits_for_what_tasks_have_submitted) {
    std::atomic<int> ran{0};
    pool workers{GetParam()};
    for (int round = 1; round <= 50; ++round) {
        workers.post([&] {
            for (int i = 0; i < 10; ++i) {
                workers.post([&] { workers.post([&] { ++ran; }); });
            }
        });
        workers.wait_idle();
        ASSERT_EQ(ran, round * 10);
    }
}

TEST_P(post_on, wait_idle_of_a_pool_without_work_or_that_was_stopped_returns) {
    pool workers{GetParam()};
    workers.wait_idle();
    workers.run([] {});
    workers.wait_idle();
    workers.stop();
    workers.wait_idle();
}

TEST_P(post_on, wait_idle_by_several_threads_and_while_the_pool_stops) {
    std::atomic<int> returned{0};
    event go;
    {
        pool workers{GetParam()};
        workers.post([&] { go.await(); });
        std::vector<std::jthread> waiters;
        for (int i = 0; i < 3; ++i) {
            waiters.emplace_back([&] {
                workers.wait_idle();
                EXPECT_TRUE(go.has_happened());
                ++returned;
            });
        }
        go.happen();
        workers.stop();
    }
    EXPECT_EQ(returned, 3);
}

TEST_P(post_on, wait_idle_waits_for_contracts_that_are_due) {
    std::atomic<int> runs{0};
    pool workers{GetParam()};
    contract_group group{workers};
    const contract repeated = group.create([&](contract_token& self) {
        if (++runs < 100) self.schedule();
    });
    repeated.schedule();
    workers.wait_idle();
    EXPECT_EQ(runs, 100);
}

TEST_P(post_on, wait_idle_with_stand_ins) {
    std::atomic<int> ran{0};
    pool workers{pool_options{.workers = GetParam(), .extra_threads = 2}};
    for (int i = 0; i < 20; ++i) {
        workers.post([&] {
            blocking([] {});
            ++ran;
        });
    }
    workers.wait_idle();
    EXPECT_EQ(ran, 20);
}

TEST_P(post_on, wait_idle_on_a_worker_is_refused) {
    pool workers{GetParam()};
    EXPECT_EQ(workers.run([&] { return error_of([&] { workers.wait_idle(); }); }),
              "would_deadlock");
}

TEST(wait_idle, of_a_worker_of_another_pool_leaves_its_children_to_thieves) {
    pool other{1};
    pool workers{2};
    event occupied;
    event free;
    event forked;
    std::atomic<bool> stolen{false};
    workers.post([&] {
        occupied.happen();
        free.await();
    });
    occupied.await();
    workers.run([&] {
        fork_join([] {}, [] {}); // nobody asks for children any more: the next child is private
        fork_join(
            [&] {
                other.post([&] { stolen = comes_soon([&] { return forked.has_happened(); }); });
                free.happen();
                other.wait_idle();
            },
            [&] { forked.happen(); });
    });
    EXPECT_TRUE(stolen);
}

} // namespace
} // namespace weft
