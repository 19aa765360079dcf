// In which order tasks on resources run.
#include "conform/cpp/rendezvous.hpp"

#include <weft/resource.hpp>
#include <weft/waits.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace weft {
namespace {

using namespace test;

using log_of = std::vector<int>;

/// How many tasks each queue has admitted that have not ended: the counters of the example.
template <class... Resources>
std::vector<int> counters(const Resources&... queues) {
    const auto all = tasks_on_resources();
    const auto count = [&](const void* id) {
        int admitted = 0;
        for (const waiting_task& task : all) {
            for (const waiting_claim& claim : task.claims) {
                admitted += claim.granted && claim.resource == id ? 1 : 0;
            }
        }
        return admitted;
    };
    return {count(id_of(queues))...};
}

// The counters are exact whenever a task has begun and nothing else moves: a task that ends leaves
// the reports before it passes its resources on. (It once left them afterwards, and the next task
// could begin in between.)
//
// The example of "Sequencing without Locks": T3 needs Q3, T1 needs Q1 and Q3, T2 needs Q1 and Q2.
// The text there labels T2 with Q3 where its first picture has it in Q1 and Q2, as here; and its
// third picture shows Q2 at 0, where by the rules T2, which has left that queue and still waits for
// Q1, keeps it at 1.
TEST(resource_order, the_worked_example_runs_as_described) {
    pool workers{2};
    resource<log_of> q1;
    resource<log_of> q2;
    resource<log_of> q3;
    event go[3];
    event begun[3];
    const auto run = [&](int task) {
        begun[task - 1].happen();
        blocking([&] { go[task - 1].await(); });
    };
    std::vector<int> order;
    auto t3 = when(q3).submit(workers, [&](log_of&) {
        order.push_back(3);
        run(3);
    });
    auto t1 = when(q1, q3).submit(workers, [&](log_of&, log_of&) {
        order.push_back(1);
        run(1);
    });
    auto t2 = when(q1, q2).submit(workers, [&](log_of&, log_of&) {
        order.push_back(2);
        run(2);
    });
    begun[2].await(); // first pass: T1 has left Q1, T2 has left Q2, T3 runs
    EXPECT_EQ(counters(q1, q2, q3), (std::vector{1, 1, 1}));
    go[2].happen();
    begun[0].await(); // second pass: T3 has ended, T1 has left Q3 and runs
    EXPECT_EQ(counters(q1, q2, q3), (std::vector{1, 1, 1}));
    EXPECT_FALSE(begun[1].has_happened());
    go[0].happen();
    begun[1].await(); // third pass: T1 has ended, T2 has left Q1 and runs
    t1.get();
    EXPECT_EQ(counters(q1, q2, q3), (std::vector{1, 1, 0}));
    go[1].happen();
    t2.get();
    t3.get();
    EXPECT_EQ(counters(q1, q2, q3), (std::vector{0, 0, 0}));
    EXPECT_EQ(order, (std::vector{3, 1, 2}));
}

/// Each body is the only task that is reported as having the resource, whatever becomes of the one
/// before it.
TEST(resource_order, a_task_that_has_begun_is_the_only_holder) {
    resource<int> shared{0};
    std::array<pool, 2> workers{pool{1}, pool{1}}; // the next task is always that of another thread
    const int rounds = sanitized ? 500 : 4'000;
    int most = 0; // read after the last task
    event ended[2];
    std::function<void(std::size_t)> submit_next = [&](std::size_t turn) {
        when(shared).submit(workers[turn], [&, turn](int& round) {
            most = std::max(most, counters(shared)[0]);
            if (++round < rounds) submit_next(turn);
            else ended[turn].happen();
        });
    };
    submit_next(0);
    submit_next(1);
    for (const event& each : ended) each.await();
    EXPECT_EQ(most, 1);
}

class resource_order_on : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(workers, resource_order_on, testing::Values(1, 2, 8, 64));

TEST_P(resource_order_on, first_come_first_served) {
    pool workers{GetParam()};
    resource<log_of> log;
    for (int i = 0; i < 1'000; ++i) {
        when(log).submit(workers, [i](log_of& all) { all.push_back(i); });
    }
    when(log)
        .submit(workers,
                [](const log_of& all) {
                    ASSERT_EQ(all.size(), 1'000U);
                    for (int i = 0; i < 1'000; ++i) {
                        EXPECT_EQ(all[static_cast<std::size_t>(i)], i);
                    }
                })
        .get();
}

/// From several threads: what each submitted is in its order, in every log.
TEST_P(resource_order_on, what_a_thread_submits_stays_in_its_order) {
    constexpr int threads = 3;
    const int each = sanitized ? 500 : 3'000;
    pool workers{GetParam()};
    std::array<resource<log_of>, 4> logs;
    {
        std::vector<std::jthread> submitters;
        for (int t = 0; t < threads; ++t) {
            submitters.emplace_back([&, t] {
                for (int i = 0; i < each; ++i) {
                    const int mark = t * each + i;
                    auto& one = logs[static_cast<std::size_t>(i * 7 + t) % 4];
                    auto& other = logs[static_cast<std::size_t>(i * 3 + 1) % 4];
                    when(one, other).submit(workers, [mark](log_of& a, log_of& b) {
                        a.push_back(mark);
                        if (&a != &b) b.push_back(mark);
                    });
                }
            });
        }
    }
    workers.stop();
    std::size_t total = 0;
    pool reader{1};
    std::array<std::vector<int>, 4> found;
    for (std::size_t i = 0; i < 4; ++i) {
        found[i] = when(logs[i]).submit(reader, [](log_of& all) { return all; }).get();
        total += found[i].size();
        std::array<int, threads> last{-1, -1, -1};
        for (const int mark : found[i]) {
            int& before = last[static_cast<std::size_t>(mark / each)];
            EXPECT_LT(before, mark);
            before = mark;
        }
    }
    EXPECT_GE(total, static_cast<std::size_t>(threads * each));
    // One order that all agree on: of two tasks that are both in two logs, the same one is first.
    std::vector<int> place(static_cast<std::size_t>(threads * each), -1);
    for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = i + 1; j < 4; ++j) {
            std::fill(place.begin(), place.end(), -1);
            for (std::size_t position = 0; position < found[i].size(); ++position) {
                place[static_cast<std::size_t>(found[i][position])] = static_cast<int>(position);
            }
            int before = -1;
            for (const int mark : found[j]) {
                const int position = place[static_cast<std::size_t>(mark)];
                if (position < 0) continue;
                EXPECT_LT(before, position);
                before = position;
            }
        }
    }
}

TEST_P(resource_order_on, what_a_task_submits_stays_in_its_order) {
    pool workers{GetParam()};
    resource<log_of> a;
    resource<log_of> b;
    resource<int> busy{0};
    workers.run([&] {
        for (int i = 0; i < 500; ++i) {
            when(a, busy).submit([i](log_of& all, int&) { all.push_back(2 * i); });
            when(a, b).submit([i](log_of& all, log_of& other) {
                all.push_back(2 * i + 1);
                other.push_back(i);
            });
        }
    });
    workers.stop();
    pool reader{1};
    when(a, b)
        .submit(reader,
                [](log_of& all, log_of& other) {
                    ASSERT_EQ(all.size(), 1'000U);
                    ASSERT_EQ(other.size(), 500U);
                    for (std::size_t i = 0; i < all.size(); ++i) {
                        EXPECT_EQ(all[i], static_cast<int>(i));
                    }
                })
        .get();
}

/// Like philosophers, and in every order: it ends.
TEST_P(resource_order_on, no_deadlock_whatever_is_named) {
    constexpr std::size_t seats = 5;
    pool workers{GetParam()};
    std::array<resource<int>, seats> forks{resource<int>{0}, resource<int>{0}, resource<int>{0},
                                           resource<int>{0}, resource<int>{0}};
    const int rounds = sanitized ? 300 : 3'000;
    std::atomic<int> meals{0};
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t seat = 0; seat < seats; ++seat) {
            auto& left = forks[seat];
            auto& right = forks[(seat + 1) % seats];
            const auto eat = [&](int& a, int& b) {
                ++a;
                ++b;
                ++meals;
            };
            if (round % 2 == 0) when(left, right).submit(workers, eat);
            else when(right, left).submit(workers, eat);
        }
    }
    workers.stop();
    EXPECT_EQ(meals, rounds * static_cast<int>(seats));
}

/// A signal to another thread is an order imposed from outside: it holds after wait_for_enqueued().
TEST_P(resource_order_on, after_wait_for_enqueued_the_order_holds_for_others) {
    pool workers{GetParam()};
    resource<log_of> a;
    resource<log_of> b;
    const int rounds = sanitized ? 200 : 2'000;
    std::atomic<int> submitted{0};
    std::atomic<int> followed{0};
    {
        std::jthread first{[&] {
            for (int i = 1; i <= rounds; ++i) {
                when(a, b).submit(workers, [i](log_of&, log_of& all) { all.push_back(2 * i); });
                wait_for_enqueued();
                submitted = i;
                spin_until([&] { return followed == i; });
            }
        }};
        std::jthread second{[&] {
            for (int i = 1; i <= rounds; ++i) {
                spin_until([&] { return submitted == i; });
                when(b).submit(workers, [i](log_of& all) { all.push_back(2 * i + 1); });
                followed = i;
            }
        }};
        std::jthread disturbance{[&] {
            while (followed != rounds) when(a, b).submit(workers, [](log_of&, log_of&) {}).get();
        }};
    }
    workers.stop();
    pool reader{1};
    const auto all = when(b).submit(reader, [](log_of& log) { return log; }).get();
    ASSERT_EQ(all.size(), static_cast<std::size_t>(2 * rounds));
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], static_cast<int>(i) + 2);
}

/// A worker whose queue is full looks there for tasks that were joined meanwhile; those that are
/// ready to run are none of these.
TEST(resource_order, no_task_runs_inside_the_submission_of_another) {
    constexpr std::size_t more_than_a_queue = 200;
    pool workers{1};
    std::deque<resource<int>> all;
    for (std::size_t i = 0; i < more_than_a_queue; ++i) all.emplace_back(0);
    bool submitting = false;
    int inside = 0;
    int ran = 0;
    workers.run([&] {
        for (auto& each : all) {
            when(each).submit([&](int&) {
                ++ran;
                inside += submitting ? 1 : 0;
            });
        }
        submitting = true;
        for (std::size_t i = 0; i < more_than_a_queue; ++i) workers.submit([] {});
        submitting = false;
    });
    workers.stop();
    EXPECT_EQ(inside, 0);
    EXPECT_EQ(ran, static_cast<int>(more_than_a_queue));
}

TEST(resource_order, readers_run_together) {
    constexpr std::size_t readers = 3;
    pool workers{readers};
    resource<int> value{42};
    meeting all{readers};
    std::vector<future<bool>> met;
    for (std::size_t i = 0; i < readers; ++i) {
        met.push_back(when(read(value)).submit(workers, [&](const int& seen) {
            return seen == 42 && all.attend();
        }));
    }
    for (auto& each : met) EXPECT_TRUE(each.get());
}

/// A stream of readers does not keep a writer out, nor a stream of writers a reader.
TEST(resource_order, neither_readers_nor_writers_starve) {
    pool workers{2};
    resource<int> value{0};
    event go;
    std::atomic<int> ended{0};
    when(read(value)).submit(workers, [&](const int&) { blocking([&] { go.await(); }); });
    auto writer = when(value).submit(workers, [&](int&) { return ended.load(); });
    for (int i = 0; i < 100; ++i) {
        when(read(value)).submit(workers, [&](const int&) { ++ended; });
    }
    auto second = when(value).submit(workers, [&](int&) { return ended.load(); });
    auto reader = when(read(value)).submit(workers, [&](const int&) { return ended.load(); });
    go.happen();
    EXPECT_EQ(writer.get(), 0) << "readers that came later overtook the writer";
    EXPECT_EQ(second.get(), 100);
    EXPECT_EQ(reader.get(), 100);
}

} // namespace
} // namespace weft
