// Parkers under many threads, with deadlines that meet the wake-ups.
#include "support/scale.hpp"

#include <weft/detail/sync/parker.hpp>
#include <weft/detail/sync/thread.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace weft::inline v0::sync {
namespace {

using test::scaled;
using random_source = std::minstd_rand;

using futex_parker = basic_parker<futex_waiting>;

/// Sleeps for a token: without a deadline or, at random, in many short sleeps.
void take_token(futex_parker& parker, random_source& random) {
    constexpr unsigned ways = 4;
    constexpr unsigned longest = 50; // microseconds; about as long as a wake-up takes
    while (random() % ways != 0) {
        if (parker.park_for(std::chrono::microseconds{random() % longest})) return;
    }
    parker.park();
}

struct parker_stress : testing::Test {
    /// A token goes round, and with it the right to touch `handed_on`.
    static void go_round(std::size_t threads) {
        const std::uint64_t rounds = scaled(3'000, 100'000);
        std::vector<futex_parker> ring(threads);
        std::uint64_t handed_on = 0;
        std::uint64_t out_of_turn = 0;
        const auto run = [&](std::size_t self) {
            random_source random{static_cast<unsigned>(self) + 1};
            for (std::uint64_t round = 0; round < rounds; ++round) {
                take_token(ring[self], random);
                out_of_turn += handed_on != round * threads + self;
                ++handed_on;
                ring[(self + 1) % threads].unpark();
            }
        };
        {
            std::vector<thread> running;
            running.reserve(threads);
            for (std::size_t self = 0; self < threads; ++self) {
                running.emplace_back(thread_options{}, [&run, self] { run(self); });
            }
            ring.front().unpark();
        }
        EXPECT_EQ(handed_on, rounds * threads);
        EXPECT_EQ(out_of_turn, 0U);
        EXPECT_TRUE(ring.front().park_until(clock::time_point{})) << "the token is lost";
        for (auto& parker : ring) EXPECT_FALSE(parker.park_until(clock::time_point{}));
    }

    /// All wake one thread, which serves everything before it sleeps.
    static void all_wake_one(std::size_t threads) {
        const std::uint64_t each = scaled(30'000, 1'000'000);
        futex_parker parker;
        atomic<std::uint64_t> waiting{0};
        std::vector<thread> running;
        running.reserve(threads);
        for (std::size_t self = 0; self < threads; ++self) {
            running.emplace_back(thread_options{}, [&] {
                for (std::uint64_t round = 0; round < each; ++round) {
                    waiting.fetch_add(1U, relaxed);
                    parker.unpark();
                }
            });
        }
        random_source random{1};
        std::uint64_t served = 0;
        while (served < each * threads) {
            take_token(parker, random);
            served += waiting.exchange(0, relaxed);
        }
        EXPECT_EQ(served, each * threads);
    }
};

TEST_F(parker_stress, a_token_goes_round_two_threads) { go_round(2); }
TEST_F(parker_stress, a_token_goes_round_three_threads) { go_round(3); }
TEST_F(parker_stress, a_token_goes_round_eight_threads) { go_round(8); }

TEST_F(parker_stress, one_unparker_loses_no_wake_up) { all_wake_one(1); }
TEST_F(parker_stress, eight_unparkers_lose_no_wake_up) { all_wake_one(8); }

} // namespace
} // namespace weft::inline v0::sync
