// Stages whose pool is stopped while runs and pushes wait for room.
#include "conform/cpp/rendezvous.hpp"
#include "conform/cpp/stage_adding_up.hpp"

#include <weft/detail/pool/operation.hpp>
#include <weft/stage.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace weft {
namespace {

using namespace test;

TEST(stage_stop, a_run_that_waits_when_the_pool_stops_drops_what_is_left) {
    pool workers{1};
    stage_group group{workers};
    std::atomic<int> dropped{0};
    const auto count = [&](int&, drop_reason reason) {
        dropped += reason == drop_reason::stopped ? 1 : 100;
    };
    stage<int> full{group, {.capacity = 1, .on_drop = count}, [](int) {}};
    {
        stage<int> before{group, {.on_drop = count}, [&](int i) { full.push(i); }};
        full.pause();
        full.push(0);
        for (int i = 0; i < 10; ++i) before.push(i);
        ASSERT_TRUE(comes_soon([&] { return full.size() == 2; }));
        workers.stop(on_stop::cancel);
    }
    EXPECT_EQ(dropped, 9);
}

/// Waits for an operation.
struct waiter_of_push : detail::completion_node {
    event ended;
    waiter_of_push() noexcept {
        notify = [](detail::completion_node& self) noexcept {
            static_cast<waiter_of_push&>(self).ended.happen();
        };
    }
};

TEST(stage_stop, pushes_that_wait_when_the_pool_stops_are_told) {
    pool workers{1};
    stage_group group{workers};
    std::atomic<int> dropped{0};
    stage<int> full{
        group, {.capacity = 1, .on_drop = [&](int&, drop_reason) { ++dropped; }}, [](int) {}};
    full.pause();
    full.push(1);
    std::string told;
    std::jthread outside{[&] { told = error_of([&] { full.push_or_wait(2); }); }};
    ASSERT_TRUE(comes_soon([&] { return full.size() == 2; }));
    future<void> later = full.push_later(3);
    waiter_of_push waiter;
    auto waiting = full.push_when_room(4);
    ASSERT_TRUE(waiting.start(waiter));
    workers.stop(on_stop::cancel);
    outside.join();
    EXPECT_EQ(told, "stopped");
    EXPECT_EQ(error_of([&] { later.get(); }), "stopped");
    waiter.ended.await();
    EXPECT_EQ(error_of([&] { waiting.take(); }), "stopped");
    EXPECT_EQ(error_of([&] { full.push_or_wait(5); }), "stopped");
    EXPECT_EQ(full.size(), 4U);
}

TEST(stage_stop, an_operation_is_not_started_after_the_stop) {
    pool workers{1};
    stage_group group{workers};
    stage<int> some{group, {}, [](int) {}};
    waiter_of_push waiter;
    auto late = some.push_when_room(1);
    group.stop();
    EXPECT_EQ(error_of([&] { static_cast<void>(late.start(waiter)); }), "stopped");
    expect_ended(some.statistics(), 0);
}

TEST(stage_stop, dead_letters_of_futures_are_kept_while_it_drains) {
    pool workers{2};
    stage_group group{workers};
    stage<int> dead{group, {.capacity = 1}, [](int) {}};
    stage<int> failing{group,
                       {.on_error = [&](int& i, std::exception_ptr) { dead.push(i); }},
                       [&](int) { return workers.submit([] { throw 1; }); }};
    for (int i = 0; i < 20; ++i) failing.push(i);
    group.stop();
    expect_ended(failing.statistics(), 0, 20);
    expect_ended(dead.statistics(), 20);
}

/// A handler that returns a future is on its way out when its item has ended already.
TEST(stage_stop, a_stage_of_futures_may_end_before_its_turn_does) {
    pool workers{2};
    stage_group group{workers};
    for (int round = 0; round < 200; ++round) {
        std::atomic<int> handled{0};
        stage<int> made{
            group, {.capacity = 1}, [&](int) { return workers.submit([&] { ++handled; }); }};
        made.push(1);
        group.wait();
        EXPECT_EQ(handled, 1);
        expect_ended(made.statistics(), 1);
    }
}

} // namespace
} // namespace weft
