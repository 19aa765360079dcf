#include "conform/cpp/rendezvous.hpp"
#include "conform/cpp/stopping.hpp"

#include <weft/blocking.hpp>
#include <weft/future.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace weft {
namespace {

using namespace test;

TEST(blocking_calls, let_others_run_what_was_privately_forked) {
    pool workers{2};
    workers.run([] {
        event deepest;
        std::atomic<int> ran{0};
        // Forks that are private, as nobody asked for them; then a call that needs them all.
        struct levels {
            event& deepest;
            std::atomic<int>& ran;
            void descend(int depth) const {
                if (depth == 0) {
                    blocking([&] { spin_until([&] { return ran == 20; }); });
                    return;
                }
                fork_join([&] { descend(depth - 1); }, [&] { ++ran; });
            }
        };
        levels{deepest, ran}.descend(20);
        EXPECT_EQ(ran, 20);
    });
}

TEST(blocking_calls, return_what_the_call_returns) {
    int number = 1;
    EXPECT_EQ(&blocking([&]() -> int& { return number; }), &number) << "outside a pool";
    pool workers{1};
    EXPECT_EQ(workers.run([] { return blocking([] { return 2; }); }), 2);
    EXPECT_THROW(workers.run([] { blocking([] { throw std::logic_error{"passes"}; }); }),
                 std::logic_error);
}

TEST(extra_threads, stand_in_for_workers_that_block) {
    pool workers{pool_options{.workers = 1, .extra_threads = 1}};
    for (int round = 0; round < 100; ++round) {
        event other_ran;
        auto blocked = workers.submit([&] { blocking([&] { other_ran.await(); }); });
        auto other = workers.submit([&] { other_ran.happen(); });
        blocked.get();
        other.get();
    }
}

TEST(extra_threads, stand_in_for_as_many_as_there_are) {
    constexpr std::size_t count = 4;
    pool workers{pool_options{.workers = 1, .extra_threads = count}};
    for (int round = 0; round < 20; ++round) {
        std::atomic<std::size_t> blocked{0};
        std::vector<future<void>> all;
        for (std::size_t i = 0; i < count + 1; ++i) {
            all.push_back(workers.submit([&] {
                ++blocked;
                blocking([&] { spin_until([&] { return blocked == count + 1; }); });
            }));
        }
        for (future<void>& each : all) each.get();
    }
}

/// Tasks that see how many of them run at once.
class crowd {
public:
    void submit(pool& workers, int count) {
        for (int i = 0; i < count; ++i) {
            tasks_.push_back(workers.submit([this] {
                const int now = ++running_;
                for (int seen = most_; now > seen && !most_.compare_exchange_weak(seen, now);) {
                }
                std::this_thread::yield();
                --running_;
            }));
        }
    }
    void wait() {
        for (future<void>& each : tasks_) each.wait();
    }
    [[nodiscard]] int most() const { return most_; }

private:
    std::atomic<int> running_{0};
    std::atomic<int> most_{0};
    std::vector<future<void>> tasks_;
};

TEST(extra_threads, stand_in_once_for_a_worker_that_blocks_while_it_blocks) {
    for (int round = 0; round < 5; ++round) {
        event blocks;
        event over;
        pool workers{pool_options{.workers = 1, .extra_threads = 2}};
        auto blocked = workers.submit([&] {
            blocking([&] {
                blocking([&] {
                    blocks.happen();
                    over.await();
                });
            });
        });
        blocks.await();
        crowd tasks;
        tasks.submit(workers, 200);
        tasks.wait();
        EXPECT_EQ(tasks.most(), 1);
        over.happen();
        blocked.get();
    }
}

TEST(extra_threads, stand_in_until_the_outer_of_two_blocking_calls_has_ended) {
    pool workers{pool_options{.workers = 1, .extra_threads = 1}};
    for (int round = 0; round < 100; ++round) {
        event other_ran;
        auto blocked = workers.submit([&] {
            blocking([&] {
                blocking([] {});
                other_ran.await();
            });
        });
        workers.submit([&] { other_ran.happen(); }).get();
        blocked.get();
    }
}

/// What they had taken from the queue of another they would have to run first.
TEST(extra_threads, go_back_to_their_bench_when_the_block_has_ended) {
    const std::vector<std::shared_ptr<stealing_policy>> policies = {
        std::make_shared<random_stealing>(), std::make_shared<half_stealing>(),
        std::make_shared<multi_stealing>()};
    for (const auto& policy : policies) {
        event stood_in;
        event block_ended;
        std::atomic<int> ran{0};
        std::atomic<int> ran_late_by_other{0};
        std::thread::id blocked;
        {
            pool workers{pool_options{.workers = 1, .extra_threads = 1, .stealing = policy}};
            workers.run([&] {
                blocked = std::this_thread::get_id();
                for (int i = 0; i < 1'000; ++i) {
                    workers.submit([&] {
                        const bool other = std::this_thread::get_id() != blocked;
                        if (++ran == 1) {
                            stood_in.happen();
                            block_ended.await();
                        } else if (other) {
                            ++ran_late_by_other;
                        }
                    });
                }
                blocking([&] { stood_in.await(); });
                block_ended.happen();
            });
        }
        EXPECT_EQ(ran, 1'000);
        EXPECT_EQ(ran_late_by_other, 0);
    }
}

TEST(extra_threads, run_nothing_while_nobody_blocks) {
    for (int round = 0; round < 20; ++round) {
        pool workers{pool_options{.workers = 2, .extra_threads = 3}};
        crowd tasks;
        tasks.submit(workers, 500);
        tasks.wait();
        EXPECT_LE(tasks.most(), 2);
    }
}

TEST(extra_threads, run_nothing_while_the_pool_stops_and_nobody_blocks) {
    for (int round = 0; round < 20; ++round) {
        crowd tasks;
        {
            pool workers{pool_options{.workers = 1, .extra_threads = 3}};
            tasks.submit(workers, 500);
        }
        EXPECT_EQ(tasks.most(), 1);
    }
}

/// A task that still runs may block while the pool stops.
TEST(extra_threads, stand_in_while_the_pool_stops) {
    for (int round = 0; round < 20; ++round) {
        event other_ran;
        pool workers{pool_options{.workers = 1, .extra_threads = 1}};
        auto stood_in = workers.submit([&] {
            await_stop(workers);
            workers.submit([&] { other_ran.happen(); });
            return blocking([&] { return has_soon(other_ran); });
        });
        workers.stop();
        ASSERT_TRUE(stood_in.get());
    }
}

TEST(extra_threads, are_idle_again_after_a_blocking_call) {
    event other_ran;
    pool workers{pool_options{.workers = 1, .extra_threads = 2}};
    auto blocked = workers.submit([&] { blocking([&] { other_ran.await(); }); });
    workers.submit([&] { other_ran.happen(); }).get();
    blocked.get();
    // What a stand-in is about to take it may still run; asleep it has nothing.
    spin_until([&] { return workers.front().sleep.all_asleep(); });
    crowd tasks;
    tasks.submit(workers, 500);
    tasks.wait();
    EXPECT_EQ(tasks.most(), 1);
}

} // namespace
} // namespace weft
