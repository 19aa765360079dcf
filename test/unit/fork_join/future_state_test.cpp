#include <weft/detail/fork_join/future_state.hpp>

#include <weft/detail/sync/model_constants.hpp>
#include <weft/future.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace weft::inline v0::detail {
namespace {

TEST(task_memory, is_a_block_for_what_has_its_size_and_alignment) {
    EXPECT_TRUE(fits_block(block_cache::block_size, block_cache::block_alignment));
    EXPECT_FALSE(fits_block(block_cache::block_size + 1, block_cache::block_alignment));
    EXPECT_FALSE(fits_block(block_cache::block_size, 2 * block_cache::block_alignment));
}

/// Leaves a task in the worker's queue that was joined.
void join_out_of_turn(pool& workers) {
    auto first = workers.submit([] {});
    auto second = workers.submit([] {});
    first.get();
    second.get();
}

TEST(joinable_task, that_was_joined_out_of_turn_is_in_its_queue_until_that_is_full) {
    pool single{1};
    std::vector<int> order;
    single.run([&] {
        task_deque<task>& queue = worker::current()->queues.normal;
        for (int i = 1; i <= 2; ++i) single.submit([&order, i] { order.push_back(i); });
        while (queue.count() + 1 < constants::deque_capacity) {
            const std::size_t before = queue.count();
            join_out_of_turn(single);
            ASSERT_EQ(queue.count(), before + 1);
        }
        single.submit([&order] { order.push_back(3); });
        ASSERT_TRUE(queue.owner_is_full());
        single.submit([&order] { order.push_back(4); });
        EXPECT_EQ(queue.count(), 4U) << "what was not joined";
        EXPECT_TRUE(order.empty());
    });
    single.stop();
    EXPECT_EQ(order, (std::vector{4, 3, 2, 1})) << "the youngest first, as ever";
}

} // namespace
} // namespace weft::inline v0::detail
