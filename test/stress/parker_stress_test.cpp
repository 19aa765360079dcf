// Parkers under many threads, with deadlines that meet the wake-ups.
#include "support/scale.hpp"
#include "unit/sync/waitings.hpp"

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

/// Sleeps for a token: for good or, as chance has it, in many short sleeps.
template <class Waiting>
void take_token(basic_parker<Waiting>& parker, random_source& random) {
    constexpr unsigned ways = 4;
    constexpr unsigned longest = 50; // microseconds; about as long as a wake-up takes
    while (random() % ways != 0) {
        if (parker.park_for(std::chrono::microseconds{random() % longest})) return;
    }
    parker.park();
}

template <class Waiting>
struct parker_stress : testing::Test {
    /// A token goes round, and with it the right to touch `handed_on`.
    static void go_round(std::size_t threads) {
        const std::uint64_t rounds = scaled(3'000, 100'000);
        std::vector<basic_parker<Waiting>> ring(threads);
        std::uint64_t handed_on = 0;
        std::uint64_t out_of_turn = 0;
        const auto run = [&](std::size_t me) {
            random_source random{static_cast<unsigned>(me) + 1};
            for (std::uint64_t round = 0; round < rounds; ++round) {
                take_token(ring[me], random);
                out_of_turn += handed_on != round * threads + me;
                ++handed_on;
                ring[(me + 1) % threads].unpark();
            }
        };
        {
            std::vector<thread> running;
            running.reserve(threads);
            for (std::size_t me = 0; me < threads; ++me) {
                running.emplace_back(thread_options{}, [&run, me] { run(me); });
            }
            ring.front().unpark();
        }
        EXPECT_EQ(handed_on, rounds * threads);
        EXPECT_EQ(out_of_turn, 0U);
        EXPECT_TRUE(ring.front().park_until(clock::time_point{})) << "the token is lost";
        for (auto& parker : ring) EXPECT_FALSE(parker.park_until(clock::time_point{}));
    }

    /// All wake one, who sees to it that nothing is left when it sleeps.
    static void all_wake_one(std::size_t threads) {
        const std::uint64_t each = scaled(30'000, 1'000'000);
        basic_parker<Waiting> parker;
        atomic<std::uint64_t> waiting{0};
        std::vector<thread> running;
        running.reserve(threads);
        for (std::size_t me = 0; me < threads; ++me) {
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

TYPED_TEST_SUITE(parker_stress, test::waitings, test::waiting_name);

TYPED_TEST(parker_stress, a_token_goes_round_two_threads) { this->go_round(2); }
TYPED_TEST(parker_stress, a_token_goes_round_three_threads) { this->go_round(3); }
TYPED_TEST(parker_stress, a_token_goes_round_eight_threads) { this->go_round(8); }

TYPED_TEST(parker_stress, one_unparker_loses_no_wake_up) { this->all_wake_one(1); }
TYPED_TEST(parker_stress, eight_unparkers_lose_no_wake_up) { this->all_wake_one(8); }

} // namespace
} // namespace weft::inline v0::sync
