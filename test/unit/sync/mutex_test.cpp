#include <weft/detail/sync/mutex.hpp>
#include <weft/detail/sync/thread.hpp>

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

namespace weft::inline v0::sync {
namespace {

bool another_thread_could_lock(mutex& lock) {
    bool could = false;
    thread{{},
           [&] {
               could = lock.try_lock();
               if (could) lock.unlock();
           }}
        .join();
    return could;
}

TEST(mutex, is_held_from_lock_to_unlock) {
    mutex lock;
    EXPECT_TRUE(another_thread_could_lock(lock));
    lock.lock();
    EXPECT_FALSE(another_thread_could_lock(lock));
    lock.unlock();
    EXPECT_TRUE(another_thread_could_lock(lock));
}

TEST(mutex, a_guard_holds_it_for_its_own_lifetime) {
    mutex lock;
    {
        const lock_guard held{lock};
        EXPECT_FALSE(another_thread_could_lock(lock));
    }
    EXPECT_TRUE(another_thread_could_lock(lock));
}

TEST(mutex, a_guard_lets_go_when_an_exception_passes) {
    mutex lock;
    const auto hold_and_throw = [&] {
        const lock_guard held{lock};
        throw std::runtime_error{"passing"};
    };
    EXPECT_THROW(hold_and_throw(), std::runtime_error);
    EXPECT_TRUE(another_thread_could_lock(lock));
}

TEST(mutex, lets_one_thread_at_a_time_touch_plain_data) {
    constexpr int rounds = 2'000;
    mutex lock;
    int sum = 0;
    {
        std::array<thread, 3> running;
        for (thread& one : running) {
            one = thread{{}, [&] {
                             for (int round = 0; round < rounds; ++round) {
                                 const lock_guard held{lock};
                                 ++sum;
                             }
                         }};
        }
    }
    EXPECT_EQ(sum, 3 * rounds);
}

} // namespace
} // namespace weft::inline v0::sync
