#include <weft/detail/fork_join/posted_task.hpp>

#include <weft/future.hpp>

#include <gtest/gtest.h>

namespace weft::inline v0::detail {
namespace {

TEST(posted_task, leaves_its_memory_to_the_next_task_of_the_worker) {
    pool single{1};
    single.run([&] {
        worker& self = *worker::current();
        bool ran = false;
        single.post([&] { ran = true; });
        task* posted = self.queues.normal.owner_pop();
        ASSERT_NE(posted, nullptr);
        posted->run(*posted, self);
        EXPECT_TRUE(ran);
        void* next = self.blocks.allocate();
        EXPECT_EQ(next, posted);
        self.blocks.free(next);
    });
}

} // namespace
} // namespace weft::inline v0::detail
