// Contracts where two things meet: leaving and being due, waiting and throwing, ends and calls.
#include "conform/cpp/rendezvous.hpp"
#include "support/scale.hpp"

#include <weft/contract.hpp>
#include <weft/future.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

namespace weft {
namespace {

using namespace test;
using namespace std::chrono_literals;

/// While a contract that schedules itself runs, no waiter is notified of it. A thread that returns
/// and leaves it due notifies one.
TEST(contract_corners, a_thread_that_leaves_a_due_contract_notifies_a_waiter) {
    std::atomic<int> runs{0};
    contract_group group;
    std::optional<std::jthread> other;
    const contract some = group.create([&](contract_token& token) {
        if (++runs != 1) return;
        other.emplace([&] { EXPECT_TRUE(group.execute_next_or_wait()); });
        std::this_thread::sleep_for(50ms); // so that it sleeps, most likely
        token.schedule();
    });
    some.schedule();
    EXPECT_TRUE(group.try_execute_next());
    EXPECT_TRUE(comes_soon([&] { return runs == 2; })) << "no waiter was notified";
    group.stop(); // ends the waiter, if it was not notified
}

/// Two waiters are woken for two contracts that a third thread claims meanwhile; the first contract
/// takes long. The two waiters time out before they would have freed the second contract: they
/// notify the last waiter.
TEST(contract_corners, a_waiter_that_times_out_notifies_another) {
    for (std::uint64_t i = 0; i < scaled(30, 2'000); ++i) {
        std::atomic<bool> ran{false};
        bool came = false;
        contract_group group;
        const contract first = group.create([&] { came = comes_soon([&] { return ran.load(); }); });
        const contract second = group.create([&] { ran = true; });
        const auto deadline = std::chrono::steady_clock::now() + 4ms;
        const auto wait_a_little = [&] {
            group.execute_next_or_wait(deadline - std::chrono::steady_clock::now());
        };
        std::jthread one{wait_a_little};
        std::jthread another{wait_a_little};
        std::jthread last{[&] {
            while (group.execute_next_or_wait()) {
            }
        }};
        const auto moment = deadline - (i % 16) * 5us;
        spin_until([&] { return std::chrono::steady_clock::now() >= moment; });
        first.schedule();
        second.schedule();
        group.execute_some(2);
        group.stop();
        ASSERT_TRUE(came) << "round " << i;
    }
}

/// The two contracts are claimed together; the second one waits until the first has run again.
TEST(contract_corners, a_contract_that_schedules_itself_is_not_held_back_by_its_neighbour) {
    std::atomic<int> runs{0};
    bool came = false;
    contract_group group;
    const contract first = group.create([&](contract_token& token) {
        if (++runs == 1) token.schedule();
    });
    const contract second = group.create([&] { came = comes_soon([&] { return runs == 2; }); });
    first.schedule();
    second.schedule();
    std::atomic<bool> over{false};
    std::jthread other{[&] {
        spin_until([&] { return runs > 0; });
        while (!over) group.execute_some(1);
    }};
    group.wait();
    over = true;
    EXPECT_TRUE(came);
}

TEST(contract_corners, cancelling_begins_no_further_run) {
    event begun;
    std::atomic<int> runs{0};
    std::atomic<int> releases{0};
    contract_group group;
    std::vector<contract> all;
    const auto work = [&](contract_token& token) {
        ++runs;
        token.schedule();
        begun.happen();
        spin_until([&] { return !all.back().valid(); }); // the group is being stopped
    };
    for (int i = 0; i < 8; ++i) {
        all.push_back(group.create(work, {.on_release = [&] { ++releases; }, .scheduled = true}));
    }
    std::jthread other{[&] { group.execute_some(8); }};
    begun.await();
    group.stop(on_stop::cancel);
    EXPECT_EQ(releases, 8);
    EXPECT_LE(runs, 2) << "one that ran when it was stopped, and one that had just begun";
}

/// A caller that sees that nothing is due does not overlook an exception of the last run.
TEST(contract_corners, wait_does_not_overlook_an_exception) {
    pool workers{2};
    contract_group group{workers};
    const contract some = group.create([] { throw std::runtime_error{"again"}; });
    for (std::uint64_t i = 0; i < scaled(500, 20'000); ++i) {
        some.schedule();
        EXPECT_THROW(group.wait(), std::runtime_error);
        EXPECT_NO_THROW(group.wait());
    }
}

TEST(contract_corners, of_two_exceptions_each_waiter_gets_one) {
    pool workers{2};
    contract_group group{workers};
    for (std::uint64_t i = 0; i < scaled(200, 5'000); ++i) {
        event go;
        const auto work = [&] {
            go.await();
            throw std::runtime_error{"each"};
        };
        const contract first = group.create(work, {.scheduled = true});
        const contract second = group.create(work, {.scheduled = true});
        std::atomic<int> thrown{0};
        const auto wait = [&] {
            try {
                group.wait();
            } catch (const std::runtime_error&) {
                ++thrown;
            }
        };
        {
            const std::jthread other{wait};
            const std::jthread another{wait};
            go.happen();
        }
        while (thrown < 2) wait(); // one may have come when both were thrown
        EXPECT_EQ(thrown, 2);
        EXPECT_NO_THROW(group.wait());
    }
}

TEST(contract_corners, wait_ends_with_an_error_when_the_pool_has_stopped) {
    pool workers{2};
    contract_group group{workers};
    const contract some = group.create([] {});
    workers.stop();
    EXPECT_NO_THROW(group.wait()) << "nothing is due";
    some.schedule();
    EXPECT_EQ(error_of([&] { group.wait(); }), "stopped");

    contract_group late{workers};
    const contract other = late.create([] {}, {.scheduled = true});
    EXPECT_EQ(error_of([&] { late.wait(); }), "stopped");
}

TEST(contract_corners, a_waiter_is_woken_when_the_pool_stops) {
    pool workers{1};
    contract_group group{workers};
    const contract some = group.create([] {});
    event stopping;
    event begun;
    auto busy = workers.submit([&] {
        begun.happen();
        stopping.await();
    });
    begun.await();
    some.schedule(); // the only worker is busy, and finds the pool stopped then
    std::jthread waiter{[&] {
        const std::string outcome = error_of([&] { group.wait(); });
        EXPECT_EQ(outcome, "stopped");
    }};
    std::jthread stopper{[&] { workers.stop(); }};
    spin_until([&] { return error_of([&] { workers.submit([] {}); }) == "stopped"; });
    stopping.happen();
}

TEST(contract_corners, a_wait_may_have_the_longest_timeout) {
    contract_group group;
    std::jthread scheduler;
    const contract some = group.create([] {});
    scheduler = std::jthread{[&] {
        std::this_thread::sleep_for(5ms);
        some.schedule();
    }};
    EXPECT_TRUE(group.execute_next_or_wait(std::chrono::hours::max()));
    EXPECT_FALSE(group.execute_next_or_wait(std::chrono::hours::min()));
}

/// It is due all the time, in one priority or another.
TEST(contract_corners, wait_is_not_misled_by_a_change_of_priority) {
    std::atomic<std::uint64_t> runs{0};
    pool workers{2};
    contract_group group{workers};
    const contract some = group.create([&] { ++runs; });
    std::atomic<bool> over{false};
    std::jthread changer{[&] {
        for (unsigned i = 0; !over; ++i) some.set_priority(static_cast<priority>(i % 3));
    }};
    for (std::uint64_t i = 1; i <= scaled(2'000, 200'000); ++i) {
        some.schedule();
        group.wait();
        ASSERT_EQ(runs, i);
    }
    over = true;
}

/// Handles are used while the group and its pool end; they do nothing then.
TEST(contract_corners, handles_may_be_used_while_group_and_pool_end) {
    for (std::uint64_t i = 0; i < scaled(30, 2'000); ++i) {
        auto workers = std::make_unique<pool>(2);
        auto group = std::make_unique<contract_group>(*workers);
        std::array<contract, 3> all;
        for (contract& each : all) each = group->create([] {});
        std::atomic<int> begun{0};
        std::vector<std::jthread> users;
        for (contract& each : all) {
            users.emplace_back([&each, &begun] {
                ++begun;
                while (each.schedule()) each.set_priority(priority::high);
                each.release();
                EXPECT_FALSE(each.valid());
            });
        }
        spin_until([&] { return begun == 3; });
        group.reset();
        workers.reset();
    }
}

} // namespace
} // namespace weft
