#include <weft/pool.hpp>

#include "support/unstarted_pool.hpp"

#include <weft/error.hpp>
#include <weft/future.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>
#include <memory>
#include <new>
#include <optional>
#include <utility>

namespace weft::inline v0::detail {
namespace {

constexpr std::size_t most_threads = std::size_t{1} << 16;
constexpr std::size_t largest_stack = std::size_t{16} << 30;

std::optional<errc> refusal_of(const pool_options& options) {
    try {
        const pool made{options};
    } catch (const error& refused) {
        return refused.code();
    }
    return std::nullopt;
}

TEST(pool, refuses_too_many_threads_and_too_large_stacks) {
    EXPECT_EQ(refusal_of({.workers = most_threads + 1}), errc::invalid_argument);
    EXPECT_EQ(refusal_of({.workers = 1, .extra_threads = most_threads + 1}),
              errc::invalid_argument);
    EXPECT_EQ(refusal_of({.workers = 1, .stack_size = largest_stack + 1}), errc::invalid_argument);
}

/// The largest numbers are no error, but together they are more than the address space.
TEST(pool, without_address_space_for_its_children_throws_bad_alloc) {
    const pool_options workers{.workers = most_threads, .stack_size = largest_stack};
    EXPECT_THROW(pool{workers}, std::bad_alloc);
    const pool_options stand_ins{
        .workers = 1, .stack_size = largest_stack, .extra_threads = most_threads};
    EXPECT_THROW(pool{stand_ins}, std::bad_alloc);
}

std::size_t pages_of_address_space() {
    std::size_t pages = 0;
    std::ifstream{"/proc/self/statm"} >> pages;
    return pages;
}

TEST(pool, gives_back_its_address_space) {
    constexpr std::size_t stack = std::size_t{256} << 20;
    constexpr std::size_t page = 4096;
    const auto use = [] { pool{{.workers = 1, .stack_size = stack}}.run([] {}); };
    use();
    const std::size_t before = pages_of_address_space();
    ASSERT_GT(before, 0U);
    for (int round = 0; round < 4; ++round) use();
    EXPECT_LT(pages_of_address_space(), before + stack / page);
}

TEST(pool_core, plans_if_the_policy_wants_plans_and_there_is_more_than_one_worker) {
    const auto plans = [](std::size_t workers, std::shared_ptr<const stealing_policy> policy) {
        test::unstarted_pool made{pool_options{.workers = workers, .stealing = std::move(policy)}};
        return made.core().planner != nullptr;
    };
    EXPECT_TRUE(plans(2, std::make_shared<multi_stealing>()));
    EXPECT_FALSE(plans(1, std::make_shared<multi_stealing>()));
    EXPECT_FALSE(plans(2, std::make_shared<random_stealing>()));
}

TEST(pool_core, has_thieves_if_it_has_more_than_one_thread) {
    EXPECT_FALSE(test::unstarted_pool{1}[0].has_siblings());
    EXPECT_TRUE(test::unstarted_pool{2}[0].has_siblings());
    const pool_options with_stand_in{.workers = 1, .extra_threads = 1};
    EXPECT_TRUE(test::unstarted_pool{with_stand_in}[0].has_siblings());
}

} // namespace
} // namespace weft::inline v0::detail
