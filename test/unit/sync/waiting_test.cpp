#include "unit/sync/observed_thread.hpp"

#include <weft/detail/sync/waiting.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <new>

namespace weft::inline v0::sync {
namespace {

using namespace std::chrono_literals;
using test::observed_thread;

struct waiting : testing::Test {
    static void change_and_wake(wait_word& word) {
        word.fetch_add(1U, relaxed);
        futex_waiting::wake_one(word);
    }

    static bool wait_until(wait_word& word, std::uint32_t expected, clock::time_point deadline) {
        return futex_waiting::wait(word, expected, deadline);
    }

    static bool one_wake_leaves_one_of_two_asleep() {
        wait_word word{0};
        atomic<int> awake{0};
        const auto sleep = [&] {
            futex_waiting::wait(word, 0);
            awake.fetch_add(1, relaxed);
        };
        const observed_thread first{sleep};
        const observed_thread second{sleep};
        EXPECT_TRUE(first.falls_asleep());
        EXPECT_TRUE(second.falls_asleep());
        change_and_wake(word);
        while (!first.ended() && !second.ended()) yield();
        const observed_thread& other = first.ended() ? second : first;
        const bool asleep = other.falls_asleep() && awake.load(relaxed) == 1;
        futex_waiting::wake_one(word);
        EXPECT_TRUE(first.ends());
        EXPECT_TRUE(second.ends());
        return asleep;
    }
};

TEST_F(waiting, does_not_sleep_on_a_word_that_differs) {
    wait_word word{1};
    futex_waiting::wait(word, 0);
    EXPECT_TRUE(wait_until(word, 0, clock::now() + 1h));
}

TEST_F(waiting, a_word_that_differs_counts_for_more_than_a_deadline_that_has_passed) {
    wait_word word{1};
    EXPECT_TRUE(wait_until(word, 0, clock::now() - 1s));
}

TEST_F(waiting, sleeps_until_woken) {
    wait_word word{0};
    const observed_thread sleeper{[&] { futex_waiting::wait(word, 0); }};
    EXPECT_TRUE(sleeper.falls_asleep());
    EXPECT_FALSE(sleeper.ended());
    change_and_wake(word);
    EXPECT_TRUE(sleeper.ends());
}

TEST_F(waiting, a_deadline_that_has_passed_ends_the_wait_at_once) {
    wait_word word{0};
    for (const auto deadline : {clock::now(), clock::now() - 1h, clock::time_point{}}) {
        EXPECT_FALSE(wait_until(word, 0, deadline));
    }
}

TEST_F(waiting, the_first_moment_there_is_has_passed) {
    wait_word word{0};
    bool in_time = true;
    {
        const observed_thread sleeper{
            [&] { in_time = futex_waiting::wait(word, 0, clock::time_point::min()); }};
        EXPECT_TRUE(sleeper.ends());
        change_and_wake(word);
    }
    EXPECT_FALSE(in_time);
}

TEST_F(waiting, a_wait_is_never_late_before_its_deadline) {
    wait_word word{0};
    const auto deadline = clock::now() + 5ms;
    while (wait_until(word, 0, deadline)) {
        EXPECT_EQ(word.load(relaxed), 0U); // woken for no reason, which is allowed
    }
    EXPECT_GE(clock::now(), deadline);
}

TEST_F(waiting, a_wake_comes_before_a_far_deadline) {
    for (const auto deadline : {clock::now() + 1h, clock::time_point::max()}) {
        wait_word word{0};
        bool in_time = false;
        {
            const observed_thread sleeper{
                [&] { in_time = futex_waiting::wait(word, 0, deadline); }};
            EXPECT_TRUE(sleeper.falls_asleep());
            change_and_wake(word);
        }
        EXPECT_TRUE(in_time);
        EXPECT_LT(clock::now(), deadline);
    }
}

TEST_F(waiting, one_wake_wakes_one_of_two) {
    // A process that is stopped and continued looks at the word anew, which has changed.
    bool left_asleep = false;
    for (int tries = 0; tries < 50 && !left_asleep; ++tries) {
        left_asleep = one_wake_leaves_one_of_two_asleep();
    }
    EXPECT_TRUE(left_asleep);
}

TEST_F(waiting, a_wake_without_a_sleeper_is_not_kept) {
    wait_word word{0};
    futex_waiting::wake_one(word);
    futex_waiting::wake_one(word);
    const observed_thread sleeper{[&] { futex_waiting::wait(word, 0); }};
    EXPECT_TRUE(sleeper.falls_asleep());
    change_and_wake(word);
}

TEST_F(waiting, a_wake_does_not_touch_the_word) {
    const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    void* const page =
        ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(page, MAP_FAILED);
    auto* const word = ::new (page) wait_word{0};
    // Another thread sleeps elsewhere, lest it be known that there is nobody to wake.
    wait_word elsewhere{0};
    const observed_thread sleeper{[&] { futex_waiting::wait(elsewhere, 0); }};
    EXPECT_TRUE(sleeper.falls_asleep());
    ::munmap(page, size);
    futex_waiting::wake_one(*word);
    change_and_wake(elsewhere);
}

} // namespace
} // namespace weft::inline v0::sync
