// A stage by itself: handlers, budgets, orders, priorities, and its numbers.
#include "conform/cpp/occupation.hpp"
#include "conform/cpp/rendezvous.hpp"
#include "conform/cpp/stage_adding_up.hpp"

#include <weft/completion.hpp>
#include <weft/resource.hpp>
#include <weft/stage.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace weft {
namespace {

using namespace test;

class stage_on : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(workers, stage_on, testing::Values(1, 2, 4));

TEST_P(stage_on, every_item_is_handled_once) {
    constexpr std::size_t items = 2'000;
    std::vector<std::atomic<int>> handled(items);
    pool workers{GetParam()};
    stage_group group{workers};
    stage<std::size_t> counting{
        group, {.capacity = items, .workers = 4}, [&](std::size_t i) { ++handled[i]; }};
    std::vector<std::jthread> threads;
    for (std::size_t first = 0; first < 2; ++first) {
        threads.emplace_back([&, first] {
            for (std::size_t i = first; i < items; i += 2) counting.push(i, when_full::fail);
        });
    }
    threads.clear();
    group.wait();
    for (const auto& each : handled) EXPECT_EQ(each, 1);
    expect_ended(counting.statistics(), items);
}

TEST_P(stage_on, what_a_handler_pushes_is_handled_by_the_next_stage) {
    pool workers{GetParam()};
    stage_group group{workers};
    std::atomic<int> sum{0};
    stage<int> last{group, {.name = "last", .capacity = 4, .workers = 2}, [&](int i) { sum += i; }};
    stage<int> first{group, {.name = "first", .capacity = 4, .workers = 2}, [&](int i) {
                         for (int k = 0; k < i % 4; ++k) last.push(1);
                     }};
    for (int i = 0; i < 400; ++i) first.push_or_wait(i);
    group.wait();
    EXPECT_EQ(sum, 600);
    expect_ended(first.statistics(), 400);
    expect_ended(last.statistics(), 600);
}

TEST(stage, calls_handlers_with_what_they_take) {
    pool workers{1};
    stage_group group{workers};
    std::string seen;
    stage<std::string> by_value{group, {}, [&](std::string s) { seen += s; }};
    stage<std::string> by_reference{group, {}, [&](std::string& s) { seen += s; }};
    stage<std::string> by_constant{group, {}, [&](const std::string& s) { seen += s; }};
    stage<std::unique_ptr<int>> owned{
        group, {}, [&](std::unique_ptr<int> p) { seen += std::to_string(*p); }};
    by_value.push("a");
    group.wait();
    by_reference.push("b");
    group.wait();
    by_constant.push("c");
    group.wait();
    owned.push(std::make_unique<int>(7));
    group.wait();
    EXPECT_EQ(seen, "abc7");
}

TEST(stage, a_batch_is_what_is_there_and_at_most_the_limit) {
    pool workers{1};
    stage_group group{workers};
    std::vector<std::size_t> sizes;
    std::vector<int> all;
    stage<int> batches{group, {.batch = 16}, [&](std::span<int> some) {
                           sizes.push_back(some.size());
                           all.insert(all.end(), some.begin(), some.end());
                       }};
    {
        const occupation busy{workers};
        for (int i = 0; i < 40; ++i) batches.push(i);
    }
    group.wait();
    std::vector<int> expected(40);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(all, expected);
    EXPECT_EQ(sizes, (std::vector<std::size_t>{16, 16, 8}));
    expect_ended(batches.statistics(), 40);
}

/// Counts how many are inside at the same time.
struct crowd {
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    void enter() {
        const int now = ++inside;
        int before = most;
        while (before < now && !most.compare_exchange_weak(before, now)) {
        }
    }
    void leave() { --inside; }
};

TEST(stage, never_more_workers_than_its_budget_are_in_it) {
    pool workers{4};
    stage_group group{workers};
    crowd inside;
    stage<int> limited{group, {.workers = 2}, [&](int) {
                           inside.enter();
                           std::this_thread::yield();
                           inside.leave();
                       }};
    for (int i = 0; i < 1'000; ++i) limited.push_or_wait(i);
    group.wait();
    EXPECT_LE(inside.most, 2);
}

TEST(stage, as_many_workers_as_its_budget_come) {
    pool workers{3};
    stage_group group{workers};
    meeting together{3};
    std::atomic<bool> met{true};
    stage<int> wide{group, {.workers = 3}, [&](int) {
                        if (!together.attend()) met = false;
                    }};
    for (int i = 0; i < 3; ++i) wide.push(i);
    group.wait();
    EXPECT_TRUE(met);
}

TEST(stage, a_budget_that_is_raised_is_used) {
    pool workers{2};
    stage_group group{workers};
    meeting together{2};
    event begun;
    std::atomic<bool> met{true};
    stage<int> changing{group, {}, [&](int) {
                            begun.happen();
                            if (!together.attend()) met = false;
                        }};
    changing.push(1);
    changing.push(2);
    begun.await();
    changing.set_workers(2);
    group.wait();
    EXPECT_TRUE(met);
}

TEST(stage, with_one_worker_items_keep_their_order) {
    pool workers{4};
    stage_group group{workers};
    std::vector<int> seen;
    stage<int> ordered_stage{
        group, {.workers = 4, .order = stage_order::submitted}, [&](int i) { seen.push_back(i); }};
    for (int i = 0; i < 2'000; ++i) ordered_stage.push_or_wait(i);
    group.wait();
    ASSERT_EQ(seen.size(), 2'000U);
    EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

TEST(stage, items_of_a_key_keep_their_order_and_do_not_overlap) {
    constexpr int keys = 7;
    pool workers{4};
    stage_group group{workers};
    std::array<std::vector<int>, keys> seen; // no lock: one item of a key at a time
    stage<int> keyed{group,
                     {.capacity = 64,
                      .workers = 4,
                      .key = [](const int& i) { return static_cast<std::size_t>(i % keys); }},
                     [&](int i) { seen[static_cast<std::size_t>(i % keys)].push_back(i); }};
    for (int i = 0; i < 3'000; ++i) keyed.push_or_wait(i);
    group.wait();
    std::size_t sum = 0;
    for (const auto& each : seen) {
        EXPECT_TRUE(std::is_sorted(each.begin(), each.end()));
        sum += each.size();
    }
    EXPECT_EQ(sum, 3'000U);
    expect_ended(keyed.statistics(), 3'000);
}

TEST(stage, different_keys_are_handled_at_the_same_time) {
    pool workers{2};
    stage_group group{workers};
    meeting together{2};
    std::atomic<bool> met{true};
    stage<int> keyed{
        group, {.workers = 2, .key = [](const int& i) { return std::size_t(i); }}, [&](int) {
            if (!together.attend()) met = false;
        }};
    keyed.push(1);
    keyed.push(2);
    group.wait();
    EXPECT_TRUE(met);
}

TEST(stage, higher_priorities_come_first_and_none_starves) {
    pool workers{1};
    stage_group group{workers};
    std::string seen;
    stage<char> levels{group, {}, [&](char c) { seen += c; }};
    {
        const occupation busy{workers};
        for (int i = 0; i < 40; ++i) levels.push('l', {.priority = priority::low});
        for (int i = 0; i < 40; ++i) levels.push('n');
        for (int i = 0; i < 40; ++i) levels.push('h', {.priority = priority::high});
    }
    group.wait();
    EXPECT_EQ(seen.substr(0, 21), "hhhhhhhhhhhhhhhhnnnnl");
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 'l'), 40);
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 'h'), 40);
}

TEST(stage, what_is_too_late_is_reported_and_not_handled) {
    pool workers{1};
    stage_group group{workers};
    std::vector<std::string> seen;
    stage<int> timed{group,
                     {.on_drop =
                          [&](int& i, drop_reason reason) {
                              EXPECT_EQ(reason, drop_reason::late);
                              seen.push_back("late " + std::to_string(i));
                          }},
                     [&](int i) { seen.push_back(std::to_string(i)); }};
    const auto now = std::chrono::steady_clock::now();
    timed.push(1, {.deadline = now - std::chrono::seconds{1}});
    timed.push(2, {.deadline = now + std::chrono::hours{1}});
    group.wait();
    EXPECT_EQ(seen, (std::vector<std::string>{"late 1", "2"}));
    expect_ended(timed.statistics(), 1, 0, 1);
}

TEST(stage, an_item_ends_when_the_future_of_its_handler_is_ready) {
    pool workers{2};
    stage_group group{workers};
    std::vector<completion<void>> waiting;
    std::mutex guard;
    stage<int> asking{group, {.workers = 2}, [&](int) {
                          const std::scoped_lock lock{guard};
                          waiting.emplace_back(workers);
                          return waiting.back().get_future();
                      }};
    for (int i = 0; i < 3; ++i) asking.push(i);
    const auto begun = [&] {
        const std::scoped_lock lock{guard};
        return waiting.size();
    };
    ASSERT_TRUE(comes_soon([&] { return begun() == 2; }));
    EXPECT_EQ(asking.statistics().queued, 1U); // pending items use up the budget
    EXPECT_EQ(asking.statistics().running, 2U);
    {
        const std::scoped_lock lock{guard};
        waiting[0].complete();
    }
    ASSERT_TRUE(comes_soon([&] { return begun() == 3; }));
    const std::scoped_lock lock{guard};
    waiting[1].complete();
    waiting[2].fail(std::make_exception_ptr(error{errc::cancelled, "test"}));
    group.wait();
    expect_ended(asking.statistics(), 2, 1);
}

TEST(stage, items_that_need_the_same_resource_do_not_overlap) {
    pool workers{2};
    stage_group group{workers};
    std::array<resource<int>, 3> accounts{resource<int>{0}, resource<int>{0}, resource<int>{0}};
    stage<std::size_t> transfer{
        group,
        {.workers = 4},
        [&](std::size_t& i) { return when(accounts[i % 3], accounts[(i + 1) % 3]); },
        [](std::size_t, int& from, int& to) {
            --from;
            ++to;
        }};
    for (std::size_t i = 0; i < 600; ++i) transfer.push_or_wait(i);
    group.wait();
    for (auto& each : accounts) {
        EXPECT_EQ(when(read(each)).submit(workers, [](const int& v) { return v; }).get(), 0);
    }
    expect_ended(transfer.statistics(), 600);
}

TEST(stage, a_paused_stage_accepts_items_and_begins_none) {
    pool workers{2};
    stage_group group{workers};
    std::atomic<int> handled{0};
    stage<int> paused{group, {}, [&](int) { ++handled; }};
    paused.pause();
    for (int i = 0; i < 10; ++i) paused.push(i);
    workers.run([] {});
    EXPECT_EQ(handled, 0);
    EXPECT_EQ(paused.size(), 10U);
    paused.resume();
    group.wait();
    EXPECT_EQ(handled, 10);
}

TEST(stage, measures_waits_and_services) {
    pool workers{1};
    stage_group group{workers};
    stage<int> slow{group, {.name = "slow"}, [](int) {
                        std::this_thread::sleep_for(std::chrono::milliseconds{2});
                    }};
    slow.pause(); // all are there before the first begins
    for (int i = 0; i < 5; ++i) slow.push(i);
    slow.resume();
    group.wait();
    const stage_statistics seen = slow.statistics();
    EXPECT_EQ(seen.name, "slow");
    EXPECT_GE(seen.service.p50, std::chrono::milliseconds{1});
    EXPECT_GE(seen.service.longest, seen.service.p50);
    EXPECT_GE(seen.wait.longest, std::chrono::milliseconds{4}); // the last waits for four others
    EXPECT_EQ(group.statistics().size(), 1U);
}

TEST(stage, measures_services_until_the_future_is_ready) {
    pool workers{1};
    stage_group group{workers};
    stage<int> slow{group, {}, [&](int) {
                        return workers.submit(
                            [] { std::this_thread::sleep_for(std::chrono::milliseconds{2}); });
                    }};
    slow.push(1);
    group.wait();
    EXPECT_GE(slow.statistics().service.longest, std::chrono::milliseconds{1});
}

TEST(stage, a_pause_concerns_what_a_run_has_taken) {
    pool workers{1};
    stage_group group{workers};
    int handled = 0;
    stage<int>* self = nullptr;
    stage<int> some{group, {}, [&](int i) {
                        ++handled;
                        if (i == 1) self->pause();
                    }};
    self = &some;
    for (int i = 0; i < 100; ++i) some.push(0); // now it is known that they are short
    group.wait();
    some.pause();
    some.push(1);
    for (int i = 0; i < 20; ++i) some.push(0);
    some.resume();
    ASSERT_TRUE(comes_soon([&] {
        const stage_statistics seen = some.statistics();
        return seen.done == 101 && seen.running == 0;
    }));
    EXPECT_EQ(handled, 101);
    some.resume();
    group.wait();
    EXPECT_EQ(handled, 121);
}

TEST(stage, its_memory_serves_another_stage) {
    pool workers{2};
    stage_group group{workers};
    for (int round = 0; round < 50; ++round) {
        std::atomic<int> handled{0};
        stage<int> made{group, {.capacity = 2, .workers = 2}, [&](int) { ++handled; }};
        for (int i = 0; i < 5; ++i) made.push_or_wait(i);
        group.wait();
        EXPECT_EQ(handled, 5);
        expect_ended(made.statistics(), 5);
    }
    EXPECT_TRUE(group.statistics().empty());
}

TEST(stage, many_quiet_stages_disturb_none) {
    pool workers{2};
    stage_group group{workers};
    std::vector<std::unique_ptr<stage<int>>> quiet;
    std::atomic<int> handled{0};
    for (int i = 0; i < 2'000; ++i) {
        quiet.push_back(
            std::make_unique<stage<int>>(group, stage_options<int>{}, [&](int) { ++handled; }));
    }
    await_sleep(workers); // it does: quiet stages are no work
    quiet[1'234]->push(1);
    group.wait();
    EXPECT_EQ(handled, 1);
}

TEST(stage, refuses_options_outside_their_ranges) {
    pool workers{1};
    stage_group group{workers};
    const auto nothing = [](int) {};
    const auto make = [&](stage_options<int> options) {
        return error_of([&] { stage<int>{group, std::move(options), nothing}; });
    };
    EXPECT_EQ(make({}), "none");
    EXPECT_EQ(make({.capacity = 0}), "invalid_argument");
    EXPECT_EQ(make({.capacity = (std::size_t{1} << 30) + 1}), "invalid_argument");
    EXPECT_EQ(make({.workers = 0}), "invalid_argument");
    EXPECT_EQ(make({.workers = 65'536}), "invalid_argument");
    EXPECT_EQ(make({.share = 0}), "invalid_argument");
    EXPECT_EQ(make({.share = 1'001}), "invalid_argument");
    EXPECT_EQ(make({.batch = 0}), "invalid_argument");
    EXPECT_EQ(make({.target = std::chrono::nanoseconds{-1}}), "invalid_argument");
    stage<int> made{group, {}, nothing};
    EXPECT_EQ(error_of([&] { made.set_capacity(0); }), "invalid_argument");
    EXPECT_EQ(error_of([&] { made.set_workers(0); }), "invalid_argument");
    EXPECT_EQ(error_of([&] { made.set_share(0); }), "invalid_argument");
}

} // namespace
} // namespace weft
