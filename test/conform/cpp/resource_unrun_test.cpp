// Tasks on resources that are not run though they, or their continuations, were to receive a
// failure: the failure is the cause of their own, and nothing ends the program.
#include "conform/cpp/failure_chain.hpp"
#include "conform/cpp/rendezvous.hpp"
#include "conform/cpp/stopping.hpp"

#include <weft/completion.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>
#include <weft/resource.hpp>

#include <gtest/gtest.h>

#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace weft {
namespace {

using namespace test;

/// A future that has failed, on a pool that is gone.
future<int> failed_future() {
    pool workers{1};
    auto failed = workers.submit([]() -> int { throw std::runtime_error{"lost"}; });
    failed.wait();
    return failed;
}

/// Its token was asked to stop before anything is submitted.
std::stop_token stopped_token() {
    std::stop_source source;
    source.request_stop();
    return source.get_token();
}

TEST(resource_unrun, continuation_of_a_task_that_throws_while_its_pool_is_cancelled) {
    for (const std::size_t count : {1U, 2U}) {
        pool workers{count};
        resource<int> data{0};
        event started;
        event go;
        auto after = when(data)
                         .submit(workers,
                                 [&](int&) -> int {
                                     started.happen();
                                     go.await();
                                     throw std::runtime_error{"lost"};
                                 })
                         .then(take_result);
        started.await();
        cancel_before(workers, go);
        EXPECT_EQ(outcome_of(after), "not_run < lost");
        EXPECT_EQ(when(data).submit(*std::make_unique<pool>(1), [](int& x) { return x; }).get(), 0)
            << "the resource was passed on";
    }
}

TEST(resource_unrun, cancelled_task_whose_body_owns_a_failed_future) {
    pool workers{1};
    resource<int> data{0};
    auto cancelled =
        when(data).submit(workers, {.stop = stopped_token()},
                          [failed = failed_future()](int&) mutable { return failed.get(); });
    EXPECT_EQ(outcome_of(cancelled), "cancelled < lost");
}

TEST(resource_unrun, task_of_a_pool_that_is_gone_whose_body_owns_a_failed_future) {
    pool others{1};
    resource<int> data{0};
    event go;
    auto holder = when(data).submit(others, [&](int&) { go.await(); });
    auto workers = std::make_unique<pool>(1);
    auto unrun = when(data).submit(
        *workers, [failed = failed_future()](int&) mutable { return failed.get(); });
    workers.reset();
    go.happen();
    EXPECT_EQ(outcome_of(unrun), "not_run < lost");
    holder.get();
}

TEST(resource_unrun, cancelled_hold_whose_callables_own_a_failed_future) {
    pool workers{1};
    resource<int> data{0};
    const auto begin = [](int&, completion<int> done) { done.complete(1); };
    const auto next = [](int&, future<int> done) { return done.get(); };
    const when_options stopped{.stop = stopped_token()};
    auto first = when(data).hold<int>(
        workers, stopped,
        [failed = failed_future()](int&, completion<int> done) { done.complete(1); }, next);
    EXPECT_EQ(outcome_of(first), "cancelled < lost");
    auto second = when(data).hold<int>(workers, stopped, begin,
                                       [failed = failed_future()](int&, future<int> done) mutable {
                                           return done.get() + failed.get();
                                       });
    EXPECT_EQ(outcome_of(second), "cancelled < lost");
    EXPECT_EQ(when(data).submit(workers, [](int& x) { return x; }).get(), 0) << "it was passed on";
}

/// A task that has begun an operation and holds its resource; its pool has ended.
class begun_hold {
public:
    explicit begun_hold(pool_options options = {.workers = 1}) {
        auto workers = std::make_unique<pool>(std::move(options));
        event begun;
        result = when(data).hold<int>(
            *workers,
            [&](int&, completion<int> done) {
                open.emplace(std::move(done));
                begun.happen();
            },
            [](int&, future<int> done) { return done.get(); });
        begun.await();
    }

    resource<int> data{0};
    std::optional<completion<int>> open;
    future<int> result;
};

TEST(resource_unrun, hold_whose_operation_fails_after_its_pool_has_ended) {
    begun_hold held;
    held.open->fail(lost());
    EXPECT_EQ(outcome_of(held.result), "not_run < lost");
}

TEST(resource_unrun, hold_whose_completion_is_dropped_after_its_pool_has_ended) {
    begun_hold held;
    held.open.reset();
    EXPECT_EQ(outcome_of(held.result), "not_run < broken");
}

TEST(resource_unrun, hold_whose_operation_succeeds_after_its_pool_has_ended) {
    begun_hold held;
    held.open->complete(1);
    EXPECT_EQ(outcome_of(held.result), "not_run");
}

TEST(resource_unrun, continuation_of_a_hold_whose_operation_fails_after_its_pool_has_ended) {
    begun_hold held;
    auto after = std::move(held.result).then(take_result);
    held.open->fail(lost());
    EXPECT_EQ(outcome_of(after), "not_run < lost");
}

TEST(resource_unrun, hold_whose_future_is_dropped_ends_quietly) {
    begun_hold held;
    held.result = {};
    held.open->fail(lost());
}

TEST(resource_unrun, hold_whose_future_is_dropped_is_reported_with_its_cause) {
    std::vector<std::string> reported;
    begun_hold held{{.workers = 1, .on_error = [&](const std::exception_ptr& failure) {
                         reported.push_back(chain_of(failure));
                     }}};
    held.result = {};
    held.open->fail(lost());
    EXPECT_EQ(reported, std::vector<std::string>{"not_run < lost"});
}

TEST(resource_unrun, hold_that_has_not_begun_when_its_pool_is_cancelled) {
    pool workers{1};
    resource<int> data{0};
    event started;
    event go;
    workers.post([&] {
        started.happen();
        go.await();
    });
    started.await();
    auto unrun = when(data).hold<int>(
        workers, [](int& x, completion<int>) { x = 1; },
        [](int&, future<int> done) { return done.get(); });
    cancel_before(workers, go);
    EXPECT_EQ(outcome_of(unrun), "not_run");
    EXPECT_EQ(when(data).submit(*std::make_unique<pool>(1), [](int& x) { return x; }).get(), 0)
        << "begin was not called";
}

/// What the operation brings is for `next` alone: if `begin` has thrown, nothing else is reported.
TEST(resource_unrun, hold_that_cannot_begin_has_one_failure) {
    int reported = 0;
    pool workers{{.workers = 1, .on_error = [&](const std::exception_ptr&) { ++reported; }}};
    resource<int> data{0};
    auto failed = when(data).hold<int>(
        workers,
        [](int&, completion<int> done) {
            done.fail(lost());
            throw std::runtime_error{"begin"};
        },
        [](int&, future<int> done) { return done.get(); });
    EXPECT_EQ(outcome_of(failed), "begin");
    workers.stop();
    EXPECT_EQ(reported, 0);
}

} // namespace
} // namespace weft
