// Full stages: what a push does, who waits, and circles.
#include "conform/cpp/occupation.hpp"
#include "conform/cpp/rendezvous.hpp"
#include "conform/cpp/stage_adding_up.hpp"

#include <weft/detail/pool/operation.hpp>
#include <weft/stage.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace weft {
namespace {

using namespace test;

/// A stage of two places whose handler waits to be let go; it has one item.
struct held_stage {
    pool workers{2};
    stage_group group{workers};
    event begun;
    event go;
    std::mutex guard;
    std::vector<int> handled;
    std::vector<int> dropped;
    stage<int> held;

    held_stage()
        : held{group,
               {.name = "held",
                .capacity = 2,
                .on_drop = [this](int& i, drop_reason) { note(dropped, i); }},
               [this](int i) {
                   begun.happen();
                   go.await();
                   note(handled, i);
               }} {
        held.push(0);
        begun.await();
    }
    ~held_stage() { go.happen(); }
    void note(std::vector<int>& list, int i) {
        const std::scoped_lock lock{guard};
        list.push_back(i);
    }
    void fill() {
        held.push(1);
        held.push(2);
    }
    void finish() {
        go.happen();
        group.wait();
    }
};

TEST(full_stage, try_push_leaves_the_item_to_its_caller) {
    held_stage all;
    all.fill();
    int item = 3;
    EXPECT_FALSE(all.held.try_push(item));
    EXPECT_EQ(all.held.statistics().refused, 1U);
    all.finish();
    EXPECT_TRUE(all.held.try_push(item));
    all.group.wait();
    EXPECT_EQ(all.handled, (std::vector<int>{0, 1, 2, 3}));
    expect_ended(all.held.statistics(), 4);
}

TEST(full_stage, a_push_may_fail) {
    held_stage all;
    all.fill();
    EXPECT_EQ(error_of([&] { all.held.push(3, when_full::fail); }), "full");
    EXPECT_EQ(error_of([&] { all.held.push(3); }), "full"); // no run that could wait
    EXPECT_EQ(all.held.statistics().refused, 2U);
    all.finish();
    EXPECT_EQ(all.handled, (std::vector<int>{0, 1, 2}));
}

TEST(full_stage, a_push_may_drop_the_newest) {
    held_stage all;
    EXPECT_TRUE(all.held.push(1, when_full::drop_newest));
    EXPECT_TRUE(all.held.push(2, when_full::drop_newest));
    EXPECT_FALSE(all.held.push(3, when_full::drop_newest));
    EXPECT_EQ(all.dropped, std::vector<int>{3});
    all.finish();
    EXPECT_EQ(all.handled, (std::vector<int>{0, 1, 2}));
    expect_ended(all.held.statistics(), 3, 0, 1);
}

TEST(full_stage, a_push_may_drop_the_oldest) {
    held_stage all;
    all.fill();
    EXPECT_TRUE(all.held.push(3, when_full::drop_oldest));
    EXPECT_TRUE(all.held.push(4, when_full::drop_oldest));
    EXPECT_EQ(all.dropped, (std::vector<int>{1, 2}));
    all.finish();
    EXPECT_EQ(all.handled, (std::vector<int>{0, 3, 4}));
    expect_ended(all.held.statistics(), 3, 0, 2);
}

TEST(full_stage, a_thread_outside_waits_for_room) {
    held_stage all;
    all.fill();
    std::atomic<bool> pushed{false};
    std::jthread outside{[&] {
        all.held.push_or_wait(3);
        pushed = true;
    }};
    spin_until([&] { return all.held.size() == 3; });
    EXPECT_FALSE(pushed);
    all.go.happen();
    outside.join();
    all.group.wait();
    EXPECT_EQ(all.handled, (std::vector<int>{0, 1, 2, 3}));
}

TEST(full_stage, a_future_waits_for_room_in_order) {
    held_stage all;
    future<void> first = all.held.push_later(1);
    future<void> second = all.held.push_later(2);
    EXPECT_TRUE(first.ready());
    EXPECT_TRUE(second.ready());
    future<void> third = all.held.push_later(3);
    future<void> fourth = all.held.push_later(4);
    EXPECT_FALSE(third.ready());
    all.finish();
    third.get();
    fourth.get();
    EXPECT_EQ(all.handled, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(full_stage, more_capacity_lets_waiting_pushes_in) {
    held_stage all;
    all.fill();
    future<void> third = all.held.push_later(3);
    EXPECT_FALSE(third.ready());
    all.held.set_capacity(3);
    EXPECT_TRUE(third.ready());
    EXPECT_EQ(all.held.statistics().capacity, 3U);
    all.held.set_capacity(1);
    EXPECT_EQ(error_of([&] { all.held.push(4); }), "full");
    all.finish();
    expect_ended(all.held.statistics(), 4);
}

TEST(full_stage, a_worker_may_not_wait_for_room) {
    held_stage all;
    all.fill();
    all.workers.run(
        [&] { EXPECT_EQ(error_of([&] { all.held.push_or_wait(3); }), "would_deadlock"); });
    all.finish();
    EXPECT_EQ(all.handled, (std::vector<int>{0, 1, 2}));
}

/// Waits for an operation.
struct operation_waiter : detail::completion_node {
    event ended;
    operation_waiter() noexcept {
        notify = [](detail::completion_node& self) noexcept {
            static_cast<operation_waiter&>(self).ended.happen();
        };
    }
};
static_assert(detail::operation<detail::push_operation<int>>);

TEST(full_stage, an_operation_ends_when_there_is_room) {
    held_stage all;
    operation_waiter at_once;
    auto first = all.held.push_when_room(1);
    EXPECT_FALSE(first.start(at_once));
    first.take();
    all.held.push(2);
    operation_waiter later;
    auto waiting = all.held.push_when_room(3);
    ASSERT_TRUE(waiting.start(later));
    EXPECT_FALSE(later.ended.has_happened());
    all.go.happen();
    later.ended.await();
    waiting.take();
    all.group.wait();
    EXPECT_EQ(all.handled, (std::vector<int>{0, 1, 2, 3}));
}

TEST(full_stage, an_operation_may_be_cancelled) {
    held_stage all;
    all.fill();
    operation_waiter waiter;
    {
        auto waiting = all.held.push_when_room(3);
        ASSERT_TRUE(waiting.start(waiter));
        waiting.cancel();
        EXPECT_TRUE(waiter.ended.has_happened());
        waiting.cancel();
        EXPECT_EQ(error_of([&] { waiting.take(); }), "cancelled");
        auto unstarted = all.held.push_when_room(4);
        unstarted.cancel();
        EXPECT_FALSE(unstarted.start(waiter));
        EXPECT_EQ(error_of([&] { unstarted.take(); }), "cancelled");
    }
    all.finish();
    EXPECT_EQ(all.handled, (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(all.dropped, std::vector<int>{3});
    expect_ended(all.held.statistics(), 3, 0, 1);
}

TEST(full_stage, a_run_that_pushes_waits_before_its_next_item) {
    held_stage all;
    std::atomic<int> begun{0};
    stage<int> before{all.group, {.name = "before"}, [&](int i) {
                          ++begun;
                          all.held.push(i);
                      }};
    for (int i = 1; i <= 10; ++i) before.push(i);
    ASSERT_TRUE(comes_soon([&] { return begun == 3; })); // two have room, the third waits
    all.workers.run([] {});
    EXPECT_EQ(begun, 3);
    EXPECT_EQ(all.held.size(), 3U);
    EXPECT_EQ(before.statistics().done, 3U);
    all.finish();
    EXPECT_EQ(begun, 10);
    EXPECT_EQ(all.handled.size(), 11U);
    EXPECT_TRUE(std::is_sorted(all.handled.begin(), all.handled.end()));
}

TEST(full_stage, a_run_waits_for_several_stages) {
    pool workers{2};
    stage_group group{workers};
    std::atomic<int> sum{0};
    const auto add = [&](int i) { sum += i; };
    stage<int> left{group, {.capacity = 1}, add};
    stage<int> right{group, {.capacity = 2}, add};
    stage<int> both{group, {.capacity = 3, .workers = 2}, [&](int i) {
                        left.push(i);
                        right.push(i);
                        left.push(i);
                    }};
    for (int i = 0; i < 500; ++i) both.push_or_wait(1);
    group.wait();
    EXPECT_EQ(sum, 1'500);
}

TEST(full_stage, what_a_waiting_run_has_taken_is_for_other_runs) {
    pool workers{1};
    stage_group group{workers};
    std::atomic<int> handled{0};
    stage<int> full{group, {.capacity = 1}, [](int) {}};
    stage<int> before{group, {.workers = 2}, [&](int i) {
                          ++handled;
                          if (i == 1) full.push(i);
                      }};
    for (int i = 0; i < 100; ++i) before.push(0); // now it is known that they are short
    group.wait();
    full.pause();
    full.push(0);
    before.pause();
    before.push(1);
    for (int i = 0; i < 7; ++i) before.push(0);
    before.resume();
    EXPECT_TRUE(comes_soon([&] { return handled == 108; }));
    full.resume();
    group.wait();
}

TEST(full_stage, a_run_that_goes_on_begins_nothing_while_its_stage_is_paused) {
    pool workers{1};
    stage_group group{workers};
    std::atomic<int> handled{0};
    stage<int> full{group, {.capacity = 1}, [](int) {}};
    stage<int> before{group, {}, [&](int i) {
                          ++handled;
                          if (i == 0) full.push(i);
                      }};
    full.pause();
    full.push(0);
    before.push(0);
    ASSERT_TRUE(comes_soon([&] { return full.size() == 2; }));
    before.pause();
    for (int i = 1; i <= 30; ++i) before.push(i);
    full.resume();
    ASSERT_TRUE(comes_soon([&] { return before.statistics().running == 0; }));
    EXPECT_EQ(handled, 1);
    before.resume();
    group.wait();
    EXPECT_EQ(handled, 31);
}

TEST(full_stage, a_push_of_an_item_that_is_dropped_does_not_wait) {
    pool workers{1};
    stage_group group{workers};
    std::string told;
    stage<int> full{group, {.capacity = 1}, [](int) {}};
    stage<int> dropping{
        group,
        {.on_drop = [&](int& i, drop_reason) { told = error_of([&] { full.push(i); }); }},
        [](int) {}};
    full.pause();
    full.push(0);
    dropping.push(1, {.deadline = std::chrono::steady_clock::now() - std::chrono::seconds{1}});
    ASSERT_TRUE(comes_soon([&] { return dropping.statistics().dropped == 1; }));
    EXPECT_EQ(told, "full");
    EXPECT_EQ(full.size(), 1U);
    full.resume();
    group.wait();
}

// Circles

/// Its run has begun some items, and not given back their room yet.
TEST(full_stage, a_stage_that_pushes_one_for_one_into_itself_goes_on) {
    pool workers{1};
    stage_group group{workers};
    stage<int>* self = nullptr;
    stage<int> alone{group, {.capacity = 64}, [&](int i) {
                         if (i > 0) self->push(i - 1);
                     }};
    self = &alone;
    alone.pause();
    for (int i = 0; i < 64; ++i) alone.push(3);
    alone.resume();
    group.wait();
    expect_ended(alone.statistics(), 256);
}

std::string message_of(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const error& known) {
        return known.what();
    }
}

TEST(full_stage, a_stage_that_waits_for_itself_is_told) {
    pool workers{1};
    stage_group group{workers};
    std::string message;
    stage<int>* self = nullptr;
    stage<int> alone{group,
                     {.name = "alone",
                      .capacity = 1,
                      .on_error = [&](int&, std::exception_ptr e) { message = message_of(e); }},
                     [&](int i) {
                         if (i > 1) return;
                         self->push(2);
                         self->push(3);
                     }};
    self = &alone;
    alone.push(1);
    group.wait();
    EXPECT_NE(message.find("alone -> alone"), std::string::npos) << message;
    expect_ended(alone.statistics(), 1, 1);
}

TEST(full_stage, stages_that_wait_for_each_other_are_told_which) {
    pool workers{2};
    stage_group group{workers};
    std::mutex guard;
    std::vector<std::string> messages;
    const auto keep = [&](int&, std::exception_ptr e) {
        const std::scoped_lock lock{guard};
        messages.push_back(message_of(e));
    };
    stage<int>* first = nullptr;
    stage<int> c{group, {.name = "c", .capacity = 1, .on_error = keep}, [&](int i) {
                     first->push(i);
                     first->push(i);
                 }};
    stage<int> b{group, {.name = "b", .capacity = 1, .on_error = keep}, [&](int i) { c.push(i); }};
    stage<int> a{group, {.name = "a", .capacity = 1, .on_error = keep}, [&](int i) { b.push(i); }};
    first = &a;
    for (int i = 0; i < 4; ++i) static_cast<void>(a.push_later(i));
    // The items double in each round, and fail where that would wait for ever.
    ASSERT_TRUE(comes_soon([&] {
        const std::scoped_lock lock{guard};
        return !messages.empty();
    }));
    group.stop(on_stop::cancel);
    const std::scoped_lock lock{guard};
    const std::string circle = messages.front();
    EXPECT_NE(circle.find("weft::stage::push: "), std::string::npos) << circle;
    EXPECT_NE(circle.find(" -> "), std::string::npos) << circle;
    for (const stage_statistics& each : group.statistics()) expect_adds_up(each);
}

TEST(full_stage, a_circle_that_drops_goes_on) {
    pool workers{2};
    stage_group group{workers};
    stage<int>* first = nullptr;
    stage<int> back{group, {.capacity = 1}, [&](int i) {
                        if (i > 0) first->push(i - 1, when_full::drop_oldest);
                        if (i > 0) first->push(i - 1, when_full::drop_newest);
                    }};
    stage<int> forth{group, {.capacity = 1}, [&](int i) { back.push(i); }};
    first = &forth;
    forth.push(50);
    group.wait();
    for (const stage_statistics& each : group.statistics()) {
        expect_adds_up(each);
        EXPECT_EQ(each.failed, 0U);
    }
}

} // namespace
} // namespace weft
