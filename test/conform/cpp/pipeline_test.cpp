// Pipelines: order, capacity, exceptions, stopping.
#include "conform/cpp/rendezvous.hpp"
#include "conform/cpp/stopping.hpp"

#include <weft/pipeline.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace weft {
namespace {

using namespace test;

/// The numbers from 0 to before `end`.
auto count_to(int end) {
    return source([i = 0, end]() mutable -> std::optional<int> {
        if (i == end) return {};
        return i++;
    });
}

class pipeline_on : public testing::TestWithParam<std::tuple<std::size_t, std::size_t>> {};
INSTANTIATE_TEST_SUITE_P(workers_and_capacity, pipeline_on,
                         testing::Combine(testing::Values(1, 2, 4), testing::Values(1, 4, 64)));

TEST_P(pipeline_on, ordered_parts_see_the_order_of_the_source) {
    const auto [threads, capacity] = GetParam();
    pool workers{threads};
    std::vector<int> first;
    std::vector<std::string> last;
    const std::size_t items = (count_to(1'000) | ordered([&](int i) {
                                   first.push_back(i);
                                   return i;
                               }) |
                               parallel([](int i) {
                                   volatile int spin = i % 7 == 0 ? 2'000 : 0;
                                   while (spin > 0) spin = spin - 1;
                                   return std::to_string(i);
                               }) |
                               ordered([&](std::string text) { last.push_back(std::move(text)); }))
                                  .run(workers, {.capacity = capacity})
                                  .get();
    EXPECT_EQ(items, 1'000U);
    ASSERT_EQ(first.size(), 1'000U);
    ASSERT_EQ(last.size(), 1'000U);
    for (int i = 0; i < 1'000; ++i) {
        EXPECT_EQ(first[static_cast<std::size_t>(i)], i);
        EXPECT_EQ(last[static_cast<std::size_t>(i)], std::to_string(i));
    }
}

TEST_P(pipeline_on, never_has_more_items_than_its_capacity) {
    const auto [threads, capacity] = GetParam();
    pool workers{threads};
    std::atomic<std::size_t> inside{0};
    std::atomic<std::size_t> most{0};
    auto counted = source([&, i = 0]() mutable -> std::optional<int> {
        if (i == 2'000) return {};
        const std::size_t now = ++inside;
        if (now > most) most = now; // one thread at a time is in the source
        return i++;
    });
    (std::move(counted) | parallel([](int i) {
         volatile int spin = i % 64 < 32 ? 500 : 0;
         while (spin > 0) spin = spin - 1;
         return i;
     }) |
     parallel([&](int) { --inside; }))
        .run(workers, {.capacity = capacity})
        .get();
    EXPECT_LE(most, capacity);
    EXPECT_EQ(inside, 0U);
}

TEST_P(pipeline_on, the_first_exception_ends_it) {
    const std::size_t threads = std::get<0>(GetParam());
    const std::size_t capacity = std::get<1>(GetParam());
    pool workers{threads};
    std::atomic<int> after{0};
    auto failing = [&](int at, auto where) {
        return (count_to(10'000) | parallel([=](int i) {
                    if (where == 0 && i == at) throw std::runtime_error{"parallel"};
                    return std::make_unique<int>(i);
                }) |
                ordered([&after, at, where](std::unique_ptr<int> p) {
                    if (where == 1 && *p == at) throw std::runtime_error{"ordered"};
                    ++after;
                }))
            .run(workers, {.capacity = capacity});
    };
    for (const int at : {0, 1, 500}) {
        EXPECT_THROW(failing(at, 0).get(), std::runtime_error);
        EXPECT_THROW(failing(at, 1).get(), std::runtime_error);
    }
    auto broken = source([]() -> std::optional<int> { throw std::logic_error{"source"}; });
    EXPECT_THROW((std::move(broken) | ordered([](int) {})).run(workers).get(), std::logic_error);
}

TEST(pipeline, a_source_alone_and_an_empty_source_end) {
    pool workers{2};
    EXPECT_EQ(count_to(0).run(workers).get(), 0U);
    EXPECT_EQ(count_to(10).run(workers).get(), 10U);
    EXPECT_EQ((count_to(0) | parallel([](int) {})).run(workers).get(), 0U);
}

TEST(pipeline, a_parallel_part_is_called_by_several_workers) {
    pool workers{2};
    meeting together{2};
    std::atomic<int> calls{0};
    (count_to(8) | parallel([&](int i) {
         // The first call lasts until another one has begun.
         if (++calls <= 2) {
             EXPECT_TRUE(together.attend());
         }
         return i;
     }) |
     ordered([](int) {}))
        .run(workers, {.capacity = 8})
        .get();
}

TEST(pipeline, may_be_run_by_a_task) {
    pool workers{2};
    future<std::size_t> inner =
        workers.run([&] { return (count_to(100) | parallel([](int) {})).run(workers); });
    EXPECT_EQ(inner.get(), 100U);
}

TEST(pipeline, leaves_time_to_other_tasks) {
    pool workers{1};
    std::atomic<bool> ran{false};
    auto until = source([&]() -> std::optional<int> {
        if (ran) return {};
        return 1;
    });
    future<std::size_t> endless = (std::move(until) | parallel([](int) {})).run(workers);
    workers.post([&] { ran = true; });
    static_cast<void>(endless.get());
    EXPECT_TRUE(ran);
}

TEST(pipeline, refuses_a_stopped_pool_and_a_wrong_capacity) {
    pool workers{1};
    EXPECT_EQ(error_of([&] { static_cast<void>(count_to(1).run(workers, {.capacity = 0})); }),
              "invalid_argument");
    workers.stop();
    EXPECT_EQ(error_of([&] { static_cast<void>(count_to(1).run(workers)); }), "stopped");
}

TEST(pipeline, a_pool_that_is_stopped_drains_it) {
    std::optional<pool> workers{std::in_place, std::size_t{2}};
    std::atomic<int> seen{0};
    future<std::size_t> all = (count_to(2'000) | parallel([&](int) { ++seen; })).run(*workers);
    workers.reset();
    EXPECT_EQ(all.get(), 2'000U);
    EXPECT_EQ(seen, 2'000);
}

TEST(pipeline, a_pool_that_is_cancelled_ends_it) {
    pool workers{2};
    event begun;
    auto endless = source([&]() -> std::optional<int> {
        begun.happen();
        return 1;
    });
    future<std::size_t> all = (std::move(endless) | parallel([](int) {})).run(workers);
    begun.await();
    workers.stop(on_stop::cancel);
    EXPECT_EQ(error_of([&] { static_cast<void>(all.get()); }), "not_run");
}

} // namespace
} // namespace weft
