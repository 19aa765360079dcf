#include "pool/steal_orders.hpp"

#include "support/thorough.hpp"
#include "support/unstarted_pool.hpp"

#include <weft/detail/pool/sleep.hpp>
#include <weft/detail/pool/task.hpp>
#include <weft/detail/sync/plain.hpp>
#include <weft/detail/sync/thread.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace weft::steal_orders_test {
namespace {

using explorer::named;
using explorer::together;

/// What one planner writes is seen by the next.
void two_planners() {
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

/// A task that counts how often it was run.
struct counted_task : detail::task {
    sync::atomic<int> runs{0};
    counted_task() {
        run = [](detail::task& self, detail::worker&) noexcept {
            static_cast<counted_task&>(self).runs.fetch_add(1, sync::relaxed);
        };
    }
    void wait_until_run() const {
        while (runs.load(sync::relaxed) == 0) sync::yield();
    }
    void check() const { explorer::check(runs.load(sync::relaxed) == 1, "each task is run once"); }
};

/// Workers that plan for each other as the policy says.
test::unstarted_pool planning_pool(std::size_t workers, planning when) {
    return test::unstarted_pool{
        pool_options{.workers = workers, .stealing = std::make_shared<multi_stealing>(when)}};
}

/// One worker pushes tasks and runs none: the others must steal them, or this never ends.
void one_pushes_and_two_follow_orders() {
    auto all = planning_pool(3, planning::when_one_is_idle);
    std::array<counted_task, 2> tasks;
    together(named("owner",
                   [&] {
                       all.as_worker(0, [&](detail::worker& owner) {
                           for (counted_task& each : tasks) owner.push(each);
                           for (counted_task& each : tasks) each.wait_until_run();
                       })();
                       all.core().stop(on_stop::drain);
                   }),
             named("thief", all.thread_of(1)), named("other thief", all.thread_of(2)));
    for (counted_task& each : tasks) each.check();
}

/// There are orders for tasks that the owner takes itself.
void orders_that_come_too_late() {
    auto all = planning_pool(2, planning::when_many_are_idle);
    std::array<counted_task, 2> tasks;
    for (counted_task& each : tasks) all[0].push(each);
    together(named("owner",
                   [&] {
                       all.as_worker(0, [&](detail::worker& owner) {
                           detail::finder own = all.finder(0);
                           while (const detail::finding found = own.find_own()) {
                               found.next().run(found.next(), owner);
                           }
                       })();
                       all.core().stop(on_stop::drain);
                   }),
             named("thief", all.thread_of(1)));
    for (counted_task& each : tasks) each.check();
}

/// A sleeper is woken by name while another notifies, and while it wakes by itself: no token is
/// left over, and it sleeps again.
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
    test::explore_thoroughly("orders: two planners", two_planners);
}

TEST(steal_orders, tasks_that_orders_are_about_are_run_once) {
    test::explore_pool("orders: one pushes", one_pushes_and_two_follow_orders);
}

TEST(steal_orders, an_order_that_is_too_late_does_no_harm) {
    test::explore_pool("orders: too late", orders_that_come_too_late);
}

TEST(steal_orders, a_worker_with_an_order_is_woken_by_name) {
    test::explore_thoroughly("orders: woken by name", woken_by_name);
}

TEST(steal_orders, every_mutant_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"orders: two planners", bounds, two_planners},
    };
    EXPECT_EQ(test::survivors(scenarios, "pool/steal_orders.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft::steal_orders_test
