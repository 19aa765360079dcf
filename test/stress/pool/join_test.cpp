// What workers do while they wait, many times.
#include "conform/cpp/rendezvous.hpp"
#include "support/scale.hpp"

#include <weft/future.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace weft {
namespace {

using namespace test;

void fork_a_little(unsigned depth) {
    if (depth == 0) return;
    fork_join([=] { fork_a_little(depth - 1); }, [=] { fork_a_little(depth - 1); });
}

/// `waiting` waits for `awaited`, which another worker runs and which forks, so that the waiting
/// worker helps. Then that other worker runs `unrelated`, whose children join `waiting`. The
/// waiting worker must not take one of these children for a child of what it waited for: it would
/// find itself below.
TEST(helping, takes_no_child_of_what_the_other_worker_runs_next) {
    std::atomic<int> errors{0};
    pool workers{2};
    for (std::uint64_t round = 0; round < scaled(sanitized ? 2'000 : 5'000, 500'000); ++round) {
        event waiting_runs;
        event awaited_runs;
        std::shared_ptr<future<int>> waiting;
        future<int> awaited;
        event submitted;
        auto made = workers.submit([&] {
            waiting_runs.happen();
            submitted.await();
            awaited_runs.await();
            return awaited.get() + 1;
        });
        waiting = std::make_shared<future<int>>(std::move(made));
        waiting_runs.await();
        awaited = workers.submit([&] {
            awaited_runs.happen();
            fork_a_little(3);
            return 1;
        });
        auto unrelated = workers.submit([&] {
            fork_join([] { fork_a_little(2); },
                      [&] {
                          if (error_of([&] { waiting->wait(); }) != "none") ++errors;
                      });
        });
        submitted.happen();
        unrelated.get();
        ASSERT_EQ(waiting->get(), 2);
        ASSERT_EQ(errors, 0) << "round " << round;
    }
}

/// One future, joined by many threads at all times; each node of its list is called once.
TEST(joining, by_any_number_of_threads_and_workers_ends) {
    for (const std::size_t n : {1U, 2U, 3U, 8U, 64U}) {
        pool workers{n};
        for (std::uint64_t round = 0; round < scaled(sanitized ? 50 : 300, 20'000); ++round) {
            auto shared = std::make_shared<future<int>>(workers.submit([] {
                fork_a_little(4);
                return 1;
            }));
            std::vector<future<bool>> joiners;
            for (int i = 0; i < 4; ++i) {
                joiners.push_back(workers.submit([shared] {
                    shared->wait();
                    return shared->ready();
                }));
            }
            shared->wait();
            for (auto& each : joiners) ASSERT_TRUE(each.get());
            ASSERT_EQ(shared->get(), 1);
        }
    }
}

TEST(joining, with_a_deadline_ends_one_way_or_the_other) {
    pool workers{2};
    for (std::uint64_t round = 0; round < scaled(sanitized ? 300 : 3'000, 100'000); ++round) {
        auto result = workers.submit([round] {
            fork_a_little(static_cast<unsigned>(round % 6));
            return round;
        });
        const auto patience = std::chrono::microseconds{round % 40};
        while (!result.wait_for(patience)) {
        }
        ASSERT_TRUE(result.ready());
        ASSERT_EQ(result.get(), round);
    }
}

TEST(continuing, while_the_first_ends_is_never_lost) {
    for (const std::size_t n : {1U, 2U, 8U}) {
        std::atomic<std::uint64_t> ran{0};
        pool workers{n};
        const std::uint64_t rounds = scaled(sanitized ? 1'000 : 10'000, 500'000);
        for (std::uint64_t round = 0; round < rounds; ++round) {
            workers.submit([] { return 1; }).then([&](future<int> before) {
                ran += static_cast<std::uint64_t>(before.get());
            });
        }
        workers.stop();
        EXPECT_EQ(ran, rounds);
    }
}

} // namespace
} // namespace weft
