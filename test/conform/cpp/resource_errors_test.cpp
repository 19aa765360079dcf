// Exceptions, cancellation, waiting, stopping.
#include "conform/cpp/rendezvous.hpp"

#include <weft/resource.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
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

TEST(resource_exception, goes_to_the_future_and_the_resources_are_passed_on) {
    pool workers{2};
    resource<int> a{0};
    resource<int, exclusive> b{0};
    limit net{1};
    auto thrown = when(a, b, net).submit(
        workers, [](int&, int&) -> int { throw std::runtime_error{"on purpose"}; });
    auto next = when(net, b, a).submit(workers, [](int&, int&) { return 1; });
    EXPECT_EQ(next.get(), 1);
    EXPECT_THROW(thrown.get(), std::runtime_error);
}

/// What moves or copies of the callables throw comes out of the call, and nothing was submitted.
TEST(resource_exception, of_a_callable_that_is_copied_is_thrown) {
    struct moody {
        int* left;
        explicit moody(int& copies) : left{&copies} {}
        moody(const moody& other) : left{other.left} {
            if (--*left == 0) throw std::runtime_error{"no copy"};
        }
        void operator()(int& /*data*/, completion<int> done) const { done.complete(1); }
        int operator()(int& /*data*/, future<int> done) const { return done.get(); }
        int operator()(int& /*data*/) const { return 1; }
    };
    pool workers{1};
    resource<int> shared{0};
    int thrown = 0;
    bool again = true;
    for (int copies = 1; again; ++copies) {
        int first = copies;
        int second = copies;
        int third = copies;
        again = false;
        const auto expect_thrown_or_one = [&](auto submit) {
            try {
                EXPECT_EQ(submit().get(), 1);
            } catch (const std::runtime_error&) {
                ++thrown;
                again = true;
            }
        };
        int never = 0;
        expect_thrown_or_one([&] { return when(shared).submit(workers, moody{first}); });
        expect_thrown_or_one(
            [&] { return when(shared).hold<int>(workers, moody{second}, moody{never}); });
        expect_thrown_or_one(
            [&] { return when(shared).hold<int>(workers, moody{never}, moody{third}); });
    }
    EXPECT_GE(thrown, 3);
    EXPECT_EQ(when(shared).submit(workers, [](int&) { return 2; }).get(), 2) << "it was passed on";
}

TEST(resource_exception, of_a_dropped_future_is_reported) {
    std::atomic<int> reported{0};
    pool workers{
        pool_options{.workers = 1, .on_error = [&](const std::exception_ptr&) { ++reported; }}};
    resource<int> a{0};
    when(a).submit(workers, [](int&) { throw std::runtime_error{"on purpose"}; });
    when(a).submit(workers, [](int&) {}).get();
    workers.stop();
    EXPECT_EQ(reported, 1);
}

// Cancellation

TEST(resource_cancelled, before_it_starts_it_does_not_run) {
    pool workers{2};
    resource<int> a{0};
    resource<int, exclusive> b{0};
    std::stop_source source;
    event begun;
    event go;
    auto first = when(a, b).submit(workers, [&](int&, int&) {
        begun.happen();
        blocking([&] { go.await(); });
    });
    begun.await();
    auto cancelled =
        when(a, b).submit(workers, {.stop = source.get_token()}, [](int&, int&) { return 1; });
    auto third = when(a).submit(workers, [](int& x) { return x; });
    source.request_stop();
    EXPECT_FALSE(cancelled.ready());
    go.happen();
    EXPECT_EQ(error_of([&] { cancelled.get(); }), "cancelled");
    EXPECT_EQ(third.get(), 0);
    first.get();
}

/// A writer that is not wanted does not part readers: it is skipped when its turn comes.
TEST(resource_cancelled, it_takes_nothing_when_its_turn_comes) {
    pool workers{2};
    resource<int> a{0};
    std::stop_source source;
    source.request_stop();
    event go;
    event begun;
    auto reader = when(read(a)).submit(workers, [&](const int&) {
        begun.happen();
        blocking([&] { go.await(); });
    });
    begun.await();
    auto writer = when(a).submit(workers, {.stop = source.get_token()}, [](int&) {});
    auto other = when(read(a)).submit(workers, [](const int& x) { return x; });
    EXPECT_EQ(other.get(), 0) << "it ran concurrently with the first reader";
    EXPECT_EQ(error_of([&] { writer.get(); }), "cancelled");
    go.happen();
    reader.get();
}

/// A turn that is passed to it is passed on at once, though another one has not come yet.
TEST(resource_cancelled, it_keeps_no_turn_while_it_waits_for_another) {
    pool workers{3};
    resource<int, exclusive> a{0};
    resource<int, exclusive> b{0};
    std::stop_source source;
    event go_a;
    event go_b;
    auto first = when(a).submit(workers, [&](int&) { blocking([&] { go_a.await(); }); });
    auto second = when(b).submit(workers, [&](int&) { blocking([&] { go_b.await(); }); });
    auto cancelled = when(a, b).submit(workers, {.stop = source.get_token()}, [](int&, int&) {});
    auto third = when(a).submit(workers, [](int& x) { return x; });
    source.request_stop();
    go_a.happen();
    EXPECT_TRUE(comes_soon([&] { return third.ready(); })) << "b is still held";
    EXPECT_FALSE(cancelled.ready()) << "it ends when its last turn has come";
    go_b.happen();
    EXPECT_EQ(error_of([&] { cancelled.get(); }), "cancelled");
    first.get();
    second.get();
    third.get();
}

// Waiting

TEST(resource_waiting, on_a_worker_is_an_error_with_and_without_resources) {
    pool workers{2};
    pool others{1};
    resource<int> a{0};
    resource<int> b{0};
    event go;
    event begun;
    auto busy = when(b).submit(workers, [&](int&) {
        begun.happen();
        blocking([&] { go.await(); });
    });
    begun.await();
    const auto wait_for_b = [&](auto&&...) {
        auto result = when(b).submit(workers, [](int&) {});
        return error_of([&] { result.get(); }) + " " + error_of([&] { result.wait(); }) + " " +
               error_of([&] { result.wait_for(std::chrono::milliseconds{1}); }) + " " +
               error_of([&] { result.wait_for(std::chrono::milliseconds{0}); });
    };
    const std::string always = "would_deadlock would_deadlock would_deadlock would_deadlock";
    EXPECT_EQ(workers.run(wait_for_b), always);
    EXPECT_EQ(others.run(wait_for_b), always);
    EXPECT_EQ(when(a).submit(workers, wait_for_b).get(), always);
    go.happen();
    busy.get();
    when(b).submit(workers, [](int&) {}).get(); // outside it is none
}

/// Also when it is admitted already and only waits for a worker.
TEST(resource_waiting, on_a_worker_is_an_error_as_long_as_it_is_not_ready) {
    pool workers{1};
    resource<int> a{0};
    EXPECT_EQ(workers.run([&] {
        auto queued = when(a).submit([](int&) { return 1; });
        return error_of([&] { queued.get(); });
    }),
              "would_deadlock");
    future<int> done;
    workers.run([&] { done = when(a).submit([](int&) { return 2; }); });
    done.wait();
    EXPECT_TRUE(workers.run([&] { return done.wait_for(std::chrono::milliseconds{1}); }));
    EXPECT_EQ(workers.run([&] { return done.get(); }), 2) << "a ready one is no wait";
}

// Pools

TEST(resource_pool, outside_it_is_named) {
    resource<int> a{0};
    EXPECT_EQ(error_of([&] { when(a).submit([](int&) {}); }), "outside_pool");
    pool workers{1};
    EXPECT_EQ(workers.run([&] { return error_of([&] { when(a).submit([](int&) {}); }); }), "none");
}

TEST(resource_pool, that_was_stopped_takes_no_more) {
    resource<int> a{0};
    pool workers{1};
    workers.stop();
    EXPECT_EQ(error_of([&] { when(a).submit(workers, [](int&) {}); }), "stopped");
    pool others{1};
    const auto submit = [&] { when(a).submit(workers, [](int&) {}); };
    EXPECT_EQ(others.run([&] { return error_of(submit); }), "stopped") << "on a worker of another";
    EXPECT_EQ(when(a).submit(others, [](int& x) { return x; }).get(), 0);
}

TEST(resource_pool, stopping_drains_what_is_queued) {
    pool workers{2};
    resource<int> a{0};
    std::atomic<int> ran{0};
    for (int i = 0; i < 1'000; ++i) when(a).submit(workers, [&](int&) { ++ran; });
    workers.run([&] {
        for (int i = 0; i < 1'000; ++i) {
            when(a).submit([&](int&) {
                ++ran;
                when(a).submit([&](int&) { ++ran; });
            });
        }
    });
    workers.stop();
    EXPECT_EQ(ran, 3'000);
}

TEST(resource_pool, cancelling_ends_what_is_queued_and_passes_the_resources_on) {
    resource<int> a{0};
    pool others{1};
    {
        event begun;
        event go;
        pool workers{1};
        auto busy = when(a).submit(workers, [&](int&) {
            begun.happen();
            blocking([&] { go.await(); });
        });
        begun.await();
        std::vector<future<int>> queued;
        for (int i = 0; i < 10'000; ++i) {
            queued.push_back(when(a).submit(workers, [](int&) { return 1; }));
        }
        auto elsewhere = when(a).submit(others, [](int& x) { return x; });
        std::jthread stopper{[&] { workers.stop(on_stop::cancel); }};
        spin_until([&] { return error_of([&] { workers.submit([] {}); }) == "stopped"; });
        go.happen();
        for (auto& each : queued) EXPECT_EQ(error_of([&] { each.get(); }), "not_run");
        EXPECT_EQ(elsewhere.get(), 0);
        busy.get();
    }
}

/// The resource is with a task of another pool when the pool ends: what waits for it does not run.
TEST(resource_pool, that_is_gone_before_a_task_is_admitted_leaves_it_not_run) {
    pool others{1};
    resource<int> a{0};
    event begun;
    event go;
    auto busy = when(a).submit(others, [&](int&) {
        begun.happen();
        blocking([&] { go.await(); });
    });
    begun.await();
    std::vector<future<int>> waiting;
    {
        pool workers{1};
        for (int i = 0; i < 50'000; ++i) { // one after the other, not one on top of the other
            waiting.push_back(when(a).submit(workers, [](int&) { return 1; }));
        }
    }
    auto last = when(a).submit(others, [](int& x) { return x; });
    auto after = std::move(waiting.back()).then([](future<int> before) { return before.get(); });
    waiting.pop_back();
    go.happen();
    EXPECT_EQ(last.get(), 0);
    for (auto& each : waiting) EXPECT_EQ(error_of([&] { each.get(); }), "not_run");
    EXPECT_EQ(error_of([&] { after.get(); }), "not_run");
    busy.get();
}

/// The continuations are ended by the thread that passes the resource on, in another pool and after
/// the end of this one.
TEST(resource_pool, that_is_gone_leaves_what_follows_not_run_too) {
    pool others{1};
    resource<int> shared{0};
    std::optional<completion<int>> held;
    event begun;
    auto holder = when(shared).hold<int>(
        others,
        [&](int&, completion<int> done) {
            held = std::move(done);
            begun.happen();
        },
        [](int&, future<int> done) { return done.get(); });
    begun.await();
    future<int> last;
    {
        pool workers{1};
        last = when(shared)
                   .submit(workers, [](int&) { return 1; })
                   .then([](future<int> before) { return before.get(); })
                   .then([](future<int> before) { return before.get(); });
    }
    held->complete(1);
    EXPECT_EQ(holder.get(), 1);
    EXPECT_EQ(error_of([&] { last.get(); }), "not_run");
}

} // namespace
} // namespace weft
