// The parallel algorithms at the ends of what they accept: huge ranges and grains, iterators that
// are not pointers, and pools that are not the caller's.
#include "conform/cpp/algorithm_cases.hpp"

#include <weft/algorithm.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace weft {
namespace {

using namespace test;

class algorithm_limits_on : public algorithm_on {};
INSTANTIATE_TEST_SUITE_P(workers, algorithm_limits_on, testing::Values(1, 2, 3));

constexpr std::size_t most_indices = std::numeric_limits<std::size_t>::max();

// Numbers of indices

/// The parts are counted and not the indices, of which there are too many. Without a grain the
/// parts would have few indices, since a part seems to take long for them.
TEST_P(algorithm_limits_on, a_range_of_all_indices_ends) {
    const parallel_options large_parts{.grain = most_indices / 64};
    for (const index_range whole : {index_range{0, most_indices}, index_range{5, most_indices / 2},
                                    index_range{most_indices - 3, most_indices}}) {
        for (const bool outside : {false, true}) {
            std::atomic<std::size_t> sum{0};
            const auto add = [&](const index_range& part) { sum += part.size(); };
            if (outside) parallel_for(workers, whole, add, large_parts);
            else workers.run([&] { parallel_for(whole, add, large_parts); });
            EXPECT_EQ(sum, whole.size());
        }
    }
}

/// Further from the first index to the last than the type can say.
TEST_P(algorithm_limits_on, indices_of_the_whole_type_are_the_right_ones) {
    workers.run([] {
        std::atomic<int> wrong{0};
        std::array<std::atomic<int>, 255> visits{};
        parallel_for(std::int8_t{-128}, std::int8_t{127},
                     [&](std::int8_t index) { ++visits[static_cast<std::size_t>(index + 128)]; });
        for (const auto& each : visits) wrong += each == 1 ? 0 : 1;
        EXPECT_EQ(wrong, 0);
        EXPECT_EQ(parallel_transform_reduce(std::int8_t{-128}, std::int8_t{127}, 0, std::plus<>{},
                                            [](std::int8_t index) { return int{index}; }),
                  -255);
    });
}

/// The second half of the range, which another worker runs, is behind the largest difference.
TEST_P(algorithm_limits_on, a_range_across_zero_is_divided_in_the_middle) {
    if (GetParam() == 1) return;
    constexpr int least = std::numeric_limits<int>::min();
    constexpr int most = std::numeric_limits<int>::max();
    workers.run([&] {
        std::atomic<bool> right{false};
        const auto check = [&](int index) {
            if (index < 0) { // until somebody has come
                if (right) throw thrown_at{0};
                return 0;
            }
            right = true;
            throw thrown_at{static_cast<std::size_t>(index)};
        };
        const parallel_options options{.grain = 1};
        EXPECT_THROW(parallel_for(least, most, check, options), thrown_at);
        EXPECT_TRUE(right);
        right = false;
        EXPECT_THROW(parallel_transform_reduce(least, most, 0, std::plus<>{}, check, options),
                     thrown_at);
        EXPECT_TRUE(right);
    });
}

// Grains

TEST_P(algorithm_limits_on, a_grain_may_be_larger_than_any_range) {
    for (const std::size_t grain : {most_indices, most_indices / 2, std::size_t{1} << 32U}) {
        for (const std::size_t size : {0U, 1U, 2U, 3U, 5'000U}) {
            std::vector<int> numbers = random_numbers(random, size);
            const auto sum = std::accumulate(numbers.begin(), numbers.end(), 0);
            auto expected = numbers;
            std::ranges::sort(expected);
            workers.run([&] {
                for (const bool fixed : {false, true}) {
                    const parallel_options options{.grain = grain, .reproducible = fixed};
                    EXPECT_EQ(parallel_reduce(numbers, 0, std::plus<>{}, options), sum);
                    std::vector<int> sums(size);
                    parallel_inclusive_scan(numbers, sums.begin(), std::plus<>{}, options);
                    EXPECT_TRUE(sums.empty() || sums.back() == sum);
                    auto sorted = numbers;
                    parallel_sort(sorted, {}, {}, options);
                    EXPECT_TRUE(sorted == expected);
                    sorted = numbers;
                    parallel_stable_sort(sorted, {}, {}, options);
                    EXPECT_TRUE(sorted == expected);
                    const auto small = [](int each) { return each < 500; };
                    std::vector<int> chosen(size);
                    const auto end = parallel_copy_if(numbers, chosen.begin(), small, {}, options);
                    EXPECT_EQ(end - chosen.begin(), std::ranges::count_if(numbers, small));
                    sorted = numbers;
                    const auto border = parallel_partition(sorted, small, {}, options);
                    EXPECT_EQ(border - sorted.begin(), end - chosen.begin());
                    std::size_t cells = 0;
                    parallel_for(
                        block_2d{{0, 1}, {0, size}},
                        [&](const block_2d& part) { cells += part.size(); }, options);
                    EXPECT_EQ(cells, size);
                }
            });
        }
    }
}

/// Also where the calling thread runs the first part, and where parts end at cache lines.
TEST_P(algorithm_limits_on, every_part_has_the_grain_wherever_it_runs) {
    struct shape {
        std::size_t grain;
        std::size_t size;
    };
    for (const auto& [grain, size] : {shape{10, 15},
                                      {10, 19},
                                      {10, 20},
                                      {7, 1'000},
                                      {1, 100},
                                      {3'000, 9'000},
                                      {3'001, 30'011},
                                      {2'048, 100'000}}) {
        for (const bool outside : {false, true}) {
            for (int round = 0; round != 20; ++round) {
                std::atomic<std::size_t> sum{0};
                std::atomic<int> wrong{0};
                const auto add = [&, least = grain](const index_range& part) {
                    sum += part.size();
                    wrong += part.size() < least || part.size() >= 2 * least ? 1 : 0;
                };
                const index_range whole{1, 1 + size};
                const parallel_options options{.grain = grain};
                if (outside) parallel_for(workers, whole, add, options);
                else workers.run([&] { parallel_for(whole, add, options); });
                EXPECT_EQ(sum, size);
                ASSERT_EQ(wrong, 0) << grain << " of " << size << (outside ? " outside" : "");
            }
        }
    }
}

// Elements

/// The sums of several blocks are kept on the stack.
TEST_P(algorithm_limits_on, large_elements_are_scanned) {
    struct large {
        std::array<int, 75'000> content{};
    };
    const auto add = [](const large& one, const large& other) {
        auto sum = std::make_unique<large>(one);
        for (std::size_t i = 0; i < sum->content.size(); i += 1'000) {
            sum->content[i] += other.content[i];
        }
        return *sum;
    };
    std::vector<large> values(24);
    for (large& each : values) each.content[3'000] = 1;
    workers.run([&] { parallel_inclusive_scan(values, values.begin(), add, {.grain = 1}); });
    for (std::size_t i = 0; i != values.size(); ++i) {
        EXPECT_EQ(values[i].content[3'000], static_cast<int>(i + 1));
    }
}

// Pools

/// On a worker of another pool nothing may be left to that pool's other workers.
TEST(algorithm_limits, a_call_on_a_foreign_worker_uses_the_named_pool) {
    pool caller{3};
    pool named{2};
    caller.run([&] {
        const auto own = std::this_thread::get_id();
        std::atomic<int> wrong{0};
        const auto look = [&](int index) {
            wrong += std::this_thread::get_id() != own && pool::current() != &named ? 1 : 0;
            const auto begin = std::chrono::steady_clock::now();
            while (std::chrono::steady_clock::now() - begin < std::chrono::microseconds{5}) {
            }
            return index;
        };
        for (const bool fixed : {false, true}) {
            const parallel_options options{.reproducible = fixed};
            EXPECT_EQ(parallel_transform_reduce(named, 0, 1'000, 0, std::plus<>{}, look, options),
                      499'500);
        }
        std::vector<int> numbers(1'000);
        const auto less = [&](int a, int b) { return look(a) < look(b); };
        parallel_sort(named, numbers, less);
        parallel_stable_sort(named, numbers, less);
        EXPECT_EQ(wrong, 0);
    });
}

/// From outside: the call is complete, or its error says that the pool has ended.
TEST(algorithm_limits, a_pool_that_stops_during_a_call_ends_it_or_completes_it) {
    const std::vector<int> numbers(60'000, 1);
    for (std::uint64_t round = 0; round != scaled(60, 1'000); ++round) {
        pool workers{2};
        std::atomic<std::size_t> visited{0};
        std::atomic<bool> begun{false};
        std::string outcome;
        std::jthread caller{[&] {
            const parallel_options options{.grain = 100, .starts_here = round % 2 == 0};
            outcome = error_of([&] {
                begun = true;
                if (round % 3 == 0) {
                    visited = static_cast<std::size_t>(
                        parallel_reduce(workers, numbers, 0, std::plus<>{}, options));
                } else if (round % 3 == 1) {
                    parallel_for(workers, numbers, [&](int) { ++visited; }, options);
                } else {
                    std::vector<int> mixed = numbers;
                    mixed.front() = 2;
                    parallel_stable_sort(workers, mixed, {}, {}, options);
                    visited = mixed.back() == 2 ? numbers.size() : 0;
                }
            });
        }};
        spin_until([&] { return begun.load(); });
        for (std::uint64_t i = 0; i != round % 50; ++i) std::this_thread::yield();
        workers.stop(round % 5 == 0 ? on_stop::drain : on_stop::cancel);
        caller.join();
        if (outcome == "none") {
            EXPECT_EQ(visited, numbers.size()) << round;
        } else {
            EXPECT_TRUE(outcome == "stopped" || outcome == "not_run") << outcome;
        }
    }
}

} // namespace
} // namespace weft
