// Coroutines that are stopped, and coroutines whose pool ends: nothing hangs, nothing is left.
#include "conform/cpp/coroutine_helpers.hpp"
#include "conform/cpp/failure_chain.hpp"

#include <weft/completion.hpp>
#include <weft/coroutine.hpp>
#include <weft/resource.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace weft::coroutine_ends_test {
namespace {

using namespace test;

task<int> await_it(guest /*kept*/, future<int> awaited) { co_return co_await awaited; }
task<int> await_below(guest kept, future<int> awaited) {
    co_return co_await await_it(kept, std::move(awaited));
}
task<int> await_operation(guest /*kept*/, manual_operation& awaited) { co_return co_await awaited; }

TEST(coroutine_stop, before_it_begins_it_is_not_run) {
    pool workers{1};
    std::stop_source source;
    source.request_stop();
    std::atomic<int> alive{0};
    completion<int> never{workers};
    auto result = workers.submit(task_options{source.get_token()},
                                 await_below(guest{alive}, never.get_future()));
    EXPECT_EQ(outcome_of(result), "cancelled");
    EXPECT_EQ(alive, 0);
    never.complete(1);
}

TEST(coroutine_stop, ends_a_wait_for_a_future) {
    pool workers{1};
    std::stop_source source;
    std::atomic<int> alive{0};
    completion<int> never{workers};
    auto result = workers.submit(task_options{source.get_token()},
                                 await_below(guest{alive}, never.get_future()));
    workers.wait_idle();
    EXPECT_GE(alive, 2); // also the copies that were the arguments
    source.request_stop();
    EXPECT_EQ(outcome_of(result), "cancelled");
    workers.wait_idle();
    EXPECT_EQ(alive, 0);
    never.complete(1); // what the wait shared is freed now
}

TEST(coroutine_stop, leaves_the_future_to_be_awaited_again) {
    pool workers{1};
    std::stop_source source;
    completion<int> later{workers};
    future<int> awaited = later.get_future();
    auto result = workers.submit(task_options{source.get_token()},
                                 [](future<int>& kept) -> task<> { co_await kept; }(awaited));
    workers.wait_idle();
    source.request_stop();
    EXPECT_EQ(outcome_of(result), "cancelled");
    ASSERT_TRUE(awaited.valid());
    later.complete(5);
    EXPECT_EQ(awaited.get(), 5);
}

TEST(coroutine_stop, cancels_an_operation) {
    pool workers{1};
    std::stop_source source;
    std::atomic<int> alive{0};
    manual_operation manual;
    auto result =
        workers.submit(task_options{source.get_token()}, await_operation(guest{alive}, manual));
    manual.started.await();
    source.request_stop();
    EXPECT_EQ(outcome_of(result), "cancelled");
    EXPECT_EQ(alive, 0);
}

task<> hold_until(resource<int>& held, event& begun, future<void> over) {
    const auto lease = co_await when(held);
    begun.happen();
    co_await over;
}
task<> want(resource<int>& wanted) { const auto lease = co_await when(wanted); }

TEST(coroutine_stop, ends_a_wait_for_resources_before_they_are_free) {
    pool workers{1};
    resource<int> contended{0};
    event begun;
    auto leave = std::make_unique<event>();
    pool other{1};
    auto holder =
        workers.submit(hold_until(contended, begun, other.submit([&] { leave->await(); })));
    begun.await();
    std::stop_source source;
    auto stopped = workers.submit(task_options{source.get_token()}, want(contended));
    workers.wait_idle();
    auto behind = workers.submit(want(contended));
    workers.wait_idle();
    source.request_stop();
    EXPECT_EQ(outcome_of(stopped), "cancelled");
    EXPECT_FALSE(holder.ready());
    leave->happen();
    holder.get();
    behind.get(); // the turn was passed on
}

TEST(coroutine_stop, makes_later_waits_throw) {
    pool workers{1};
    std::stop_source source;
    EXPECT_EQ(workers.run(task_options{source.get_token()},
                          [](std::stop_source& own) -> task<std::string> {
                              const std::stop_token known = co_await current_stop();
                              own.request_stop();
                              std::string caught = known.stop_requested() ? "known " : "";
                              try {
                                  co_await yield();
                              } catch (const error& thrown) {
                                  caught += name_of(thrown.code());
                              }
                              resource<int> free{0};
                              try {
                                  const auto held = co_await when(free);
                              } catch (const error& thrown) {
                                  caught += " " + std::string{name_of(thrown.code())};
                              }
                              manual_operation unstarted;
                              try {
                                  co_await unstarted;
                              } catch (const error& thrown) {
                                  caught += " " + std::string{name_of(thrown.code())};
                              }
                              EXPECT_FALSE(unstarted.started.has_happened());
                              co_return caught;
                          }(source)),
              "known cancelled cancelled cancelled");
}

task<int> await_both(future<int> first, future<int> second) {
    const int shielded_value = co_await shielded(
        [](future<int> kept) -> task<int> { co_return co_await kept; }(std::move(first)));
    co_return shielded_value + co_await second;
}

TEST(coroutine_stop, does_not_reach_what_is_shielded) {
    pool workers{1};
    std::stop_source source;
    completion<int> first{workers};
    completion<int> second{workers};
    auto result = workers.submit(task_options{source.get_token()},
                                 await_both(first.get_future(), second.get_future()));
    workers.wait_idle();
    source.request_stop();
    workers.wait_idle();
    EXPECT_FALSE(result.ready());
    first.complete(1);
    EXPECT_EQ(outcome_of(result), "cancelled");
    second.complete(1);
}

TEST(coroutine_stop, and_the_end_of_the_wait_may_come_together) {
    pool workers{2};
    for (int i = 0; i < 300; ++i) {
        std::atomic<int> alive{0};
        std::stop_source source;
        completion<int> later{workers};
        manual_operation manual;
        auto one_result = workers.submit(task_options{source.get_token()},
                                         await_below(guest{alive}, later.get_future()));
        auto other_result =
            workers.submit(task_options{source.get_token()}, await_operation(guest{alive}, manual));
        std::jthread ender{[&] {
            later.complete(7);
            manual.finish();
        }};
        source.request_stop();
        for (future<int>* each : {&one_result, &other_result}) {
            const std::string outcome = outcome_of(*each);
            EXPECT_TRUE(outcome == "none" || outcome == "cancelled") << outcome;
        }
        ender.join();
        workers.wait_idle();
        EXPECT_EQ(alive, 0);
    }
}

TEST(coroutine_stop, of_many_is_quick_and_leaves_nothing) {
    pool workers{2};
    std::stop_source source;
    std::atomic<int> alive{0};
    completion<int> never{workers};
    const shared_future<int> shared = never.get_future().share();
    constexpr int count = 20'000;
    std::vector<future<int>> waiting;
    for (int i = 0; i < count; ++i) {
        waiting.push_back(
            workers.submit(task_options{source.get_token()},
                           [](guest /*kept*/, shared_future<int> awaited) -> task<int> {
                               co_return co_await awaited;
                           }(guest{alive}, shared)));
    }
    workers.wait_idle();
    EXPECT_EQ(alive, count);
    source.request_stop();
    for (future<int>& each : waiting) EXPECT_EQ(error_of([&] { each.get(); }), "cancelled");
    workers.wait_idle();
    EXPECT_EQ(alive, 0);
    never.complete(0);
}

// The end of the pool

TEST(coroutine_end, of_a_pool_that_cancels_ends_what_is_queued) {
    std::atomic<int> alive{0};
    std::vector<future<int>> results;
    {
        pool workers{1};
        event busy;
        event stopping;
        workers.post([&] {
            busy.happen();
            stopping.await();
        });
        busy.await();
        for (int i = 0; i < 10; ++i) {
            results.push_back(workers.submit(await_below(guest{alive}, future<int>{})));
        }
        std::jthread stopper{[&] { workers.stop(on_stop::cancel); }};
        spin_until([&] { return workers.front().cancelling(); });
        stopping.happen();
    }
    for (future<int>& each : results) EXPECT_EQ(outcome_of(each), "not_run");
    EXPECT_EQ(alive, 0);
}

task<int> await_deep(guest kept, int depth, shared_future<int> awaited) {
    if (depth == 0) co_return co_await awaited;
    co_return co_await await_deep(kept, depth - 1, awaited);
}

TEST(coroutine_end, of_a_pool_ends_suspended_ones_when_their_wait_ends) {
    for (const on_stop mode : {on_stop::drain, on_stop::cancel}) {
        std::atomic<int> alive{0};
        pool other{1};
        std::optional<completion<int>> later{std::in_place, other};
        manual_operation manual;
        std::vector<future<int>> results;
        {
            pool workers{1};
            const shared_future<int> shared = later->get_future().share();
            results.push_back(workers.submit(await_deep(guest{alive}, 1'000, shared)));
            results.push_back(workers.submit(await_operation(guest{alive}, manual)));
            workers.wait_idle();
            workers.stop(mode);
        }
        EXPECT_GE(alive, 1'002);
        for (const future<int>& each : results) EXPECT_FALSE(each.ready());
        later->complete(1);
        manual.finish();
        for (future<int>& each : results) EXPECT_EQ(outcome_of(each), "not_run");
        EXPECT_EQ(alive, 0);
    }
}

/// Each awaits the future of the next, and none has a pool any more: ended in a loop.
TEST(coroutine_end, of_a_pool_ends_long_sequences_without_stack) {
    pool other{1};
    completion<int> first{other};
    future<int> last = first.get_future();
    std::atomic<int> alive{0};
    constexpr int count = 100'000;
    {
        pool workers{1};
        for (int i = 0; i < count; ++i) {
            last = workers.submit(await_it(guest{alive}, std::move(last)));
        }
        workers.wait_idle();
    }
    EXPECT_EQ(alive, count);
    first.complete(1);
    EXPECT_EQ(outcome_of(last), "not_run");
    EXPECT_EQ(alive, 0);
}

TEST(coroutine_end, passes_on_the_resources_of_one_that_does_not_continue) {
    resource<int> held{0};
    pool other{1};
    manual_operation manual;
    future<void> result;
    {
        pool workers{1};
        result = workers.submit([](resource<int>& wanted, manual_operation& over) -> task<> {
            const auto lease = co_await when(wanted);
            co_await over;
        }(held, manual));
        manual.started.await();
    }
    auto behind = when(held).submit(other, [](int& value) { return ++value; });
    EXPECT_FALSE(behind.ready());
    manual.finish();
    EXPECT_EQ(behind.get(), 1);
    EXPECT_EQ(outcome_of(result), "not_run");
}

TEST(coroutine_end, one_whose_future_was_dropped_runs_all_the_same) {
    std::atomic<int> alive{0};
    std::atomic<int> ran{0};
    {
        pool workers{1};
        static_cast<void>(workers.submit([](guest /*kept*/, std::atomic<int>& counted) -> task<> {
            co_await yield();
            ++counted;
        }(guest{alive}, ran)));
    }
    EXPECT_EQ(ran, 1);
    EXPECT_EQ(alive, 0);
}

} // namespace
} // namespace weft::coroutine_ends_test
