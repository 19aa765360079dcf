// Stages: failing items, stopping, and what is left of a stopped pool.
#include "conform/cpp/occupation.hpp"
#include "conform/cpp/rendezvous.hpp"
#include "conform/cpp/stage_adding_up.hpp"

#include <weft/resource.hpp>
#include <weft/stage.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace weft {
namespace {

using namespace test;

std::string text_of(std::exception_ptr thrown) {
    try {
        std::rethrow_exception(std::move(thrown));
    } catch (const std::exception& known) {
        return known.what();
    }
}

TEST(stage_errors, a_failed_item_goes_to_the_handler_with_its_exception) {
    pool workers{1};
    stage_group group{workers};
    std::vector<std::string> dead;
    stage<int> failing{group,
                       {.on_error =
                            [&](int& i, std::exception_ptr e) {
                                dead.push_back(std::to_string(i) + text_of(std::move(e)));
                            }},
                       [](int i) {
                           if (i % 2 == 1) throw std::runtime_error{" is odd"};
                       }};
    for (int i = 0; i < 4; ++i) failing.push(i);
    group.wait();
    EXPECT_EQ(dead, (std::vector<std::string>{"1 is odd", "3 is odd"}));
    expect_ended(failing.statistics(), 2, 2);
}

TEST(stage_errors, without_a_handler_they_go_to_the_pool) {
    std::atomic<int> reported{0};
    pool workers{pool_options{.workers = 2, .on_error = [&](std::exception_ptr) { ++reported; }}};
    stage_group group{workers};
    stage<int> failing{group, {}, [](int) { throw std::runtime_error{"always"}; }};
    stage<int> handler_fails{
        group,
        {.on_error = [](int&, std::exception_ptr) { throw std::runtime_error{"handler"}; }},
        [](int) { throw std::runtime_error{"always"}; }};
    failing.push(1);
    handler_fails.push(1);
    group.wait();
    EXPECT_EQ(reported, 2);
    expect_ended(failing.statistics(), 0, 1);
}

TEST(stage_errors, an_item_is_retried_as_often_as_asked) {
    pool workers{2};
    stage_group group{workers};
    std::atomic<int> calls{0};
    std::atomic<int> dead{0};
    const auto count = [&](int&, std::exception_ptr) { ++dead; };
    const auto fails_twice = [&](const int&) {
        if (++calls < 3) throw std::runtime_error{"not yet"};
    };
    stage<int> later{group, {.retries = 2, .on_error = count}, fails_twice};
    later.push(1);
    group.wait();
    EXPECT_EQ(calls, 3);
    expect_ended(later.statistics(), 1);
    calls = -100;
    later.push(1);
    group.wait();
    EXPECT_EQ(calls, -97);
    EXPECT_EQ(dead, 1);
    expect_ended(later.statistics(), 1, 1);
}

TEST(stage_errors, retries_keep_the_order_if_there_is_one) {
    pool workers{2};
    stage_group group{workers};
    std::vector<int> seen;
    bool failed = false;
    const auto handle = [&](const int& i) {
        if (i == 1 && !std::exchange(failed, true)) throw std::runtime_error{"once"};
        seen.push_back(i);
    };
    stage<int> in_turn{group, {.order = stage_order::submitted, .retries = 1}, handle};
    for (int i = 0; i < 4; ++i) in_turn.push(i);
    group.wait();
    EXPECT_EQ(seen, (std::vector<int>{0, 1, 2, 3}));
    seen.clear();
    failed = false;
    stage<int> by_key{
        group, {.key = [](const int&) { return std::size_t{0}; }, .retries = 1}, handle};
    for (int i = 0; i < 4; ++i) by_key.push(i);
    group.wait();
    EXPECT_EQ(seen, (std::vector<int>{0, 1, 2, 3}));
}

TEST(stage_errors, a_batch_fails_together) {
    pool workers{1};
    stage_group group{workers};
    std::vector<int> dead;
    int calls = 0;
    const auto keep = [&](int& i, std::exception_ptr) { dead.push_back(i); };
    const auto fails = [&](std::span<int>) {
        ++calls;
        throw std::runtime_error{"all"};
    };
    stage<int> batches{group, {.batch = 4, .retries = 1, .on_error = keep}, fails};
    {
        const occupation busy{workers};
        for (int i = 0; i < 4; ++i) batches.push(i);
    }
    group.wait();
    EXPECT_EQ(dead, (std::vector<int>{0, 1, 2, 3}));
    EXPECT_EQ(calls, 2);
    stage<int> in_turn{
        group,
        {.batch = 4, .order = stage_order::submitted, .retries = 2, .on_error = keep},
        fails};
    in_turn.push(9);
    group.wait();
    EXPECT_EQ(calls, 5);
    EXPECT_EQ(dead.back(), 9);
    expect_ended(in_turn.statistics(), 0, 1);
}

TEST(stage_errors, items_with_resources_fail_and_are_retried) {
    pool workers{2};
    stage_group group{workers};
    resource<int> attempts{0};
    std::atomic<int> dead{0};
    stage<int> needing{group,
                       {.retries = 2, .on_error = [&](int&, std::exception_ptr) { ++dead; }},
                       [&](int&) { return when(attempts); },
                       [](int& i, int& count) {
                           if (++count < i) throw std::runtime_error{"not yet"};
                       }};
    needing.push(3);
    group.wait();
    needing.push(100);
    group.wait();
    EXPECT_EQ(dead, 1);
    expect_ended(needing.statistics(), 1, 1);
}

TEST(stage_errors, a_drop_handler_that_throws_is_reported) {
    std::atomic<int> reported{0};
    pool workers{pool_options{.workers = 1, .on_error = [&](std::exception_ptr) { ++reported; }}};
    stage_group group{workers};
    stage<int> dropping{
        group,
        {.capacity = 1, .on_drop = [](int&, drop_reason) { throw std::runtime_error{"drop"}; }},
        [](int) {}};
    {
        const occupation busy{workers};
        dropping.push(1);
        dropping.push(2, when_full::drop_newest);
    }
    group.wait();
    EXPECT_EQ(reported, 1);
    expect_ended(dropping.statistics(), 1, 0, 1);
}

TEST(stage_errors, a_stopped_group_drains_what_it_has) {
    pool workers{2};
    stage_group group{workers};
    std::atomic<int> ended{0};
    stage<int> last{group, {.capacity = 2}, [&](int) { ++ended; }};
    stage<int> first{group, {}, [&](int i) { last.push(i); }};
    for (int i = 0; i < 200; ++i) first.push(i);
    group.stop();
    EXPECT_EQ(ended, 200);
    EXPECT_EQ(error_of([&] { first.push(1); }), "stopped");
    EXPECT_EQ(error_of([&] { first.try_push(1); }), "stopped");
    EXPECT_EQ(error_of([&] { first.push_or_wait(1); }), "stopped");
    EXPECT_EQ(error_of([&] { static_cast<void>(first.push_when_room(1)); }), "stopped");
    EXPECT_EQ(error_of([&] { workers.run([&] { group.wait(); }); }), "would_deadlock");
    EXPECT_EQ(error_of([&] { workers.run([&] { group.stop(); }); }), "would_deadlock");
}

TEST(stage_errors, a_cancelled_group_drops_what_is_queued) {
    pool workers{1};
    stage_group group{workers};
    std::atomic<int> dropped{0};
    event begun;
    event go;
    stage<int> held{group,
                    {.on_drop =
                         [&](int&, drop_reason reason) {
                             EXPECT_EQ(reason, drop_reason::stopped);
                             ++dropped;
                         }},
                    [&](int) {
                        begun.happen();
                        go.await();
                    }};
    for (int i = 0; i < 10; ++i) held.push(i);
    begun.await();
    std::jthread stopper{[&] { group.stop(on_stop::cancel); }};
    spin_until([&] { return error_of([&] { held.push(0); }) == "stopped"; });
    go.happen();
    stopper.join();
    const stage_statistics seen = held.statistics();
    expect_adds_up(seen);
    EXPECT_EQ(seen.done + seen.dropped, seen.entered);
    EXPECT_EQ(seen.dropped, static_cast<std::uint64_t>(dropped.load()));
    EXPECT_GE(dropped, 1);
}

TEST(stage_errors, a_stopped_pool_leaves_items_that_are_dropped) {
    std::atomic<int> dropped{0};
    std::atomic<int> handled{0};
    {
        pool workers{1};
        stage_group group{workers};
        stage<int> last{group,
                        {.capacity = 1, .on_drop = [&](int&, drop_reason) { ++dropped; }},
                        [&](int) { ++handled; }};
        stage<int> held{group,
                        {.on_drop =
                             [&](int&, drop_reason reason) {
                                 EXPECT_EQ(reason, drop_reason::stopped);
                                 ++dropped;
                             }},
                        [&](int i) {
                            ++handled;
                            last.push(i);
                        }};
        held.pause();
        for (int i = 0; i < 10; ++i) held.push(i);
        workers.stop();
        EXPECT_EQ(error_of([&] { group.wait(); }), "stopped");
        EXPECT_EQ(error_of([&] { held.push(1); }), "stopped");
    }
    EXPECT_EQ(dropped, 10);
    EXPECT_EQ(handled, 0);
}

TEST(stage_errors, retries_at_once_need_no_stack) {
    pool workers{1};
    stage_group group{workers};
    constexpr unsigned retries = 30'000;
    unsigned calls = 0;
    std::atomic<int> dead{0};
    stage<int> failing{group,
                       {.retries = retries, .on_error = [&](int&, std::exception_ptr) { ++dead; }},
                       [&](int) -> future<void> {
                           ++calls;
                           throw 1;
                       }};
    failing.push(1);
    group.wait();
    EXPECT_EQ(calls, retries + 1);
    EXPECT_EQ(dead, 1);
}

} // namespace
} // namespace weft
