// What threads take first: fair, by priority, by position, by a function of the depth; per thread,
// and changed at any time.
#include "conform/cpp/rendezvous.hpp"
#include "support/scale.hpp"

#include <weft/contract.hpp>
#include <weft/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace weft {
namespace {

using namespace test;
using namespace std::chrono_literals;

/// Contracts that are always due, and count their runs.
struct busy_contracts {
    std::atomic<bool> stop{false};
    std::vector<std::atomic<int>> runs;
    contract_group group; // behind what its contracts use
    std::vector<contract> all;

    explicit busy_contracts(std::size_t count, contract_group_options options = {})
        : runs(count), group{std::move(options)} {}
    busy_contracts(const busy_contracts&) = delete;
    busy_contracts& operator=(const busy_contracts&) = delete;
    ~busy_contracts() { stop = true; }

    void create(priority level = priority::normal) {
        std::atomic<int>& own = runs[all.size()];
        all.push_back(group.create(
            [this, &own](contract_token& token) {
                own.fetch_add(1, std::memory_order_relaxed);
                if (!stop.load(std::memory_order_relaxed)) token.schedule();
            },
            {.priority = level}));
    }
    void create_all() {
        while (all.size() < runs.size()) create();
    }
    void schedule_all() const {
        for (const contract& each : all) each.schedule();
    }
    [[nodiscard]] int sum(std::size_t first, std::size_t last) const {
        int total = 0;
        for (std::size_t i = first; i < last; ++i) total += runs[i].load();
        return total;
    }
    /// The coefficient of variation of the runs of some contracts.
    [[nodiscard]] double variation(std::size_t first, std::size_t last) const {
        const double count = static_cast<double>(last - first);
        const double mean = sum(first, last) / count;
        double squares = 0;
        for (std::size_t i = first; i < last; ++i) {
            squares += (runs[i].load() - mean) * (runs[i].load() - mean);
        }
        return std::sqrt(squares / count) / mean;
    }
};

TEST(contract_bias, positions_are_in_the_order_of_creation) {
    contract_group group;
    std::vector<contract> all;
    for (std::size_t i = 0; i < 100; ++i) {
        all.push_back(group.create([] {}));
        EXPECT_EQ(all.back().position(), i);
    }
    EXPECT_EQ(group.levels(), 7U);
    EXPECT_EQ(contract{}.position(), 0U);
}

TEST(contract_bias, a_preferred_priority_comes_before_higher_ones) {
    std::string order;
    contract_group group;
    const contract high = group.create([&] { order += 'h'; }, {.priority = priority::high});
    const contract normal = group.create([&] { order += 'n'; });
    const contract low = group.create([&] { order += 'l'; }, {.priority = priority::low});
    for (int i = 0; i < 2; ++i) {
        for (const contract* each : {&high, &normal, &low}) each->schedule();
        const auto bias = selection_bias::prefer(i == 0 ? priority::low : priority::normal);
        while (group.execute_next_contract(bias)) {
        }
    }
    EXPECT_EQ(order, "lhnnhl");
}

TEST(contract_bias, a_preferred_range_comes_first) {
    std::vector<std::size_t> order;
    contract_group group;
    std::vector<contract> all;
    for (std::size_t i = 0; i < 200; ++i)
        all.push_back(group.create([&order, i] { order.push_back(i); }));
    for (const std::size_t each : {3U, 190U, 70U, 65U, 69U}) all[each].schedule();
    while (group.try_execute_next(selection_bias::prefer(65, 70))) {
    }
    EXPECT_EQ(order, (std::vector<std::size_t>{65, 69, 3, 70, 190}));
}

TEST(contract_bias, a_function_of_the_depth_says_which_half_is_run) {
    std::vector<std::size_t> order;
    contract_group group;
    std::vector<contract> all;
    for (std::size_t i = 0; i < 256; ++i)
        all.push_back(group.create([&order, i] { order.push_back(i); }));
    const auto path = [](unsigned leaf) {
        return selection_bias::by_depth(
                   [leaf](unsigned depth) noexcept { return (leaf >> (7 - depth) & 1) != 0; })
            .strict();
    };
    for (const std::size_t each : {0U, 40U, 41U, 100U, 200U}) all[each].schedule();
    for (const unsigned leaf : {41U, 255U, 43U, 127U, 8U})
        EXPECT_TRUE(group.try_execute_next(path(leaf)));
    EXPECT_FALSE(group.try_execute_next(path(0)));
    EXPECT_EQ(order, (std::vector<std::size_t>{41, 200, 40, 100, 0}));
}

/// Single calls and batches, at occupancies that fill no block.
TEST(contract_bias, what_is_preferred_is_fair_among_itself) {
    for (const std::size_t most : {1U, 7U, 256U}) {
        busy_contracts busy{300};
        busy.create_all();
        busy.schedule_all();
        const auto bias = selection_bias::prefer(33, 150).strict();
        for (std::size_t done = 0; done < 117 * 40;) {
            done += busy.group.execute_some(std::min(most, 117 * 40 - done), bias);
        }
        EXPECT_EQ(busy.sum(0, 33) + busy.sum(150, 300), 0) << "strict: nothing else";
        EXPECT_LE(busy.variation(33, 150), 0.03) << most;
    }
}

/// By priority, in turns of one: 15 of 16 for the preferred one, whatever its class.
TEST(contract_bias, a_preferred_priority_leaves_one_turn_in_16) {
    for (const priority level : {priority::high, priority::normal, priority::low}) {
        busy_contracts busy{96};
        for (int i = 0; i < 32; ++i) {
            for (const priority each : {priority::high, priority::normal, priority::low})
                busy.create(each);
        }
        busy.schedule_all();
        const auto bias = selection_bias::prefer(level);
        for (int i = 0; i < 21 * 160; ++i) busy.group.try_execute_next(bias);
        std::array<int, 3> sums{};
        for (std::size_t i = 0; i < 96; ++i) sums[i % 3] += busy.runs[i];
        EXPECT_GE(sums[static_cast<std::size_t>(level)], 21 * 150);
        for (const int each : sums) EXPECT_GT(each, 0) << "no priority starves";
    }
}

TEST(contract_bias, a_strict_thread_takes_nothing_else) {
    busy_contracts busy{64};
    for (int i = 0; i < 32; ++i) {
        busy.create(priority::high);
        busy.create(priority::low);
    }
    busy.schedule_all();
    const auto bias = selection_bias::prefer(priority::low).strict();
    for (int i = 0; i < 1'000; ++i) busy.group.try_execute_next(bias);
    int high = 0;
    for (std::size_t i = 0; i < 64; i += 2) high += busy.runs[i];
    EXPECT_EQ(high, 0);
    busy.group.try_execute_next();
    for (std::size_t i = 0; i < 64; i += 2) high += busy.runs[i];
    EXPECT_EQ(high, 1) << "the next call is fair again";
}

TEST(contract_bias, a_run_sees_the_release_whatever_the_bias) {
    int released = 0;
    contract_group group;
    contract some = group.create([] {}, {.on_release = [&] { ++released; }});
    some.release();
    EXPECT_TRUE(group.try_execute_next(selection_bias::prefer(500, 600).strict()));
    EXPECT_EQ(released, 1);
}

TEST(contract_bias, waits_with_a_bias_end_as_without) {
    contract_group group;
    const auto bias = selection_bias::prefer(priority::high).strict();
    EXPECT_FALSE(group.execute_next_or_wait(1ms, bias));
    const contract some = group.create([] {}, {.scheduled = true});
    EXPECT_TRUE(group.execute_next_or_wait(bias));
    group.stop();
    EXPECT_FALSE(group.execute_next_or_wait(bias));
}

TEST(contract_bias, workers_need_a_pool_that_has_them) {
    const auto code = [](const auto& call) {
        try {
            call();
        } catch (const error& each) {
            return std::string{each.what()}.substr(0, 6) + std::string{name_of(each.code())};
        }
        return std::string{"none"};
    };
    contract_group without;
    EXPECT_EQ(code([&] { without.set_worker_bias(0, {}); }), "weft::invalid_argument");
    pool two{2};
    contract_group with{two};
    EXPECT_EQ(code([&] { with.set_worker_bias(1, selection_bias::prefer(0, 3)); }), "none");
    EXPECT_EQ(code([&] { with.set_worker_bias(2, {}); }), "weft::invalid_argument");
    EXPECT_EQ(code([&] {
                  const contract_group group{
                      contract_group_options{.pool = &two, .worker_biases = {{}, {}, {}}}};
              }),
              "weft::invalid_argument");
}

class biased_pool : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(workers, biased_pool, testing::Values(1, 2, 8));

/// The workers' biases change all the time: every contract is run, none starves, none runs at once.
TEST_P(biased_pool, biases_change_while_workers_run) {
    pool workers{GetParam()};
    busy_contracts busy{
        100, contract_group_options{.pool = &workers,
                                    .worker_biases = {selection_bias::prefer(priority::high)}}};
    std::vector<int> inside(100); // not atomic: a contract never runs concurrently with itself
    for (std::size_t i = 0; i < 100; ++i) busy.create(static_cast<priority>(i % 3));
    busy.schedule_all();
    const std::vector<selection_bias> biases{
        selection_bias::fair(), selection_bias::prefer(priority::low),
        selection_bias::prefer(10, 40), selection_bias::prefer(0, 5).fair_turn_in(3),
        selection_bias::by_depth(
            [](unsigned depth, std::uint64_t turn) noexcept { return (turn >> depth & 1) != 0; })};
    std::vector<std::jthread> changers;
    for (std::size_t number = 0; number < 2; ++number) {
        changers.emplace_back([&, number] {
            for (std::size_t i = 0; i < scaled(500, 20'000); ++i) {
                busy.group.set_worker_bias(i % GetParam(), biases[(i + number) % biases.size()]);
            }
        });
    }
    changers.clear();
    // One in 16 turns is fair, whatever the biases are now.
    spin_until(
        [&] { return std::ranges::all_of(busy.runs, [](const auto& each) { return each > 2; }); });
    busy.stop = true;
    busy.group.wait();
}

/// What a worker prefers, it runs; what it does not, the fair turns of all workers run.
TEST_P(biased_pool, a_worker_follows_its_bias) {
    pool workers{GetParam()};
    busy_contracts busy{128,
                        contract_group_options{.pool = &workers,
                                               .worker_biases = std::vector<selection_bias>(
                                                   GetParam(), selection_bias::prefer(96, 128))}};
    busy.create_all();
    busy.schedule_all();
    spin_until([&] { return busy.sum(0, 128) > 100'000; });
    EXPECT_GT(busy.sum(0, 96), 0) << "nothing starves";
    if (GetParam() == 1) {
        EXPECT_GT(busy.sum(96, 128), busy.sum(0, 96));
    }
    busy.stop = true;
    busy.group.wait();
}

/// A function that is replaced is destroyed, and so is the last one, with the group.
TEST_P(biased_pool, functions_of_biases_are_destroyed) {
    const auto counted = std::make_shared<int>(0);
    {
        pool workers{GetParam()};
        contract_group group{workers};
        for (std::size_t i = 0; i < 100; ++i) {
            group.set_worker_bias(
                i % GetParam(),
                selection_bias::by_depth([counted](unsigned) noexcept { return true; }));
            const contract some = group.create([] {}, {.scheduled = true});
            if (i % 10 == 0) group.wait();
        }
    }
    EXPECT_EQ(counted.use_count(), 1);
}

/// Threads of their own: the first is fair, the others are strict. What the strict ones leave is
/// run as often as the fair one has turns.
TEST(contract_bias, a_fair_thread_runs_what_strict_ones_leave) {
    busy_contracts busy{256};
    busy.create_all();
    busy.schedule_all();
    std::vector<std::jthread> threads;
    for (int number = 0; number < 3; ++number) {
        threads.emplace_back([&, number] {
            const auto bias =
                number == 0 ? selection_bias::fair() : selection_bias::prefer(0, 64).strict();
            while (!busy.stop) busy.group.execute_some(64, bias);
        });
    }
    spin_until([&] { return busy.runs[255] > 20 && busy.runs[0] > 20 && busy.runs[130] > 20; });
    busy.stop = true;
}

} // namespace
} // namespace weft
