#include "fault/memory/failing_memory.hpp"

#include <weft/completion.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

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

} // namespace
} // namespace weft::test
