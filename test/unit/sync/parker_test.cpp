// The contract of basic_parker, P1 to P4.
#include "support/scale.hpp"
#include "unit/sync/observed_thread.hpp"

#include <weft/detail/sync/parker.hpp>
#include <weft/detail/sync/thread.hpp>

#include <pthread.h>

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <optional>

namespace weft::inline v0::sync {
namespace {

using namespace std::chrono_literals;
using test::observed_thread;
using test::scaled;

using futex_parker = basic_parker<futex_waiting>;

// P1: a token is never lost.

TEST(parker, an_unpark_before_the_park_is_kept) {
    futex_parker parker;
    parker.unpark();
    parker.park();
    parker.unpark();
    EXPECT_TRUE(parker.park_until(clock::now() + 1h));
}

TEST(parker, park_sleeps_until_unparked) {
    futex_parker parker;
    const observed_thread owner{[&] { parker.park(); }};
    EXPECT_TRUE(owner.falls_asleep());
    EXPECT_FALSE(owner.ended());
    parker.unpark();
    EXPECT_TRUE(owner.ends());
}

TEST(parker, a_timed_park_is_woken_long_before_its_deadline) {
    futex_parker parker;
    const auto deadline = clock::now() + 1h;
    bool woken = false;
    {
        const observed_thread owner{[&] { woken = parker.park_until(deadline); }};
        EXPECT_TRUE(owner.falls_asleep());
        parker.unpark();
    }
    EXPECT_TRUE(woken);
    EXPECT_LT(clock::now(), deadline);
}

TEST(parker, two_threads_wake_each_other_in_turn) {
    const auto rounds = scaled(3'000, 200'000);
    futex_parker ping;
    futex_parker pong;
    std::uint64_t turns = 0; // whose turn it is may touch it
    {
        const thread other{{}, [&] {
                               for (std::uint64_t round = 0; round < rounds; ++round) {
                                   ping.park();
                                   ++turns;
                                   pong.unpark();
                               }
                           }};
        for (std::uint64_t round = 0; round < rounds; ++round) {
            ASSERT_EQ(turns, round);
            ping.unpark();
            pong.park();
        }
    }
    EXPECT_EQ(turns, rounds);
}

TEST(parker, many_unparkers_lose_no_wake_up) {
    futex_parker parker;
    constexpr std::uint64_t unparkers = 4;
    const auto each = scaled(5'000, 200'000);
    atomic<std::uint64_t> produced{0};
    const auto produce = [&] {
        for (std::uint64_t round = 0; round < each; ++round) {
            produced.fetch_add(1U, relaxed);
            parker.unpark();
        }
    };
    std::array<thread, unparkers> running;
    for (thread& one : running) one = thread{{}, produce};
    // A lost one would leave the loop asleep for good.
    while (produced.load(relaxed) < unparkers * each) parker.park();
}

// P2: tokens do not add up.

TEST(parker, tokens_do_not_add_up) {
    futex_parker parker;
    for (int unparks = 1; unparks <= 3; ++unparks) {
        for (int count = 0; count < unparks; ++count) parker.unpark();
        EXPECT_TRUE(parker.park_until(clock::time_point{}));
        EXPECT_FALSE(parker.park_until(clock::time_point{}));
    }
}

// P3: what came before an unpark is seen after the park.

TEST(parker, what_came_before_an_unpark_is_seen_after_the_park) {
    const auto rounds = scaled(500, 20'000);
    for (std::uint64_t round = 1; round <= rounds; ++round) {
        std::uint64_t data = 0;
        futex_parker parker;
        const thread other{{}, [&] {
                               data = round;
                               parker.unpark();
                           }};
        if (round % 2 == 0) parker.park();
        else EXPECT_TRUE(parker.park_for(1h));
        ASSERT_EQ(data, round);
    }
}

TEST(parker, what_came_before_an_unpark_is_seen_by_a_park_whose_deadline_has_passed) {
    const auto rounds = scaled(500, 20'000);
    for (std::uint64_t round = 1; round <= rounds; ++round) {
        std::uint64_t data = 0;
        futex_parker parker;
        const thread other{{}, [&] {
                               data = round;
                               parker.unpark();
                           }};
        while (!parker.park_until(clock::time_point{})) yield();
        ASSERT_EQ(data, round);
    }
}

TEST(parker, what_came_before_each_of_several_unparks_is_seen_after_the_one_park) {
    const auto rounds = scaled(300, 10'000);
    for (std::uint64_t round = 1; round <= rounds; ++round) {
        std::array<std::uint64_t, 2> data{};
        futex_parker parker;
        atomic<int> unparked{0}; // orders nothing
        const auto unpark = [&](std::uint64_t& own) {
            own = round;
            parker.unpark();
            unparked.fetch_add(1, relaxed);
        };
        const thread first{{}, [&] { unpark(data[0]); }};
        const thread second{{}, [&] { unpark(data[1]); }};
        while (unparked.load(relaxed) < 2) yield();
        parker.park();
        ASSERT_EQ(data[0], round);
        ASSERT_EQ(data[1], round);
    }
}

// P4: a park returns for a token only. A signal makes the kernel end a wait for no reason.

class interruptions {
public:
    interruptions() {
        struct sigaction action{};
        action.sa_handler = [](int) {}; // and not SA_RESTART
        ::sigaction(SIGUSR1, &action, &before_);
    }
    interruptions(const interruptions&) = delete;
    interruptions& operator=(const interruptions&) = delete;
    ~interruptions() { ::sigaction(SIGUSR1, &before_, nullptr); }

    /// Interrupts the sleeping thread, and returns when it sleeps again: true; or has ended: false.
    static bool interrupt(const observed_thread& sleeper) {
        const std::optional<std::uint64_t> before = sleeper.sleeps();
        if (!before) return false;
        ::pthread_kill(sleeper.handle(), SIGUSR1);
        for (;;) {
            const std::optional<std::uint64_t> now = sleeper.sleeps();
            if (!now) return false;
            if (*now > *before) return true;
            yield();
        }
    }

private:
    struct sigaction before_{};
};

constexpr int times_interrupted = 5;

TEST(parker, an_interrupted_park_goes_on_sleeping) {
    futex_parker parker;
    const interruptions allowed;
    const observed_thread owner{[&] { parker.park(); }};
    EXPECT_TRUE(owner.falls_asleep());
    for (int count = 0; count < times_interrupted; ++count) {
        EXPECT_TRUE(allowed.interrupt(owner));
    }
    EXPECT_FALSE(owner.ended());
    parker.unpark();
}

TEST(parker, an_interrupted_timed_park_goes_on_sleeping) {
    futex_parker parker;
    const interruptions allowed;
    bool woken = false;
    {
        const observed_thread owner{[&] { woken = parker.park_for(1h); }};
        EXPECT_TRUE(owner.falls_asleep());
        for (int count = 0; count < times_interrupted; ++count) {
            EXPECT_TRUE(allowed.interrupt(owner));
        }
        EXPECT_FALSE(owner.ended());
        parker.unpark();
    }
    EXPECT_TRUE(woken);
}

// Deadlines.

TEST(parker, a_deadline_that_has_passed_finds_only_a_token_that_is_there) {
    futex_parker parker;
    for (const auto deadline : {clock::now(), clock::now() - 1h, clock::time_point{}}) {
        EXPECT_FALSE(parker.park_until(deadline));
        parker.unpark();
        EXPECT_TRUE(parker.park_until(deadline));
        EXPECT_FALSE(parker.park_until(deadline));
    }
}

TEST(parker, park_for_gives_up_after_its_time_and_not_before) {
    futex_parker parker;
    for (const auto patience : {0us, 1us, 100us, 5'000us}) {
        const auto start = clock::now();
        EXPECT_FALSE(parker.park_for(patience));
        EXPECT_GE(clock::now() - start, patience);
    }
}

TEST(parker, no_patience_at_all_is_a_look) {
    futex_parker parker;
    for (const clock::duration patience : {clock::duration{-1h}, clock::duration::min()}) {
        EXPECT_FALSE(parker.park_for(patience));
        parker.unpark();
        EXPECT_TRUE(parker.park_for(patience));
    }
}

TEST(parker, an_unpark_after_a_deadline_is_kept_for_the_next_park) {
    futex_parker parker;
    EXPECT_FALSE(parker.park_for(10us));
    parker.unpark();
    parker.park();
    EXPECT_FALSE(parker.park_for(10us));
}

TEST(parker, endless_patience_waits_for_a_token) {
    futex_parker parker;
    const auto expect_woken = [&](auto park) {
        bool woken = false;
        {
            const observed_thread owner{[&] { woken = park(); }};
            EXPECT_TRUE(owner.falls_asleep());
            parker.unpark();
        }
        EXPECT_TRUE(woken);
    };
    expect_woken([&] { return parker.park_until(clock::time_point::max()); });
    expect_woken([&] { return parker.park_for(clock::duration::max()); });
}

TEST(parker, deadlines_and_unparks_that_meet_lose_no_token) {
    futex_parker parker;
    const auto rounds = scaled(2'000, 100'000);
    atomic<std::uint64_t> asked{0};
    atomic<std::uint64_t> answered{0};
    const thread other{{}, [&] {
                           for (std::uint64_t round = 1; round <= rounds; ++round) {
                               while (answered.load(relaxed) < round - 1) yield();
                               asked.store(round, relaxed);
                               parker.unpark();
                           }
                       }};
    // Exactly one token for each round, whether a deadline was near or not.
    std::uint64_t tokens = 0;
    while (tokens < rounds) {
        if (!parker.park_for(std::chrono::microseconds{tokens % 4})) continue;
        ++tokens;
        ASSERT_EQ(asked.load(relaxed), tokens);
        answered.store(tokens, relaxed);
    }
    EXPECT_FALSE(parker.park_until(clock::time_point{}));
}

// What a sleeping thread costs. The portable timed wait looks again from time to time, as it says.

void burn_cpu_time(std::int64_t nanoseconds) {
    const std::int64_t enough = test::cpu_time(CLOCK_THREAD_CPUTIME_ID) + nanoseconds;
    while (test::cpu_time(CLOCK_THREAD_CPUTIME_ID) < enough) pause();
}

/// It sleeps on all the time, unless we are stopped and continued meanwhile: then it goes to sleep
/// anew. The kernel says asleep a moment before it counts the sleep, too. So there is more than one
/// try.
void expect_to_cost_nothing_while_asleep(const observed_thread& sleeper) {
    constexpr std::int64_t while_we_burn = 50'000'000;
    bool slept_on = false;
    for (int tries = 0; tries < 50 && !slept_on; ++tries) {
        const auto sleeps = sleeper.sleeps();
        const auto used = sleeper.used_cpu_time();
        burn_cpu_time(while_we_burn);
        slept_on = sleeper.used_cpu_time() - used < while_we_burn / 2 && sleeper.sleeps() == sleeps;
    }
    EXPECT_TRUE(slept_on);
    EXPECT_FALSE(sleeper.ended());
}

TEST(futex_parker, a_parked_thread_costs_nothing) {
    basic_parker<futex_waiting> parker;
    const observed_thread owner{[&] { parker.park(); }};
    EXPECT_TRUE(owner.falls_asleep());
    expect_to_cost_nothing_while_asleep(owner);
    parker.unpark();
}

TEST(futex_parker, a_thread_parked_until_a_far_deadline_costs_nothing) {
    basic_parker<futex_waiting> parker;
    const observed_thread owner{[&] { parker.park_for(1h); }};
    EXPECT_TRUE(owner.falls_asleep());
    expect_to_cost_nothing_while_asleep(owner);
    parker.unpark();
}

} // namespace
} // namespace weft::inline v0::sync
