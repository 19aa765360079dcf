#include "fault/memory/failing_thread_data.hpp"

#include <weft/pool.hpp>
#include <weft/resource.hpp>

#include <gtest/gtest.h>

#include <new>
#include <thread>

namespace weft::test {
namespace {

TEST(data_of_a_thread, without_room_for_it_the_first_submission_throws_bad_alloc) {
    pool workers{1};
    resource<int> data{0};
    std::thread{[&] {
        {
            const failing_thread_data no_room;
            EXPECT_THROW(when(data).submit(workers, [](int&) {}), std::bad_alloc);
        }
        EXPECT_EQ(when(data).submit(workers, [](int& x) { return x + 1; }).get(), 1);
    }}.join();
}

} // namespace
} // namespace weft::test
