// A task that is not run though it was to receive a failure: the failure is the cause of its own,
// and nothing ends the program.
#include "conform/cpp/failure_chain.hpp"
#include "conform/cpp/rendezvous.hpp"
#include "conform/cpp/stopping.hpp"

#include <weft/completion.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>

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

TEST(unrun_continuation, of_a_completion_that_is_dropped_after_its_pool_has_ended) {
    auto workers = std::make_unique<pool>(1);
    std::optional<completion<int>> open{std::in_place, *workers};
    auto after = open->get_future().then(take_result);
    workers.reset();
    open.reset();
    EXPECT_EQ(outcome_of(after), "not_run < broken");
}

TEST(unrun_continuation, of_a_completion_that_fails_after_its_pool_has_ended) {
    auto workers = std::make_unique<pool>(1);
    completion<int> open{*workers};
    auto after = open.get_future().then(take_result).then(take_result);
    workers.reset();
    open.fail(lost());
    EXPECT_EQ(outcome_of(after), "not_run < lost");
}

TEST(unrun_continuation, whose_future_is_dropped_ends_quietly) {
    auto workers = std::make_unique<pool>(1);
    completion<int> open{*workers};
    static_cast<void>(open.get_future().then(take_result));
    workers.reset();
    open.fail(lost());
}

TEST(unrun_continuation, whose_future_is_dropped_is_reported_with_its_cause) {
    std::vector<std::string> reported;
    auto workers = std::make_unique<pool>(
        pool_options{.workers = 1, .on_error = [&](const std::exception_ptr& failure) {
                         reported.push_back(chain_of(failure));
                     }});
    completion<int> open{*workers};
    static_cast<void>(open.get_future().then(take_result));
    workers.reset();
    open.fail(lost());
    EXPECT_EQ(reported, std::vector<std::string>{"not_run < lost"});
}

TEST(unrun_continuation, of_a_task_that_throws_while_its_pool_is_cancelled) {
    for (const std::size_t count : {1U, 2U}) {
        pool workers{count};
        event started;
        event go;
        auto after = workers
                         .submit([&]() -> int {
                             started.happen();
                             go.await();
                             throw std::runtime_error{"lost"};
                         })
                         .then(take_result);
        started.await();
        cancel_before(workers, go);
        EXPECT_EQ(outcome_of(after), "not_run < lost");
    }
}

TEST(unrun_continuation, of_a_cancelled_task_whose_closure_owns_a_failed_future) {
    pool workers{1};
    auto failed = workers.submit([]() -> int { throw std::runtime_error{"lost"}; });
    failed.wait();
    std::stop_source stop;
    stop.request_stop();
    auto cancelled =
        workers.submit({.stop = stop.get_token()},
                       [failed = std::move(failed)]() mutable { return failed.get(); });
    EXPECT_EQ(outcome_of(cancelled), "cancelled < lost");
}

/// What is nested is freed one within the other, so it must not grow with the chain.
TEST(unrun_continuation, of_a_long_chain_has_the_first_failure_as_its_cause) {
    auto workers = std::make_unique<pool>(1);
    completion<int> open{*workers};
    future<int> last = open.get_future();
    for (int i = 0; i < 200'000; ++i) last = std::move(last).then(take_result);
    workers.reset();
    open.fail(lost());
    EXPECT_EQ(outcome_of(last), "not_run < lost");
}

TEST(unrun_continuation, of_a_result_has_no_cause) {
    auto workers = std::make_unique<pool>(1);
    completion<int> open{*workers};
    auto after = open.get_future().then(take_result);
    workers.reset();
    open.complete(1);
    EXPECT_EQ(outcome_of(after), "not_run");
}

TEST(unrun_continuation, has_no_cause_in_what_tasks_do_that_its_closure_runs) {
    std::vector<std::string> reported;
    pool workers{pool_options{.workers = 1, .on_error = [&](const std::exception_ptr& failure) {
                                  reported.push_back(chain_of(failure));
                              }}};
    std::shared_ptr<void> last{
        nullptr, [&](void*) {
            workers.submit([&] { workers.submit([] { throw std::runtime_error{"lost"}; }).wait(); })
                .get();
        }};
    std::stop_source stop;
    stop.request_stop();
    auto cancelled = workers.submit({.stop = stop.get_token()}, [last = std::move(last)] {});
    EXPECT_EQ(outcome_of(cancelled), "cancelled");
    EXPECT_EQ(reported, std::vector<std::string>{"lost"});
}

} // namespace
} // namespace weft
