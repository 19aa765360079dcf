#include "pool/steal_orders.hpp"

#include "pool/steal_planner.hpp"
#include "support/thorough.hpp"

#include <weft/detail/lockfree/task_deque.hpp>
#include <weft/detail/pool/sleep.hpp>
#include <weft/detail/sync/plain.hpp>

#include <array>
#include <cstddef>

namespace weft {
namespace {

using explorer::named;
using explorer::together;

/// What is written while one plans is seen by who plans next.
void two_who_plan() {
    detail::steal_orders orders{2};
    sync::plain<int> table{0};
    const auto planner = [&] {
        if (!orders.try_begin_plan()) return;
        table.write(table.read() + 1);
        orders.end_plan();
    };
    together(named("planner", planner), named("other planner", planner));
    explorer::check(table.read() >= 1, "one of them plans");
}

/// A worker with a queue, and others who plan, follow orders, steal by themselves, and sleep: the few lines of
/// `worker::search` written again, with the real deque, planner and sleep.
struct loom {
    static constexpr std::size_t workers = 3;

    explicit loom(planning when) : planner{workers, 0, when} {}

    detail::sleep_control sleep{workers};
    detail::steal_planner planner;
    detail::task_deque<sync::atomic<int>> queue{true}; // that of worker 0
    std::array<sync::atomic<int>, 3> runs{};
    sync::atomic<std::size_t> done{0};
    sync::atomic<bool> stopping{false};

    [[nodiscard]] bool more() const { return queue.count() > 0; }
    [[nodiscard]] bool stopped() const { return stopping.load(sync::relaxed); }

    void bring(std::size_t count) {
        for (std::size_t each = 0; each != count; ++each) {
            queue.owner_push(&runs[each]);
            sleep.notify();
        }
    }
    sync::atomic<int>* find(std::size_t worker) {
        detail::steal_orders& orders = planner.orders;
        if (!orders.look(worker)) {
            planner.try_plan([this](std::size_t each) { return each == 0 ? queue.count() : 0; },
                             [this](std::size_t each) { sleep.wake(each); });
        }
        const detail::steal_order order = orders.owner_take(worker);
        static_cast<void>(order); // whoever it names: there is one queue, and one task at a time
        return queue.steal();
    }
    void run(sync::atomic<int>& task, std::size_t all) {
        task.fetch_add(1, sync::relaxed);
        if (done.fetch_add(1, sync::relaxed) + 1 < all) return;
        stopping.store(true, sync::relaxed);
        sleep.wake_all();
    }
    auto thief(std::size_t worker, std::size_t all) {
        return [this, worker, all] {
            sleep.begin_search();
            planner.orders.owner_set_hungry(worker, true);
            while (!stopped()) {
                if (sync::atomic<int>* task = find(worker)) {
                    sleep.end_search([this] { return more(); });
                    run(*task, all);
                    sleep.begin_search();
                } else {
                    sleep.sleep(worker, [this] { return more() || stopped(); });
                }
            }
            sleep.end_search([this] { return more(); });
        };
    }
    void check(std::size_t all) {
        for (std::size_t each = 0; each != all; ++each) {
            explorer::check(runs[each].load(sync::relaxed) == 1, "each task ran once");
        }
        explorer::check(sleep.asleep() == 0, "nobody counts as asleep");
    }
};

/// The owner of the queue does nothing but bring: the others must come, or this never ends.
void one_brings_and_two_follow_orders() {
    loom all{planning::when_one_is_idle};
    together(named("owner", [&] { all.bring(2); }), named("thief", all.thief(1, 2)),
             named("other thief", all.thief(2, 2)));
    all.check(2);
}

/// Orders are there for tasks that the owner takes itself.
void orders_that_come_too_late() {
    loom all{planning::when_many_are_idle};
    all.bring(2);
    together(named("owner",
                   [&] {
                       while (sync::atomic<int>* task = all.queue.owner_pop()) all.run(*task, 2);
                   }),
             named("thief", all.thief(1, 2)));
    all.check(2);
}

/// A sleeper is woken by name while another notifies, and while it wakes by itself: no token is left over, and it
/// sleeps again.
void woken_by_name() {
    detail::sleep_control sleep{2};
    sync::atomic<bool> stopping{false};
    together(named("worker",
                   [&] {
                       sleep.begin_search();
                       const auto stopped = [&] { return stopping.load(sync::relaxed); };
                       while (!stopped()) sleep.sleep(1, stopped);
                       sleep.end_search([] { return false; });
                   }),
             named("planner", [&] { sleep.wake(1); }), named("stopper", [&] {
                 stopping.store(true, sync::relaxed);
                 sleep.wake_all();
             }));
    explorer::check(sleep.asleep() == 0, "nobody counts as asleep");
}

TEST(steal_orders, one_plans_at_a_time_and_sees_what_the_last_wrote) {
    test::explore_thoroughly("orders: two who plan", two_who_plan);
}

TEST(steal_orders, tasks_that_orders_are_about_are_run_once) {
    // The usual bounds take a minute or more here: 1.4 million executions with three preemptions pass, and are not all.
    for (const explorer::options& how :
         {explorer::options::sequential(2), explorer::options::weak(1, 2),
          explorer::options::random(test::scaled(50'000, 2'000'000))}) {
        const auto report =
            explorer::explore("orders: one brings", how, one_brings_and_two_follow_orders);
        EXPECT_TRUE(report.passed()) << report.explanation();
        EXPECT_TRUE(report.exhaustive || how.random_schedules > 0) << report.summary();
    }
}

TEST(steal_orders, an_order_that_is_too_late_does_no_harm) {
    test::explore_thoroughly("orders: too late", orders_that_come_too_late);
}

TEST(steal_orders, who_gets_one_is_woken_by_name) {
    test::explore_thoroughly("orders: woken by name", woken_by_name);
}

TEST(steal_orders, every_mutant_is_caught) {
    const explorer::options how = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"orders: two who plan", how, two_who_plan},
        {"orders: too late", how, orders_that_come_too_late},
    };
    EXPECT_EQ(test::survivors(scenarios, "pool/steal_orders.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft
