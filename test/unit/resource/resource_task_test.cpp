#include <weft/detail/resource/resource_task.hpp>

#include <weft/pool.hpp>
#include <weft/resource.hpp>

#include <gtest/gtest.h>

#include <cstddef>

namespace weft::inline v0::detail {
namespace {

TEST(resource_task_memory, has_the_task_right_behind_the_entries) {
    constexpr std::size_t before = sizeof(ticket) + 2 * sizeof(queue_entry);
    constexpr auto close = resource_task_memory::layout<char>(2);
    EXPECT_EQ(close.offset, before);
    EXPECT_EQ(close.size, before + 1);
    EXPECT_EQ(close.alignment, alignof(ticket));
    struct alignas(256) wide {};
    constexpr auto aligned = resource_task_memory::layout<wide>(2);
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

} // namespace
} // namespace weft::inline v0::detail
