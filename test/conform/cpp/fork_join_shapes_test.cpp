// Computations of all shapes: balanced, unbalanced, deep, too deep, and large.
#include "conform/cpp/rendezvous.hpp"
#include "support/scale.hpp"

#include <weft/fork_join.hpp>
#include <weft/future.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

namespace weft {
namespace {

using namespace test;

class shapes_on : public testing::TestWithParam<std::size_t> {
protected:
    pool workers{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(workers, shapes_on, testing::Values(1, 2, 3, 8, 64));

std::uint64_t serial_fibonacci(unsigned n) {
    return n < 2 ? n : serial_fibonacci(n - 1) + serial_fibonacci(n - 2);
}

std::uint64_t fibonacci(unsigned n) {
    if (n < 2) return n;
    const auto [a, b] =
        fork_join([n] { return fibonacci(n - 1); }, [n] { return fibonacci(n - 2); });
    return a + b;
}

TEST_P(shapes_on, a_deeply_nested_computation_is_right) {
    EXPECT_EQ(workers.run([] { return fibonacci(18); }), serial_fibonacci(18));
}

/// The number of nodes of a random tree, whose shape depends on nothing but its seed.
std::uint64_t nodes_of_random_tree(std::uint64_t seed, unsigned depth) {
    seed = (seed ^ (seed >> 29)) * 0xbf58476d1ce4e5b9ULL;
    if (depth == 0 || seed % 16 == 0) return 1;
    const auto below = [=](std::uint64_t side) {
        const unsigned less = 1 + static_cast<unsigned>((seed >> (side * 8)) % 5);
        return nodes_of_random_tree(seed + side, depth > less ? depth - less : 0);
    };
    if (pool::current() == nullptr) return 1 + below(1) + below(2);
    const auto [left, right] = fork_join([&] { return below(1); }, [&] { return below(2); });
    return 1 + left + right;
}

TEST_P(shapes_on, unbalanced_trees_are_counted_right) {
    for (std::uint64_t seed = 1; seed <= scaled(10, 200); ++seed) {
        EXPECT_EQ(workers.run([=] { return nodes_of_random_tree(seed, 30); }),
                  nodes_of_random_tree(seed, 30))
            << seed;
    }
}

std::uint64_t left_chain(std::uint64_t length) {
    if (length == 0) return 0;
    const auto [below, here] =
        fork_join([=] { return left_chain(length - 1); }, [] { return std::uint64_t{1}; });
    return below + here;
}

std::uint64_t right_chain(std::uint64_t length) {
    if (length == 0) return 0;
    const auto [here, below] =
        fork_join([] { return std::uint64_t{1}; }, [=] { return right_chain(length - 1); });
    return below + here;
}

/// Sanitizers make every frame several times as large, and so does code that is not optimised.
#ifdef __OPTIMIZE__
constexpr std::size_t stack_factor = sanitized ? 16 : 1;
#else
constexpr std::size_t stack_factor = 16;
#endif

TEST_P(shapes_on, twenty_thousand_levels_fit_into_an_ordinary_stack) {
    pool deep{pool_options{.workers = GetParam(), .stack_size = stack_factor * (8U << 20)}};
    EXPECT_EQ(deep.run([] { return left_chain(20'000); }), 20'000U);
    EXPECT_EQ(deep.run([] { return right_chain(20'000); }), 20'000U);
}

class deep_fork_join_on : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(workers, deep_fork_join_on, testing::Values(1, 2, 3));

TEST_P(deep_fork_join_on, a_million_levels_fit_into_a_large_stack) {
    if (sanitized) GTEST_SKIP() << "frames are several times as large";
    pool deep{pool_options{.workers = GetParam(), .stack_size = std::size_t{1} << 30}};
    EXPECT_EQ(deep.run([] { return left_chain(1'000'000); }), 1'000'000U);
    EXPECT_EQ(deep.run([] { return right_chain(1'000'000); }), 1'000'000U);
}

TEST_P(shapes_on, a_stack_that_is_used_up_is_an_error_and_no_harm) {
    std::atomic<std::uint64_t> calls{0};
    std::atomic<std::uint64_t> refused{0};
    struct descent {
        std::atomic<std::uint64_t>& calls;
        std::atomic<std::uint64_t>& refused;
        void without_end() {
            ++calls;
            std::atomic<bool> ran = false;
            try {
                fork_join(
                    [&] {
                        ran = true;
                        without_end();
                    },
                    [&] { ran = true; });
            } catch (const error& thrown) {
                EXPECT_EQ(thrown.code(), errc::stack_exhausted);
                if (!ran) ++refused;
                throw;
            }
        }
    };
    pool small{pool_options{.workers = GetParam(), .stack_size = 1U << 20}};
    for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(error_of([&] { small.run([&] { descent{calls, refused}.without_end(); }); }),
                  "stack_exhausted");
        EXPECT_EQ(small.run([] { return fibonacci(10); }), 55U);
    }
    EXPECT_GT(calls, 300U);
    EXPECT_EQ(refused, 3U) << "the innermost call of each round ran nothing";
}

/// The system may hand out a used stack that is several times as large as was asked for. The depth
/// must be bounded all the same, for the memory of pending children is made for what was asked for.
TEST(deep_fork_join, is_no_harm_on_a_stack_that_is_larger_than_asked_for) {
    constexpr std::size_t asked = 2U << 20;
    {
        const pool larger{pool_options{.workers = 1, .stack_size = 4 * asked - (64U << 10)}};
    }
    pool small{pool_options{.workers = 1, .stack_size = asked}};
    EXPECT_EQ(error_of([&] { small.run([] { return left_chain(10'000'000); }); }),
              "stack_exhausted");
    EXPECT_EQ(small.run([] { return fibonacci(10); }), 55U);
}

/// Each leaf is visited once.
TEST_P(shapes_on, millions_of_forks_lose_and_repeat_nothing) {
    const std::size_t leaves = scaled(sanitized ? 1U << 16 : 1U << 20, 1U << 23);
    std::vector<std::uint8_t> seen(leaves, 0);
    struct visitor {
        std::vector<std::uint8_t>& seen;
        std::uint64_t operator()(std::size_t begin, std::size_t end) const {
            if (end - begin == 1) return ++seen[begin];
            const std::size_t middle = begin + (end - begin) / 2;
            const auto [a, b] = fork_join([this, begin, middle] { return (*this)(begin, middle); },
                                          [this, middle, end] { return (*this)(middle, end); });
            return a + b;
        }
    };
    EXPECT_EQ(workers.run([&] { return visitor{seen}(0, leaves); }), leaves);
    EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](auto each) { return each == 1; }));
}

/// As many leaves as workers, and each waits for all the others: no worker may be left asleep while
/// another has a child for it.
class crowded_trees_on : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(workers, crowded_trees_on, testing::Values(2, 4, 8, 16));

bool all_leaves_meet(meeting& leaves, std::size_t count) {
    if (count == 1) return leaves.attend();
    const auto [left, right] = fork_join([&] { return all_leaves_meet(leaves, count / 2); },
                                         [&] { return all_leaves_meet(leaves, count / 2); });
    return left && right;
}

TEST_P(crowded_trees_on, all_leaves_are_run_at_the_same_time) {
    for (std::uint64_t round = 0; round < scaled(5, 200); ++round) {
        pool workers{GetParam()};
        await_sleep(workers);
        meeting leaves{GetParam()};
        ASSERT_TRUE(workers.run([&] { return all_leaves_meet(leaves, GetParam()); })) << round;
    }
}

TEST_P(shapes_on, several_computations_run_beside_each_other) {
    std::vector<future<std::uint64_t>> all;
    for (unsigned i = 0; i < 50; ++i) {
        all.push_back(workers.submit([i] { return fibonacci(i % 15); }));
    }
    for (unsigned i = 0; i < 50; ++i) EXPECT_EQ(all[i].get(), serial_fibonacci(i % 15));
}

} // namespace
} // namespace weft
