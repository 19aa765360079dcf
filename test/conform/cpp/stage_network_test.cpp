// Networks of stages: the story that they come from, changes while they run, shares, and overload.
#include "conform/cpp/rendezvous.hpp"
#include "conform/cpp/stage_adding_up.hpp"

#include <weft/completion.hpp>
#include <weft/detail/stage/load_control.hpp>
#include <weft/resource.hpp>
#include <weft/stage.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace weft {
namespace {

using namespace test;

/// Find which of thousands of objects a task concerns, modify them without locks, write by a
/// callback, and report; on as many threads as CPUs.
TEST(stage_network, tasks_find_modify_write_and_report) {
    constexpr std::size_t objects = 3'000;
    constexpr std::size_t tasks = 2'000;
    struct task {
        std::size_t number = 0;
        std::vector<std::size_t> concerned;
    };
    std::vector<resource<long>> store(objects);
    pool workers{usable_cpus()};
    std::mutex guard;
    std::deque<completion<void>> writes; // to a device that calls back
    std::atomic<bool> ended{false};
    std::jthread device{[&] {
        for (;;) {
            const bool last = ended;
            std::deque<completion<void>> some;
            {
                const std::scoped_lock lock{guard};
                some.swap(writes);
            }
            for (auto& each : some) each.complete();
            if (some.empty() && last) return;
            if (some.empty()) std::this_thread::yield();
        }
    }};
    std::vector<int> reported(tasks);
    stage_group group{workers};
    stage<task> report{
        group, {.name = "report", .capacity = 16}, [&](task t) { ++reported[t.number]; }};
    stage<task> write{group, {.name = "write", .capacity = 16, .workers = 8}, [&](task& t) {
                          completion<void> done{workers};
                          future<void> result = done.get_future();
                          {
                              const std::scoped_lock lock{guard};
                              writes.push_back(std::move(done));
                          }
                          return std::move(result).then([&report, &t](future<void> ready) {
                              ready.get();
                              static_cast<void>(report.push_later(t));
                          });
                      }};
    stage<task> modify{group,
                       {.name = "modify", .capacity = 16, .workers = 8},
                       [&](task& t) {
                           std::vector<resource<long>*> named;
                           for (const std::size_t i : t.concerned) named.push_back(&store[i]);
                           return when(named);
                       },
                       [&](task& t, std::span<long* const> data) {
                           for (long* each : data) ++*each;
                           write.push(std::move(t));
                       }};
    stage<task> find{group, {.name = "find", .capacity = 16, .workers = 2}, [&](task t) {
                         for (std::size_t i = 0; i < 3; ++i) {
                             t.concerned.push_back((t.number * 7 + i * 11) % objects);
                         }
                         modify.push(std::move(t));
                     }};
    for (std::size_t i = 0; i < tasks; ++i) find.push_or_wait(task{i, {}});
    group.wait();
    ended = true;
    device.join();
    for (const int each : reported) EXPECT_EQ(each, 1);
    for (const stage_statistics& each : group.statistics()) expect_ended(each, tasks);
    long sum = 0;
    for (auto& each : store) {
        sum += when(read(each)).submit(workers, [](const long& v) { return v; }).get();
    }
    EXPECT_EQ(sum, 3 * static_cast<long>(tasks));
}

/// A network without circles, each of whose stages pushes into some behind it, while budgets,
/// shares and capacities change: every item arrives, and the numbers add up at any time.
TEST(stage_network, loses_nothing_while_its_settings_change) {
    constexpr std::size_t count = 5;
    constexpr int items = 1'500;
    pool workers{3};
    stage_group group{workers};
    std::atomic<std::uint64_t> arrived{0};
    std::vector<std::unique_ptr<stage<int>>> all(count);
    for (std::size_t i = 0; i < count; ++i) {
        all[i] = std::make_unique<stage<int>>(
            group, stage_options<int>{.name = std::to_string(i), .capacity = 3, .workers = 2},
            [&, i](int value) {
                if (i == 0) {
                    ++arrived;
                    return;
                }
                all[i - 1]->push(value);
                if (value % 3 == 0) all[i / 2]->push(value);
            });
    }
    std::atomic<bool> over{false};
    std::jthread changes{[&] {
        std::mt19937 random{1};
        while (!over) {
            stage<int>& some = *all[random() % count];
            some.set_workers(1 + random() % 3);
            some.set_capacity(1 + random() % 6);
            some.set_share(1 + random() % 5);
            if (random() % 8 == 0) {
                some.pause();
                std::this_thread::yield();
                some.resume();
            }
            for (const stage_statistics& each : group.statistics()) expect_adds_up(each);
            std::this_thread::yield();
        }
    }};
    for (int i = 0; i < items; ++i) all[count - 1]->push_or_wait(i);
    group.wait();
    over = true;
    changes.join();
    // Stages 1 to 4 push each item on, and a third of them twice.
    std::vector<std::uint64_t> third(count);
    std::vector<std::uint64_t> rest(count);
    third[count - 1] = items / 3;
    rest[count - 1] = items - items / 3;
    for (std::size_t i = count - 1; i > 0; --i) {
        third[i - 1] += third[i];
        rest[i - 1] += rest[i];
        third[i / 2] += third[i];
    }
    EXPECT_EQ(arrived, third[0] + rest[0]);
    for (std::size_t i = 0; i < count; ++i) {
        expect_ended(all[i]->statistics(), third[i] + rest[i]);
    }
    while (!all.empty()) all.pop_back(); // the last stages first, as they push into the others
}

/// The time of a stage of share 3, divided by that of one of share 1, while both have items.
double ratio_of_times() {
    pool workers{1};
    stage_group group{workers};
    std::atomic<bool> over{false};
    std::atomic<int> turns{0};
    struct worker_time {
        std::uint64_t ticks = 0;
    };
    std::array<worker_time, 2> times;
    const auto spin = [&](std::size_t which) {
        const std::uint64_t start = sync::tick_counter::now();
        while (sync::tick_counter::now() - start < 2 * sync::tick_counter::in_microsecond) {
        }
        times[which].ticks += sync::tick_counter::now() - start;
        if (++turns > 20'000) over = true;
    };
    stage<int>* again_light = nullptr;
    stage<int>* again_heavy = nullptr;
    stage<int> light{group, {.share = 1}, [&](int) {
                         spin(0);
                         if (!over) again_light->push(0);
                     }};
    stage<int> heavy{group, {.share = 3}, [&](int) {
                         spin(1);
                         if (!over) again_heavy->push(0);
                     }};
    again_light = &light;
    again_heavy = &heavy;
    light.pause();
    heavy.pause();
    for (int i = 0; i < 8; ++i) {
        light.push(0);
        heavy.push(0);
    }
    light.resume();
    heavy.resume();
    group.wait();
    return static_cast<double>(times[1].ticks) / static_cast<double>(times[0].ticks);
}

/// The time for which a worker is preempted in a handler counts, and is made up for only later: so
/// one measurement without much of it is enough.
TEST(stage_network, shares_divide_the_time_of_workers) {
    double ratio = 0;
    for (int attempt = 0; attempt < 10; ++attempt) {
        ratio = ratio_of_times();
        if (ratio > 2.4 && ratio < 3.6) return;
    }
    FAIL() << ratio;
}

TEST(load_control, lowers_the_limit_while_items_are_late_and_raises_it_when_it_binds) {
    detail::load_control control{1'000, 500};
    EXPECT_EQ(control.limit(), 500U);
    EXPECT_FALSE(control.decide(10, 5, 5, true)); // too early, and too few
    EXPECT_TRUE(control.decide(2'010, 100, 50, true));
    EXPECT_EQ(control.limit(), 50U); // what begins in the time of the target
    EXPECT_TRUE(control.decide(4'010, 100, 0, false));
    EXPECT_EQ(control.limit(), 50U); // enough
    EXPECT_TRUE(control.decide(6'010, 100, 1, true));
    EXPECT_EQ(control.limit(), 51U); // 1 of 100 may be late
    for (std::uint64_t now = 8'010; now < 1'000'000; now += 2'000) {
        static_cast<void>(control.decide(now, 100, 0, true));
    }
    EXPECT_EQ(control.limit(), 500U); // never more than the capacity
    for (std::uint64_t now = 1'000'010; now < 2'000'000; now += 2'000) {
        static_cast<void>(control.decide(now, 20, 20, true));
    }
    EXPECT_EQ(control.limit(), 1U); // never nothing
    control.set_most(10);
    EXPECT_EQ(control.limit(), 1U);
}

TEST(load_control, keeps_its_promise_in_a_simulated_overload) {
    // One worker, 10 ticks for an item, 4 items offered in that time, target 1,000 ticks.
    detail::load_control control{1'000, 100'000};
    std::deque<std::uint64_t> queue;
    std::uint64_t begun = 0;
    std::uint64_t late = 0;
    std::uint64_t all_begun = 0;
    std::uint64_t all_late = 0;
    bool refused = false;
    for (std::uint64_t now = 10; now < 2'000'000; now += 10) {
        for (int i = 0; i < 4; ++i) {
            if (queue.size() < control.limit()) queue.push_back(now);
            else refused = true;
        }
        ASSERT_FALSE(queue.empty()); // the worker always has something to do
        const std::uint64_t wait = now - queue.front();
        queue.pop_front();
        ++begun;
        ++all_begun;
        if (wait > 1'000) ++late;
        if (wait > 3'000) ++all_late;
        if (control.decide(now, begun, late, refused)) {
            begun = 0;
            late = 0;
            refused = false;
        }
    }
    EXPECT_LE(all_late * 100, all_begun); // of 99 of 100 the wait is at most three times the target
}

TEST(stage_network, a_stage_with_a_target_lowers_what_may_wait) {
    pool workers{1};
    stage_group group{workers};
    std::atomic<int> refused{0};
    stage<int> slow{
        group, {.capacity = 100'000, .target = std::chrono::microseconds{200}}, [](int) {
            const std::uint64_t start = sync::tick_counter::now();
            while (sync::tick_counter::now() - start < 20 * sync::tick_counter::in_microsecond) {
            }
        }};
    ASSERT_TRUE(comes_soon([&] {
        for (int i = 0; i < 1'000; ++i) {
            if (!slow.try_push(i)) ++refused;
        }
        return slow.statistics().limit < 1'000 && refused > 0;
    }));
    group.stop(on_stop::cancel);
    EXPECT_EQ(slow.statistics().capacity, 100'000U);
}

} // namespace
} // namespace weft
