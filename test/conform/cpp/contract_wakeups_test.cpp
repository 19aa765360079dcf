// Threads that wait for contracts are woken in time.
#include "conform/cpp/rendezvous.hpp"
#include "conform/cpp/slow_batch.hpp"

#include <weft/contract.hpp>
#include <weft/future.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace weft {
namespace {

using namespace test;
using namespace std::chrono_literals;

/// Both contracts are in one batch: the first throws, and the second goes on until the waiter has
/// it.
TEST(contract_wakeups, an_exception_wakes_a_waiter_while_another_contract_runs) {
    pool workers{1};
    contract_group group{workers};
    event scheduled;
    event waits;
    std::atomic<bool> caught{false};
    const contract failing = group.create([&] {
        waits.await();
        for (int i = 0; i < 1000; ++i) std::this_thread::yield(); // the waiter sleeps, most likely
        throw std::runtime_error{"no luck"};
    });
    const contract slow = group.create(
        [&] { EXPECT_TRUE(comes_soon([&] { return caught.load(); })) << "nobody was woken"; });
    future<void> before = workers.submit([&] { scheduled.await(); });
    failing.schedule();
    slow.schedule();
    scheduled.happen();
    before.get();
    waits.happen();
    EXPECT_THROW(group.wait(), std::runtime_error);
    caught = true;
    group.wait();
}

/// The deadline is far away: the rest of the slow batch is freed, and run, before it comes.
TEST(contract_wakeups, a_driver_with_a_deadline_runs_the_neighbour_of_a_long_run) {
    slow_batch batch;
    EXPECT_TRUE(batch.group().execute_next_or_wait(60s));
    EXPECT_TRUE(batch.has_run());
}

} // namespace
} // namespace weft
