#include "sync/thread_owned.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace weft::inline v0::sync {
namespace {

struct owned {
    std::atomic<int>* ended;
    static void thread_ends(owned* value) noexcept { ++*value->ended; }
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

/// Local to a thread, and there before what the thread owns; so it would end later, if that were
/// local too.
struct late_user {
    owned* expected = nullptr;
    ~late_user() { EXPECT_EQ(thread_owned<owned>::get(), expected); }
};

TEST(thread_owned, lives_until_all_that_is_local_to_the_thread_has_ended) {
    std::atomic<int> ended{0};
    owned first{&ended};
    std::thread{[&] {
        static thread_local late_user last;
        last.expected = &first;
        thread_owned<owned>::set(&first);
    }}.join();
    EXPECT_EQ(ended, 1);
}

TEST(thread_owned, a_thread_that_never_used_it_ends_nothing) {
    std::atomic<int> ended{0};
    std::thread{[] { EXPECT_EQ(thread_owned<owned>::get(), nullptr); }}.join();
    EXPECT_EQ(ended, 0);
}

} // namespace
} // namespace weft::inline v0::sync
