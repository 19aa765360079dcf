// What calls back: completions, by themselves and on resources.
#include "conform/cpp/rendezvous.hpp"

#include <weft/completion.hpp>
#include <weft/resource.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace weft {
namespace {

using namespace test;

TEST(completion, brings_a_result_from_any_thread) {
    pool workers{1};
    completion<std::string> done{workers};
    auto result = done.get_future();
    EXPECT_FALSE(result.ready());
    std::jthread elsewhere{[&] { done.complete("it is done"); }};
    EXPECT_EQ(result.get(), "it is done");
}

TEST(completion, of_nothing_of_references_and_of_what_only_moves) {
    pool workers{1};
    completion<void> nothing_more{workers};
    auto done = nothing_more.get_future();
    nothing_more.complete();
    done.get();
    int value = 7;
    completion<int&> by_reference{workers};
    auto referred = by_reference.get_future();
    by_reference.complete(value);
    EXPECT_EQ(&referred.get(), &value);
    completion<std::unique_ptr<int>> moved{workers};
    auto owned = moved.get_future();
    moved.complete(std::make_unique<int>(8));
    EXPECT_EQ(*owned.get(), 8);
}

TEST(completion, what_follows_is_a_task_of_the_pool) {
    pool workers{1};
    completion<int> done{workers};
    auto after = done.get_future().then(
        [&](future<int> before) { return before.get() + (pool::current() == &workers ? 100 : 0); });
    std::jthread{[&] { done.complete(1); }}.join();
    EXPECT_EQ(after.get(), 101);
}

TEST(completion, that_is_dropped_is_broken) {
    pool workers{1};
    std::optional<completion<int>> done{std::in_place, workers};
    auto result = done->get_future();
    done.reset();
    EXPECT_EQ(error_of([&] { result.get(); }), "broken");
    const completion<int> unused{workers}; // nobody has its future: nothing happens
}

TEST(completion, may_fail) {
    pool workers{1};
    completion<int> done{workers};
    auto result = done.get_future();
    done.fail(std::make_exception_ptr(std::runtime_error{"no such file"}));
    EXPECT_THROW(result.get(), std::runtime_error);
}

TEST(completion, twice_is_an_error) {
    pool workers{1};
    completion<int> done{workers};
    auto result = done.get_future();
    EXPECT_EQ(error_of([&] { static_cast<void>(done.get_future()); }), "invalid_argument");
    done.complete(1);
    EXPECT_FALSE(done.valid());
    EXPECT_EQ(error_of([&] { done.complete(2); }), "invalid_argument");
    EXPECT_EQ(error_of([&] { done.fail(nullptr); }), "invalid_argument");
    EXPECT_EQ(result.get(), 1);
}

TEST(completion, waiting_for_it_on_a_worker_is_an_error) {
    pool workers{1};
    EXPECT_EQ(workers.run([] {
        completion<int> done;
        auto result = done.get_future();
        const std::string waited = error_of([&] { result.get(); });
        done.complete(1);
        return waited + " " + std::to_string(result.get());
    }),
              "would_deadlock 1");
    EXPECT_EQ(error_of([] { const completion<int> none; }), "outside_pool");
}

TEST(completion, passes_through_one_pointer) {
    pool workers{1};
    completion<int> done{workers};
    auto result = done.get_future();
    void* token = done.release();
    EXPECT_FALSE(done.valid());
    completion<int>::adopt(token).complete(5);
    EXPECT_EQ(result.get(), 5);
}

TEST(completion, is_the_same_after_it_has_passed_through_a_pointer) {
    std::atomic<int> unasked = 0;
    pool_options options{.workers = 1};
    options.on_error = [&](const std::exception_ptr&) { ++unasked; };
    pool workers{std::move(options)};
    {
        completion<int> dropped{workers};
        const auto same = completion<int>::adopt(dropped.release());
    }
    EXPECT_EQ(unasked, 0) << "nobody has taken the future";
    completion<int> done{workers};
    auto same = completion<int>::adopt(done.release());
    auto result = same.get_future();
    same.complete(5);
    EXPECT_EQ(result.get(), 5);
}

TEST(completion, outlives_the_pool) {
    std::optional<completion<int>> done;
    future<int> result;
    future<int> after;
    {
        pool workers{1};
        done.emplace(workers);
        after = done->get_future().then([](future<int> before) { return before.get(); });
    }
    done->complete(1);
    EXPECT_EQ(error_of([&] { after.get(); }), "not_run");
}

TEST(completion, what_follows_what_follows_outlives_the_pool) {
    std::optional<completion<int>> done;
    future<int> last;
    {
        pool workers{1};
        done.emplace(workers);
        last = done->get_future()
                   .then([](future<int> before) { return before.get(); })
                   .then([](future<int> before) { return before.get(); })
                   .then([](future<int> before) { return before.get(); });
    }
    done->complete(1);
    EXPECT_EQ(error_of([&] { last.get(); }), "not_run");
}

/// Each link that is refused would refuse the next on top of its own stack.
TEST(completion, a_long_chain_may_follow_when_the_pool_takes_nothing_more) {
    constexpr int links = 200'000;
    pool workers{1};
    completion<int> done{workers};
    auto last = done.get_future();
    for (int i = 0; i < links; ++i) {
        last = std::move(last).then([](future<int> before) { return before.get(); });
    }
    workers.stop();
    done.complete(1);
    EXPECT_EQ(error_of([&] { last.get(); }), "not_run");
}

// On resources

TEST(completion_on_resources, goes_on_with_the_same_resources) {
    pool workers{2};
    resource<std::string> file{"a"};
    std::optional<completion<int>> pending;
    event started;
    auto result = when(file).hold<int>(
        workers,
        [&](std::string& text, completion<int> done) {
            text += "b";
            pending = std::move(done);
            started.happen();
        },
        [](std::string& text, future<int> done) { return text + std::to_string(done.get()); });
    started.await();
    auto behind = when(file).submit(workers, [](std::string& text) { return text += "d"; });
    workers.run([] {}); // the worker is free meanwhile
    EXPECT_FALSE(result.ready());
    EXPECT_FALSE(behind.ready()) << "the resource is held";
    pending->complete(7);
    EXPECT_EQ(result.get(), "ab7");
    EXPECT_EQ(behind.get(), "abd");
}

/// Completed before `begin` has returned: what follows waits for that.
TEST(completion_on_resources, may_be_cancelled_before_it_begins) {
    pool workers{1};
    resource<int> a{0};
    std::stop_source stop;
    stop.request_stop();
    auto cancelled = workers.run([&] {
        return when(a).hold<int>(
            {.stop = stop.get_token()}, [](int& x, completion<int>) { x = 1; },
            [](int& x, future<int>) { x = 2; });
    });
    EXPECT_EQ(error_of([&] { cancelled.get(); }), "cancelled");
    EXPECT_EQ(when(a).submit(workers, [](int& x) { return x; }).get(), 0);
}

TEST(completion_on_resources, does_not_run_concurrently_with_its_own_beginning) {
    pool workers{2};
    resource<int> a{0};
    auto result = when(a).hold<int>(
        workers,
        [](int& x, completion<int> done) {
            done.complete(1);
            std::this_thread::yield();
            x = 5;
        },
        [](int& x, future<int> done) { return x + done.get(); });
    EXPECT_EQ(result.get(), 6);
}

TEST(completion_on_resources, failures_are_in_the_future_and_the_resources_are_passed_on) {
    pool workers{2};
    resource<int> a{0};
    const auto next = [](int&, future<int> done) { return done.get(); };
    auto dropped = when(a).hold<int>(workers, [](int&, completion<int>) {}, next);
    EXPECT_EQ(error_of([&] { dropped.get(); }), "broken");
    auto thrown = when(a).hold<int>(
        workers, [](int&, completion<int>) { throw std::runtime_error{"on purpose"}; }, next);
    EXPECT_THROW(thrown.get(), std::runtime_error);
    std::stop_source source;
    source.request_stop();
    auto cancelled = when(a).hold<int>(
        workers, {.stop = source.get_token()}, [](int&, completion<int>) {}, next);
    EXPECT_EQ(error_of([&] { cancelled.get(); }), "cancelled");
    EXPECT_EQ(when(a).submit(workers, [](int& x) { return x; }).get(), 0);
}

TEST(completion_on_resources, the_pool_ends_before_the_call) {
    resource<int> a{0};
    std::optional<completion<int>> pending;
    future<int> result;
    {
        event started;
        pool workers{1};
        result = when(a).hold<int>(
            workers,
            [&](int&, completion<int> done) {
                pending = std::move(done);
                started.happen();
            },
            [](int&, future<int> done) { return done.get(); });
        started.await();
    }
    pending->complete(1);
    EXPECT_EQ(error_of([&] { result.get(); }), "not_run");
    pool others{1};
    EXPECT_EQ(when(a).submit(others, [](int& x) { return x; }).get(), 0);
}

TEST(completion_on_resources, many_at_once) {
    pool workers{2};
    resource<int> a{0};
    resource<int> b{0};
    std::atomic<int> sum{0};
    const int rounds = sanitized ? 300 : 3'000;
    {
        std::atomic<bool> over{false};
        std::mutex mutex;
        std::vector<completion<int>> pending;
        std::vector<std::jthread> callers;
        for (int t = 0; t < 2; ++t) {
            callers.emplace_back([&] {
                while (!over || [&] {
                    const std::scoped_lock lock{mutex};
                    return !pending.empty();
                }()) {
                    std::vector<completion<int>> some;
                    {
                        const std::scoped_lock lock{mutex};
                        some.swap(pending);
                    }
                    for (auto& each : some) each.complete(1);
                    std::this_thread::yield();
                }
            });
        }
        std::vector<future<void>> all;
        for (int i = 0; i < rounds; ++i) {
            all.push_back(when(a, read(b))
                              .hold<int>(
                                  workers,
                                  [&](int& x, const int&, completion<int> done) {
                                      ++x;
                                      const std::scoped_lock lock{mutex};
                                      pending.push_back(std::move(done));
                                  },
                                  [&](int& x, const int&, future<int> done) {
                                      sum += done.get() + (x-- == 1 ? 1 : 0);
                                  }));
        }
        for (auto& each : all) each.get();
        over = true;
    }
    EXPECT_EQ(sum, 2 * rounds);
}

} // namespace
} // namespace weft
