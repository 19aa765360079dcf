#include "support/scale.hpp"

#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/fence.hpp>
#include <weft/detail/sync/thread.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::inline v0::sync {
namespace {

/// Two threads go through numbered rounds, neither more than one ahead of the other.
class lockstep {
public:
    void begin(std::size_t self, std::uint64_t round) noexcept {
        reached_[self].value.store(round + 1, relaxed);
        // Seldom far, so look a while before giving way; with one CPU giving way is all that helps.
        for (unsigned looks = 0; reached_[1 - self].value.load(relaxed) <= round; ++looks) {
            if (looks % looks_before_yield == looks_before_yield - 1) yield();
            else pause();
        }
    }

private:
    static constexpr unsigned looks_before_yield = 64;

    struct alignas(64) position {
        atomic<std::uint64_t> value{0};
    };
    position reached_[2];
};

using flags = std::vector<atomic<std::uint8_t>>;

TEST(fence, of_two_threads_that_store_and_then_look_at_least_one_sees_the_other) {
    const std::uint64_t rounds = test::scaled(5'000, 2'000'000);
    flags stored[2]{flags(rounds), flags(rounds)};
    std::vector<std::uint8_t> seen[2]{std::vector<std::uint8_t>(rounds),
                                      std::vector<std::uint8_t>(rounds)};
    lockstep together;
    const auto run = [&](std::size_t self) {
        for (std::uint64_t round = 0; round < rounds; ++round) {
            together.begin(self, round);
            stored[self][round].store(1, relaxed);
            fence(seq_cst);
            seen[self][round] = stored[1 - self][round].load(relaxed);
        }
    };
    {
        const thread first{{}, [&] { run(0); }};
        const thread second{{}, [&] { run(1); }};
    }
    std::uint64_t both_missed = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        both_missed += seen[0][round] == 0 && seen[1][round] == 0;
    }
    EXPECT_EQ(both_missed, 0U) << "of " << rounds << " rounds";
}

using flag = atomic<std::uint8_t>;

/// Plain data, handed over by a relaxed store behind a fence; `receive` waits for it.
void expect_messages_to_arrive(auto writers_order, auto receive) {
    const std::uint64_t rounds = test::scaled(20'000, 500'000);
    std::vector<std::uint64_t> data(rounds);
    flags ready(rounds);
    std::uint64_t wrong = 0;
    {
        const thread writer{{}, [&] {
                                for (std::uint64_t round = 0; round < rounds; ++round) {
                                    data[round] = round + 1;
                                    fence(writers_order);
                                    ready[round].store(1, relaxed);
                                }
                            }};
        for (std::uint64_t round = 0; round < rounds; ++round) {
            receive(ready[round]);
            wrong += data[round] != round + 1;
        }
    }
    EXPECT_EQ(wrong, 0U) << "of " << rounds << " rounds";
}

auto receive_before(auto order) {
    return [=](const flag& ready) {
        while (ready.load(relaxed) == 0) yield();
        fence(order);
    };
}

TEST(fence, release_then_acquire_hands_over_plain_data) {
    expect_messages_to_arrive(release, receive_before(acquire));
}

TEST(fence, release_hands_over_plain_data_to_an_acquiring_load) {
    expect_messages_to_arrive(release, [](const flag& ready) {
        while (ready.load(acquire) == 0) yield();
    });
}

TEST(fence, acq_rel_hands_over_plain_data_in_either_place) {
    expect_messages_to_arrive(acq_rel, receive_before(acq_rel));
}

TEST(fence, seq_cst_hands_over_plain_data_in_either_place) {
    expect_messages_to_arrive(seq_cst, receive_before(seq_cst));
}

} // namespace
} // namespace weft::inline v0::sync
