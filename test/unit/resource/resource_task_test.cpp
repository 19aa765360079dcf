#include <weft/detail/resource/resource_task.hpp>

#include "resource/lane.hpp"
#include "support/unstarted_pool.hpp"
#include "unit/resource/reader.hpp"
#include "unit/sync/observed_thread.hpp"

#include <weft/pool.hpp>
#include <weft/resource.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <thread>

namespace weft::inline v0::detail {
namespace {

TEST(resource_task_memory, has_the_task_right_behind_the_entries) {
    constexpr std::size_t before = sizeof(ticket) + 2 * sizeof(queue_entry);
    const auto close = resource_task_memory::layout<char>(2);
    EXPECT_EQ(close.offset, before);
    EXPECT_EQ(close.size, before + 1);
    EXPECT_EQ(close.alignment, alignof(ticket));
    struct alignas(256) wide {};
    const auto aligned = resource_task_memory::layout<wide>(2);
    EXPECT_EQ(aligned.offset % 256, 0U);
    EXPECT_GE(aligned.offset, before);
    EXPECT_LT(aligned.offset, before + 256);
    EXPECT_EQ(aligned.size, aligned.offset + sizeof(wide));
    EXPECT_EQ(aligned.alignment, 256U);
}

/// A thread takes first what it has given back last.
TEST(resource_task, that_cannot_be_made_gives_its_cell_back) {
    struct unmovable {
        unmovable() = default;
        unmovable(const unmovable&) = default;
        unmovable(unmovable&& /*other*/) {
            throw 1;
        } // NOLINT(performance-noexcept-move-constructor)
        void operator()(int& /*data*/) const {}
    };
    pool workers{1};
    resource<int> data{0};
    const unmovable body;
    registry_cell& first = reserve_cell();
    give_cell_back(first);
    EXPECT_THROW(when(data).submit(workers, body), int);
    registry_cell& next = reserve_cell();
    EXPECT_EQ(&next, &first);
    give_cell_back(next);
}

TEST(resource_task_memory, is_a_block_for_what_has_its_size_and_alignment) {
    constexpr std::size_t size = large_block_cache::block_size;
    constexpr std::size_t alignment = large_block_cache::block_alignment;
    test::unstarted_pool workers{1};
    workers.as_worker(0, [&](worker& self) {
        const auto is_block = [&](std::size_t wanted_size, std::size_t wanted_alignment) {
            void* last_freed = self.large_blocks.allocate();
            self.large_blocks.free(last_freed);
            void* made = allocate_resource_task(wanted_size, wanted_alignment);
            free_resource_task(made, wanted_size, wanted_alignment);
            return made == last_freed;
        };
        EXPECT_TRUE(is_block(size, alignment));
        EXPECT_FALSE(is_block(size + 1, alignment));
        EXPECT_FALSE(is_block(size, 2 * alignment));
    })();
}

TEST(cells_of_resource_tasks, are_passed_on_when_their_thread_ends) {
    registry_cell* first = nullptr;
    registry_cell* second = nullptr;
    for (registry_cell** used : {&first, &second}) {
        std::thread{[&] {
            *used = &reserve_cell();
            give_cell_back(**used);
        }}.join();
    }
    EXPECT_EQ(first, second);
}

TEST(cells_of_resource_tasks, are_kept_by_a_thread_that_ends_tasks_and_has_submitted_none) {
    registry_cell& ended = reserve_cell();
    std::thread{[&] {
        give_cell_back(ended);
        std::thread{[&] {
            registry_cell& other = reserve_cell();
            EXPECT_NE(&other, &ended);
            give_cell_back(other);
        }}.join();
        registry_cell& again = reserve_cell();
        EXPECT_EQ(&again, &ended);
        give_cell_back(again);
    }}.join();
}

TEST(wait_for_enqueued, waits_for_a_submission_that_was_suspended) {
    std::array<limit_word, 3> limits{limit_word{9}, limit_word{9}, limit_word{9}};
    std::string order;
    test::reader<3> slow{order, 's', {&limits[0], &limits[1], &limits[2]}};
    test::reader<1> suspended{order, 'b', {&limits[1]}};
    lane of_slow;
    std::optional<test::observed_thread> other;
    slow.while_settling = [&] {
        other.emplace([&] {
            suspended.own_ticket.submit(own_lane());
            weft::wait_for_enqueued();
        });
        EXPECT_TRUE(other->falls_asleep());
    };
    slow.own_ticket.submit(of_slow);
    EXPECT_TRUE(other->ends());
    EXPECT_EQ(order, "sb");
}

} // namespace
} // namespace weft::inline v0::detail
