#include "sync/thread_owned.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace weft::sync {
namespace {

struct owned {
    std::atomic<int>* ended;
    static void thread_ends(owned* mine) noexcept { ++*mine->ended; }
};

TEST(thread_owned, is_null_at_first_and_kept_for_each_thread) {
    std::atomic<int> ended{0};
    owned first{&ended};
    owned second{&ended};
    using slot = thread_owned<owned>;
    std::thread{[&] {
        EXPECT_EQ(slot::get(), nullptr);
        slot::set(&first);
        std::thread{[&] {
            EXPECT_EQ(slot::get(), nullptr);
            slot::set(&second);
            EXPECT_EQ(slot::get(), &second);
        }}.join();
        EXPECT_EQ(ended, 1);
        EXPECT_EQ(slot::get(), &first);
    }}.join();
    EXPECT_EQ(ended, 2);
}

TEST(thread_owned, a_thread_that_never_used_it_ends_nothing) {
    std::atomic<int> ended{0};
    std::thread{[] { EXPECT_EQ(thread_owned<owned>::get(), nullptr); }}.join();
    EXPECT_EQ(ended, 0);
}

} // namespace
} // namespace weft::sync
