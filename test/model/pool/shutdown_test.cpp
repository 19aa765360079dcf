// Stopping a pool while others submit: the gate, the inbox and the sleep of workers together, used as
// `pool_core` and `worker` use them.
#include "lockfree/inbox.hpp"
#include "lockfree/intake.hpp"
#include "pool/sleep.hpp"
#include "support/thorough.hpp"
#include "sync/memory.hpp"
#include "sync/plain.hpp"
#include "sync/thread.hpp"

#include <cstddef>

namespace weft {
namespace {

using explorer::named;
using explorer::together;

struct task {
    task* next = nullptr;
    sync::plain<bool> ready{false};
};

struct small_pool {
    explicit small_pool(std::size_t workers) : sleep{workers} {}

    detail::sleep_control sleep;
    detail::intake gate;
    detail::inbox<task> arrivals;
    sync::atomic<int> accepted{0};
    sync::atomic<int> ran{0};

    bool submit() {
        auto* made = sync::make<task>();
        made->ready.write(true);
        if (!gate.try_enter()) {
            sync::destroy(made);
            return false;
        }
        arrivals.push(made);
        gate.leave();
        sleep.notify();
        accepted.fetch_add(1, sync::relaxed);
        return true;
    }
    void stop() {
        gate.close();
        while (!gate.quiet()) sync::yield();
        sleep.wake_all();
    }

    bool run_some() {
        task* each = arrivals.take_all();
        if (each == nullptr) return false;
        while (each != nullptr) {
            task* after = each->next;
            explorer::check(each->ready.read(), "a task comes with its content");
            sync::destroy(each);
            ran.fetch_add(1, sync::relaxed);
            each = after;
        }
        return true;
    }
    [[nodiscard]] bool has_work() const { return !arrivals.empty(); }
    [[nodiscard]] bool may_end() const { return gate.quiet(); }

    void work(std::size_t worker) {
        sleep.begin_search();
        for (;;) {
            if (has_work()) {
                sleep.end_search([this] { return has_work(); });
                run_some();
                sleep.begin_search();
            } else if (may_end() && !has_work()) {
                sleep.end_search([this] { return has_work(); });
                return;
            } else {
                sleep.sleep(worker, [this] { return has_work() || may_end(); });
            }
        }
    }
    auto worker(std::size_t number) {
        return [this, number] { work(number); };
    }

    void finish() {
        explorer::check(!has_work(), "nothing is left");
        explorer::check(ran.load(sync::relaxed) == accepted.load(sync::relaxed),
                        "what was accepted was run");
        explorer::check(sleep.asleep() == 0, "nobody counts as asleep");
    }
};

void nothing_to_do() {
    small_pool pool{1};
    together(named("worker", pool.worker(0)), named("stopper", [&] { pool.stop(); }));
    pool.finish();
}

void two_workers_without_work() {
    small_pool pool{2};
    together(named("worker", pool.worker(0)), named("other worker", pool.worker(1)),
             named("stopper", [&] { pool.stop(); }));
    pool.finish();
}

void submitted_before() {
    small_pool pool{1};
    together(named("worker", pool.worker(0)), named("owner", [&] {
                 explorer::check(pool.submit(), "the pool is open");
                 pool.stop();
                 explorer::check(!pool.submit(), "the pool is closed");
             }));
    pool.finish();
}

void submitting_meanwhile() {
    small_pool pool{1};
    together(named("worker", pool.worker(0)), named("submitter", [&] { pool.submit(); }),
             named("stopper", [&] { pool.stop(); }));
    pool.finish();
}

void two_workers_and_a_task() {
    small_pool pool{2};
    together(named("worker", pool.worker(0)), named("other worker", pool.worker(1)),
             named("owner", [&] {
                 pool.submit();
                 pool.stop();
             }));
    pool.finish();
}

void stopped_by_two() {
    small_pool pool{1};
    together(named("worker", pool.worker(0)), named("stopper", [&] { pool.stop(); }),
             named("other stopper", [&] {
                 pool.submit();
                 pool.stop();
             }));
    pool.finish();
}

TEST(shutdown, a_worker_without_work_ends) {
    test::explore_thoroughly("shutdown: nothing to do", nothing_to_do);
}

TEST(shutdown, two_workers_without_work_end) {
    test::explore_thoroughly("shutdown: two workers without work", two_workers_without_work);
}

TEST(shutdown, what_was_submitted_before_is_run) {
    test::explore_thoroughly("shutdown: submitted before", submitted_before);
}

TEST(shutdown, what_is_accepted_meanwhile_is_run_and_all_end) {
    test::explore_thoroughly("shutdown: submitting meanwhile", submitting_meanwhile);
}

TEST(shutdown, two_workers_run_what_was_submitted_and_end) {
    test::explore_thoroughly("shutdown: two workers and a task", two_workers_and_a_task);
}

TEST(shutdown, two_may_stop_a_pool) {
    test::explore_thoroughly("shutdown: stopped by two", stopped_by_two);
}

} // namespace
} // namespace weft
