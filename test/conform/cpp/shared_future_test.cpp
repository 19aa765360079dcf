#include "conform/cpp/rendezvous.hpp"

#include <weft/completion.hpp>
#include <weft/pool.hpp>
#include <weft/shared_future.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace weft::test {
namespace {

TEST(shared_future, every_copy_reads_the_same_object) {
    pool workers{1};
    const shared_future<std::string> one =
        workers.submit([] { return std::string{"text"}; }).share();
    const shared_future<std::string> other =
        one; // NOLINT(performance-unnecessary-copy-initialization)
    EXPECT_EQ(one.get(), "text");
    EXPECT_EQ(&one.get(), &other.get());
    EXPECT_TRUE(other.ready());
    EXPECT_TRUE(other.wait_for(std::chrono::seconds{0}));
}

TEST(shared_future, it_has_any_number_of_continuations) {
    pool workers{2};
    completion<int> open{workers};
    const shared_future<int> value = open.get_future().share();
    std::vector<future<int>> after;
    for (int i = 0; i != 10; ++i) {
        after.push_back(
            value.then([i](const shared_future<int>& ready) { return ready.get() + i; }));
    }
    EXPECT_FALSE(value.ready());
    open.complete(100);
    for (int i = 0; i != 10; ++i) EXPECT_EQ(after[static_cast<std::size_t>(i)].get(), 100 + i);
    EXPECT_EQ(value.then([](const shared_future<int>& ready) { return ready.get(); }).get(), 100);
}

TEST(shared_future, threads_read_it_at_the_same_time) {
    pool workers{2};
    const shared_future<int> value = workers.submit([] { return 7; }).share();
    std::atomic<int> sum{0};
    std::vector<std::jthread> threads;
    for (int i = 0; i != 4; ++i) threads.emplace_back([&, copy = value] { sum += copy.get(); });
    threads.clear();
    EXPECT_EQ(sum, 28);
}

TEST(shared_future, an_exception_is_thrown_to_every_reader) {
    pool workers{1};
    const shared_future<void> failed =
        workers.submit([] { throw std::runtime_error{"no"}; }).share();
    EXPECT_THROW(failed.get(), std::runtime_error);
    EXPECT_THROW(failed.get(), std::runtime_error);
}

TEST(shared_future, an_exception_that_no_copy_requests_goes_to_the_handler) {
    std::atomic<int> failures{0};
    {
        pool workers{{.workers = 1, .on_error = [&](const std::exception_ptr&) { ++failures; }}};
        const shared_future<int> unread = workers.submit([]() -> int { throw 1; }).share();
        const shared_future<int> read = workers.submit([]() -> int { throw 1; }).share();
        unread.wait();
        EXPECT_THROW(static_cast<void>(read.get()), int);
    }
    EXPECT_EQ(failures, 1);
}

TEST(shared_future, references_and_void_stay_what_they_are) {
    pool workers{1};
    int value = 1;
    const shared_future<int&> reference = workers.submit([&]() -> int& { return value; }).share();
    reference.get() = 2;
    EXPECT_EQ(value, 2);
    const shared_future<void> nothing_left = workers.submit([] {}).share();
    nothing_left.get();
}

TEST(shared_future, a_worker_must_not_wait_for_what_is_not_queued) {
    pool workers{1};
    completion<int> open{workers};
    const shared_future<int> value = open.get_future().share();
    EXPECT_EQ(workers.run([&] { return error_of([&] { static_cast<void>(value.get()); }); }),
              "would_deadlock");
    open.complete(1);
    EXPECT_EQ(value.get(), 1);
}

TEST(shared_future, without_a_task_it_is_not_valid) {
    const shared_future<int> none;
    EXPECT_FALSE(none.valid());
    EXPECT_EQ(error_of([&] { static_cast<void>(none.get()); }), "invalid_argument");
    EXPECT_EQ(error_of([&] { none.wait(); }), "invalid_argument");
    EXPECT_EQ(error_of([&] { static_cast<void>(none.ready()); }), "invalid_argument");
    EXPECT_EQ(error_of([&] { static_cast<void>(future<int>{}.share()); }), "invalid_argument");
    EXPECT_FALSE(shared_future<int>{future<int>{}}.valid());
}

} // namespace
} // namespace weft::test
