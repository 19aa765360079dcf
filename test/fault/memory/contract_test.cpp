// Whichever allocation fails, creating a contract says so, and nothing that exists is lost.
#include "fault/memory/failing_memory.hpp"
#include "support/patience.hpp"

#include <weft/contract.hpp>
#include <weft/pool.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

namespace weft::test {
namespace {

/// Makes and uses contracts of all kinds until an allocation fails; what was made works all the
/// same.
bool use_contracts(std::uint64_t allocation, failing mode, pool* workers) {
    int made = 0;
    std::atomic<int> runs{0};
    std::atomic<int> released{0};
    bool failed = false;
    std::vector<contract> all;
    all.reserve(300);
    std::optional<contract_group> group;
    {
        const failing_memory memory{allocation, mode};
        try {
            group.emplace(contract_group_options{.pool = workers});
            for (int i = 0; i < 300; ++i) {
                std::array<char, 100> large{};
                if (i % 3 == 0) all.push_back(group->create([&runs] { ++runs; }));
                else if (i % 3 == 1)
                    all.push_back(group->create([&runs, large] { runs += 1 + large[0]; }));
                else
                    all.push_back(group->create([&runs] { ++runs; },
                                                {.on_release = [&released] { ++released; }}));
                ++made;
            }
        } catch (const std::bad_alloc&) {
            failed = true;
        }
        EXPECT_EQ(failed, memory.failed());
        for (const contract& each : all) EXPECT_TRUE(each.schedule());
    }
    if (group) {
        group->wait();
        EXPECT_EQ(runs, made) << "allocation " << allocation;
        EXPECT_EQ(group->size(), static_cast<std::size_t>(made));
        if (failed) { // and it is as good as before
            all.push_back(group->create([&runs] { ++runs; }, {.scheduled = true}));
            group->wait();
            EXPECT_EQ(runs, made + 1);
        }
    }
    group.reset();
    EXPECT_EQ(released, made / 3);
    return failed;
}

void for_each_allocation(failing mode, pool* workers) {
    std::uint64_t allocation = 1;
    while (use_contracts(allocation, mode, workers)) ASSERT_LT(++allocation, 10'000U);
    EXPECT_GT(allocation, 100U) << "too few allocations for this to test anything";
}

TEST(contract_memory, creating_fails_with_bad_alloc_and_loses_nothing) {
    for_each_allocation(failing::once, nullptr);
}
TEST(contract_memory, when_memory_ends_what_exists_goes_on) {
    for_each_allocation(failing::for_good, nullptr);
}
TEST(contract_memory, the_same_on_a_pool) {
    pool workers{2};
    for_each_allocation(failing::once, &workers);
}

/// Scheduling, running, releasing and ending need no memory.
TEST(contract_memory, is_not_needed_once_a_contract_exists) {
    int runs = 0;
    int released = 0;
    {
        contract_group group;
        contract some = group.create(
            [&](contract_token& token) {
                if (++runs < 3) token.schedule();
            },
            {.on_release = [&] { ++released; }});
        const failing_memory memory{1, failing::for_good};
        EXPECT_TRUE(some.schedule());
        EXPECT_EQ(group.execute_some(3), 3U);
        some.set_priority(priority::high);
        some.schedule();
        group.wait();
        some.release();
        group.stop();
        EXPECT_FALSE(memory.failed());
    }
    EXPECT_EQ(runs, 4);
    EXPECT_EQ(released, 1);
}

/// As many threads are inside as the group has seats for; there is no memory for another seat when
/// a worker comes. It comes again later.
TEST(contract_memory, a_worker_without_a_seat_comes_again) {
    pool workers{3}; // and one seat more
    std::atomic<int> busy{0};
    std::atomic<bool> go_on{false};
    std::atomic<int> inside{0};
    std::atomic<bool> leave{false};
    std::atomic<bool> ran{false};
    contract_group group{workers};
    contract_group other{workers};
    const auto yield_until = [](const auto& condition) {
        while (!condition()) std::this_thread::yield();
    };
    std::vector<contract> all;
    for (int i = 0; i < 3; ++i) {
        all.push_back(other.create(
            [&] {
                ++busy;
                yield_until([&] { return go_on.load(); });
            },
            {.scheduled = true}));
    }
    yield_until([&] { return busy == 3; });
    for (int i = 0; i < 4; ++i) {
        all.push_back(group.create(
            [&] {
                ++inside;
                yield_until([&] { return leave.load(); });
            },
            {.scheduled = true}));
    }
    std::vector<std::jthread> users;
    for (int i = 0; i < 4; ++i) {
        users.emplace_back([&] { yield_until([&] { return group.try_execute_next(); }); });
    }
    yield_until([&] { return inside == 4; });
    all.push_back(group.create([&] { ran = true; }));
    {
        const failing_memory memory{1, failing::for_good};
        all.back().schedule();
        go_on = true;
        yield_until([&] { return memory.failed(); });
        EXPECT_FALSE(ran);
    }
    yield_until([&] { return ran.load(); });
    leave = true;
}

TEST(contract_memory, a_group_that_cannot_be_made_keeps_nothing) {
    bool failed = true;
    std::uint64_t allocation = 0;
    while (failed) {
        const std::int64_t before = live_allocations();
        try {
            const failing_memory memory{++allocation};
            contract_group group{1000};
            static_cast<void>(group.create([] {}, {.on_release = [] {}}));
            failed = false;
        } catch (const std::bad_alloc&) {
            EXPECT_EQ(live_allocations(), before) << "allocation " << allocation;
        }
    }
    EXPECT_GT(allocation, 10U) << "too few allocations for this to test anything";
}

/// All workers of a large pool, and a thread that drives the group too, run contracts at the same
/// time.
TEST(contract_memory, is_not_needed_for_the_seats_of_workers) {
    constexpr std::size_t count = 8;
    pool workers{count};
    contract_group group{workers};
    std::atomic<std::size_t> inside{0};
    std::atomic<bool> met{true};
    std::vector<contract> all;
    for (std::size_t i = 0; i < count + 1; ++i) {
        all.push_back(group.create([&] {
            ++inside;
            patience left;
            while (inside < count + 1 && met) {
                if (left.is_over()) met = false;
                std::this_thread::yield();
            }
        }));
    }
    {
        const failing_memory memory{1, failing::for_good};
        for (const contract& each : all) each.schedule();
        while (inside < count && met) std::this_thread::yield();
        while (inside < count + 1 && met) EXPECT_NO_THROW(group.try_execute_next());
        group.wait();
    }
    EXPECT_TRUE(met);
    EXPECT_EQ(inside, count + 1);
}

/// All seats are taken, and there is no memory for another: the end waits until one is left.
TEST(contract_memory, a_group_ends_without_a_seat) {
    contract_group group;
    std::atomic<int> inside{0};
    std::atomic<bool> leave{false};
    std::atomic<const failing_memory*> ending{nullptr};
    const auto yield_until = [](const auto& condition) {
        while (!condition()) std::this_thread::yield();
    };
    std::vector<contract> all;
    std::vector<std::jthread> users;
    for (int i = 0; i < 4; ++i) {
        all.push_back(group.create(
            [&] {
                ++inside;
                yield_until([&] { return leave.load(); });
            },
            {.scheduled = true}));
        users.emplace_back([&] { yield_until([&] { return group.try_execute_next(); }); });
        yield_until([&] { return inside == i + 1; });
    }
    users.emplace_back([&] {
        yield_until([&] { return ending != nullptr; });
        yield_until([&] { return ending.load()->failed(); });
        leave = true;
    });
    {
        const failing_memory memory{1, failing::for_good};
        ending = &memory;
        group.stop();
        EXPECT_TRUE(leave);
    }
    EXPECT_EQ(group.size(), 0U);
}

/// Work whose move throws is not created.
TEST(contract_memory, work_that_cannot_be_moved_is_refused) {
    struct stubborn {
        explicit stubborn(bool throws) : throws_{throws} {}
        stubborn(stubborn&& other) : throws_{other.throws_} {
            if (throws_) throw std::runtime_error{"no"};
        }
        void operator()() const {}
        bool throws_;
    };
    contract_group group{1};
    EXPECT_THROW(static_cast<void>(group.create(stubborn{true})), std::runtime_error);
    EXPECT_EQ(group.size(), 0U);
    const contract some = group.create(stubborn{false});
    EXPECT_TRUE(some.valid());
}

} // namespace
} // namespace weft::test
