// Contracts under load: nothing is lost, nothing runs twice at once, everything ends.
#include "conform/cpp/rendezvous.hpp"
#include "support/scale.hpp"
#include "support/signal_set.hpp"

#include <weft/contract.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace weft {
namespace {

using namespace test;

/// Each signal that was newly set is taken once.
TEST(mark_tree_stress, what_is_newly_set_is_taken_once) {
    constexpr std::size_t signals = 300;
    const std::uint64_t each = scaled(sanitized ? 5'000 : 50'000, 5'000'000);
    signal_set all{signals, 32};
    all.tree.reserve(signals);
    std::atomic<std::uint64_t> set{0};
    std::atomic<std::uint64_t> selected{0};
    std::atomic<int> setting{2};
    std::vector<std::jthread> threads;
    for (std::uint64_t number = 0; number < 2; ++number) {
        threads.emplace_back([&, number] {
            std::uint64_t fresh = 0;
            for (std::uint64_t i = 0; i < each; ++i) {
                fresh += all.set((i * 7 + number * 13) % signals) ? 1 : 0;
            }
            set += fresh;
            --setting;
        });
        threads.emplace_back([&, number] {
            std::size_t next = number * 64;
            std::uint64_t taken = 0;
            for (;;) {
                const bool last = setting == 0;
                if (const auto found = all.take_first(next)) {
                    ++taken;
                    next = *found + 1;
                } else if (last) {
                    break;
                } else {
                    std::this_thread::yield();
                }
            }
            selected += taken;
        });
    }
    threads.clear();
    EXPECT_EQ(selected, set);
    EXPECT_TRUE(all.tree.empty());
}

class contract_stress : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(threads, contract_stress, testing::Values(1, 2, 3, 8, 64));

/// A contract that counts what it was sent, without an atomic: lost or doubled runs would show.
struct counting {
    std::atomic<std::uint64_t> sent{0};
    std::uint64_t received = 0;
    std::uint64_t runs = 0;
    void run() {
        received = sent.load(std::memory_order_relaxed);
        ++runs;
    }
};

TEST_P(contract_stress, what_is_sent_is_received_on_a_pool) {
    pool workers{GetParam()};
    std::vector<counting> all(70);
    {
        contract_group group{workers};
        std::vector<contract> contracts;
        for (counting& each : all) contracts.push_back(group.create([&each] { each.run(); }));
        std::vector<std::jthread> senders;
        for (int i = 0; i < 3; ++i) {
            senders.emplace_back([&] {
                for (std::uint64_t n = 0; n < scaled(sanitized ? 3'000 : 100'000, 1'000'000); ++n) {
                    all[n % all.size()].sent.fetch_add(1, std::memory_order_relaxed);
                    ASSERT_TRUE(contracts[n % all.size()].schedule());
                }
            });
        }
        senders.clear();
        group.wait();
        for (const counting& each : all) EXPECT_EQ(each.received, each.sent);
    }
    for (const counting& each : all) EXPECT_LE(each.runs, each.sent);
}

TEST_P(contract_stress, what_is_sent_is_received_by_threads_that_wait) {
    contract_group group;
    std::vector<counting> all(40);
    std::vector<contract> contracts;
    for (counting& each : all) contracts.push_back(group.create([&each] { each.run(); }));
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < GetParam(); ++i) {
        threads.emplace_back([&group, i] {
            if (i % 2 == 0) {
                while (group.execute_next_or_wait()) {
                }
            } else {
                while (group.size() != 0) {
                    group.execute_next_or_wait(std::chrono::microseconds{200});
                }
            }
        });
    }
    for (std::uint64_t n = 0; n < scaled(sanitized ? 3'000 : 100'000, 1'000'000); ++n) {
        all[n % all.size()].sent.fetch_add(1, std::memory_order_relaxed);
        ASSERT_TRUE(contracts[n % all.size()].schedule());
    }
    group.stop();
    threads.clear();
    for (const counting& each : all) EXPECT_EQ(each.received, each.sent);
}

/// Contracts are made, scheduled, moved to other priorities, released and dropped all the time,
/// while some runs take long, so that batches are freed.
TEST_P(contract_stress, a_life_of_all_kinds) {
    std::atomic<std::uint64_t> made{0};
    std::atomic<std::uint64_t> released{0};
    pool workers{GetParam()};
    {
        contract_group group{contract_group_options{.pool = &workers, .at_end = on_stop::cancel}};
        std::vector<std::jthread> users;
        for (std::uint64_t number = 0; number < 2; ++number) {
            users.emplace_back([&, number] {
                std::vector<contract> own(50);
                std::uint64_t state = number + 1;
                for (std::uint64_t n = 0; n < scaled(sanitized ? 1'000 : 40'000, 500'000); ++n) {
                    state = state * 6364136223846793005U + 1442695040888963407U;
                    contract& some = own[(state >> 33) % own.size()];
                    switch ((state >> 20) % 6) {
                    case 0:
                        ++made;
                        some = group.create(
                            [slow = (state >> 50) % 64 == 0,
                             again = 3](contract_token& token) mutable {
                                if (slow)
                                    std::this_thread::sleep_for(std::chrono::microseconds{100});
                                if (--again > 0) token.schedule();
                                else if (again < -5) token.release();
                            },
                            {.on_release = [&] { ++released; }});
                        break;
                    case 1: some.release(); break;
                    case 2: some.set_priority(static_cast<priority>((state >> 40) % 3)); break;
                    default: some.schedule();
                    }
                }
            });
        }
    }
    EXPECT_EQ(made, released);
}

TEST_P(contract_stress, groups_end_with_work_under_way) {
    pool workers{GetParam()};
    for (std::uint64_t i = 0; i < scaled(sanitized ? 20 : 500, 5'000); ++i) {
        std::atomic<int> released{0};
        std::vector<contract> all;
        contract_group group{contract_group_options{
            .pool = &workers, .at_end = i % 2 == 0 ? on_stop::drain : on_stop::cancel}};
        for (int each = 0; each < 40; ++each) {
            all.push_back(group.create([](contract_token& token) { token.schedule(); },
                                       {.on_release = [&] { ++released; }, .scheduled = true}));
        }
        group.stop(i % 2 == 0 ? on_stop::drain : on_stop::cancel);
        ASSERT_EQ(released, 40);
    }
}

} // namespace
} // namespace weft
