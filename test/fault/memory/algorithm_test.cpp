#include <weft/algorithm.hpp>

#include "fault/memory/failing_memory.hpp"

#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <list>
#include <new>
#include <numeric>
#include <string>
#include <vector>

namespace weft::test {
namespace {

/// Calls `attempt` with each allocation failing in turn, until none is left to fail.
template <class Attempt>
void with_failing_memory(Attempt attempt) {
    bool failed = true;
    for (std::uint64_t number = 1; failed; ++number) failed = attempt(number);
}

std::vector<int> falling(int size) {
    std::vector<int> made(static_cast<std::size_t>(size));
    for (int i = 0; i != size; ++i) made[static_cast<std::size_t>(i)] = (size - i) * 37 % size;
    return made;
}

TEST(memory_of_algorithms, is_not_needed_by_loops_on_workers) {
    pool workers{2};
    std::vector<int> numbers = falling(20'000);
    std::vector<int> sums(numbers.size());
    workers.run([&] {
        const failing_memory none{1, failing::for_good};
        std::atomic<int> visited{0};
        parallel_for(0, 10'000, [&](int) { ++visited; }, {.grain = 10});
        EXPECT_EQ(visited, 10'000);
        EXPECT_EQ(parallel_reduce(numbers, 0L), 20'000L * 19'999 / 2);
        parallel_inclusive_scan(numbers, sums.begin());
        parallel_sort(numbers);
        EXPECT_TRUE(std::ranges::is_sorted(numbers));
    });
}

TEST(memory_of_algorithms, may_be_missing_in_a_stable_sort) {
    pool workers{2};
    with_failing_memory([&](std::uint64_t number) {
        std::vector<int> numbers = falling(5'000);
        bool failed = false;
        workers.run([&] {
            const failing_memory missing{number};
            parallel_stable_sort(numbers);
            failed = missing.failed();
        });
        EXPECT_TRUE(std::ranges::is_sorted(numbers));
        return failed;
    });
}

TEST(memory_of_algorithms, may_be_missing_in_a_loop_from_outside) {
    pool workers{2};
    with_failing_memory([&](std::uint64_t number) {
        std::vector<int> numbers(200'000);
        const failing_memory missing{number};
        parallel_for(workers, numbers, [](int& each) { ++each; });
        EXPECT_EQ(std::ranges::count(numbers, 1), 200'000);
        return missing.failed();
    });
}

TEST(memory_of_algorithms, fails_before_the_first_element_without_random_access) {
    pool workers{2};
    with_failing_memory([&](std::uint64_t number) {
        std::list<int> list(1'000);
        bool failed = false;
        workers.run([&] {
            try {
                const failing_memory missing{number};
                parallel_for_each(list, [](int& each) { ++each; });
            } catch (const std::bad_alloc&) {
                failed = true;
            }
        });
        EXPECT_EQ(std::ranges::count(list, failed ? 0 : 1), 1'000);
        return failed;
    });
}

} // namespace
} // namespace weft::test
