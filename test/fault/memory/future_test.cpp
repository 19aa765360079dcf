#include "conform/cpp/rendezvous.hpp"
#include "fault/memory/failing_memory.hpp"

#include <weft/completion.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <thread>

namespace weft::test {
namespace {

/// A wait that gives up leaves what it needs with the task, for the next one.
TEST(memory_of_futures, does_not_grow_when_they_are_polled) {
    completion<int> open = [] {
        pool ended{1};
        return completion<int>{ended};
    }();
    future<int> unready = open.get_future();
    const std::int64_t before = live_allocations();
    for (int i = 0; i < 10; ++i) EXPECT_FALSE(unready.wait_for(std::chrono::milliseconds{1}));
    EXPECT_LE(live_allocations() - before, 1);
    open.complete(1);
    EXPECT_EQ(unready.get(), 1);
}

/// A waiter that has no memory for a stack sleeps, and another worker runs what was submitted.
TEST(memory_of_futures, is_not_needed_to_wait) {
    pool workers{3};
    event third_is_free;
    event third_is_busy;
    workers.post([&] {
        third_is_busy.happen();
        third_is_free.await();
    });
    third_is_busy.await();
    const bool by_another = workers.run([&] {
        event begun;
        event armed;
        auto awaited = workers.submit([&] {
            begun.happen();
            event part_runs;
            auto part = workers.submit([&] {
                part_runs.happen();
                return std::this_thread::get_id();
            });
            {
                const failing_memory none{1, failing::for_good};
                armed.happen();
                spin_until([&] { return none.failed(); });
            }
            third_is_free.happen();
            part_runs.await();
            return part.get();
        });
        begun.await();
        armed.await();
        return awaited.get() != std::this_thread::get_id();
    });
    EXPECT_TRUE(by_another);
}

} // namespace
} // namespace weft::test
