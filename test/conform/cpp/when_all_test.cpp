#include <weft/when_all.hpp>

#include "conform/cpp/rendezvous.hpp"

#include <weft/completion.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace weft {
namespace {

using namespace test;

class when_all_on : public testing::TestWithParam<std::size_t> {
protected:
    pool workers{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(workers, when_all_on, testing::Values(1, 2, 8));

TEST_P(when_all_on, gives_the_futures_back_in_their_order) {
    auto all = when_all(workers.submit([] { return 1; }), workers.submit([] {}),
                        workers.submit([] { return std::string{"three"}; }));
    auto [first, second, third] = all.get();
    EXPECT_TRUE(first.ready() && second.ready() && third.ready());
    EXPECT_EQ(first.get(), 1);
    second.get();
    EXPECT_EQ(third.get(), "three");
}

TEST_P(when_all_on, is_ready_when_the_last_of_them_is) {
    completion<int> left{workers};
    completion<int> right{workers};
    auto all = when_all(left.get_future(), right.get_future());
    EXPECT_FALSE(all.ready());
    right.complete(2);
    EXPECT_FALSE(all.ready());
    left.complete(1);
    auto [first, second] = all.get();
    EXPECT_EQ(first.get() + second.get(), 3);
}

TEST_P(when_all_on, a_failure_stays_in_its_future) {
    auto all = when_all(workers.submit([]() -> int { throw std::runtime_error{"lost"}; }),
                        workers.submit([] { return 2; }));
    auto [failed, well] = all.get();
    EXPECT_THROW(failed.get(), std::runtime_error);
    EXPECT_EQ(well.get(), 2);
}

TEST_P(when_all_on, a_vector_of_any_length) {
    for (const int length : {1, 2, 3, 17, 1'000}) {
        std::vector<future<int>> futures;
        for (int i = 0; i < length; ++i) futures.push_back(workers.submit([i] { return i; }));
        std::vector<future<int>> ready = when_all(std::move(futures)).get();
        ASSERT_EQ(ready.size(), static_cast<std::size_t>(length));
        for (int i = 0; i < length; ++i) EXPECT_EQ(ready[static_cast<std::size_t>(i)].get(), i);
    }
}

TEST_P(when_all_on, an_empty_vector_is_a_task_of_the_callers_pool) {
    EXPECT_TRUE(workers.run([] { return when_all(std::vector<future<int>>{}).get().empty(); }));
    EXPECT_EQ(error_of([] { static_cast<void>(when_all(std::vector<future<int>>{})); }),
              "outside_pool");
}

TEST_P(when_all_on, a_future_without_a_task_is_refused_and_the_others_keep_theirs) {
    auto well = workers.submit([] { return 1; });
    EXPECT_EQ(error_of([&] { static_cast<void>(when_all(std::move(well), future<int>{})); }),
              "invalid_argument");
    EXPECT_EQ(well.get(), 1);
    EXPECT_EQ(error_of([&] { static_cast<void>(when_any(future<int>{})); }), "invalid_argument");
}

TEST_P(when_all_on, then_follows_without_a_waiting_thread) {
    std::vector<future<int>> parts;
    for (int i = 1; i <= 100; ++i) parts.push_back(workers.submit([i] { return i; }));
    auto sum = when_all(std::move(parts)).then([](future<std::vector<future<int>>> ready) {
        int total = 0;
        for (future<int>& each : ready.get()) total += each.get();
        return total;
    });
    EXPECT_EQ(sum.get(), 5'050);
}

TEST_P(when_all_on, a_worker_that_waits_for_it_is_refused) {
    completion<int> open{workers};
    auto all = when_all(open.get_future());
    EXPECT_EQ(workers.run([&] { return error_of([&] { all.wait(); }); }), "would_deadlock");
    open.complete(1);
    all.wait();
}

TEST_P(when_all_on, futures_of_two_pools) {
    pool other{1};
    auto all = when_all(workers.submit([] { return 1; }), other.submit([] { return 2; }));
    auto [first, second] = all.get();
    EXPECT_EQ(first.get() + second.get(), 3);
}

TEST_P(when_all_on, when_any_is_ready_with_the_first) {
    completion<int> left{workers};
    completion<int> right{workers};
    auto any = when_any(left.get_future(), right.get_future());
    EXPECT_FALSE(any.ready());
    right.complete(2);
    auto [index, futures] = any.get();
    EXPECT_EQ(index, 1U);
    EXPECT_FALSE(std::get<0>(futures).ready());
    EXPECT_EQ(std::get<1>(futures).get(), 2);
    left.complete(1);
    EXPECT_EQ(std::get<0>(futures).get(), 1);
}

TEST_P(when_all_on, when_any_of_a_vector) {
    std::vector<completion<int>> open;
    std::vector<future<int>> futures;
    for (int i = 0; i < 10; ++i) {
        open.emplace_back(workers);
        futures.push_back(open.back().get_future());
    }
    auto any = when_any(std::move(futures));
    open[7].complete(7);
    auto first = any.get();
    EXPECT_EQ(first.index, 7U);
    EXPECT_EQ(first.futures[7].get(), 7);
    for (std::size_t i = 0; i < open.size(); ++i) {
        if (i != 7) open[i].complete(0);
    }
    EXPECT_EQ(error_of([] { static_cast<void>(when_any(std::vector<future<int>>{})); }),
              "invalid_argument");
}

TEST_P(when_all_on, when_any_of_futures_that_are_ready) {
    auto ready = workers.submit([] { return 1; });
    ready.wait();
    completion<int> open{workers};
    auto any = when_any(open.get_future(), std::move(ready)).get();
    EXPECT_EQ(any.index, 1U);
    open.complete(0);
}

TEST_P(when_all_on, the_losers_of_when_any_may_be_dropped_while_they_run) {
    std::atomic<int> ended{0};
    event go;
    {
        auto slow = workers.submit([&] {
            blocking([&] { go.await(); });
            ++ended;
        });
        completion<void> quick{workers};
        auto any = when_any(std::move(slow), quick.get_future());
        quick.complete();
        if (GetParam() > 1) {
            EXPECT_EQ(any.get().index, 1U);
        } else { // the one worker is busy with the slow one
            go.happen();
            static_cast<void>(any.get());
        }
    }
    go.happen();
    workers.wait_idle();
    EXPECT_EQ(ended, 1);
}

TEST_P(when_all_on, the_pool_may_end_first) {
    completion<int> open{workers};
    auto all = when_all(workers.submit([] { return 1; }), open.get_future());
    workers.stop();
    open.complete(2);
    EXPECT_EQ(error_of([&] { all.get(); }), "not_run");
}

} // namespace
} // namespace weft
