// Stopping a pool while others submit: the gate, the inbox, the sleep of workers and the end together,
// used as `pool_core` and `worker` use them.
#include "lockfree/intake.hpp"
#include "pool/pool_end.hpp"
#include "support/thorough.hpp"

#include <weft/detail/lockfree/inbox.hpp>
#include <weft/detail/pool/sleep.hpp>
#include <weft/detail/sync/memory.hpp>
#include <weft/detail/sync/parker.hpp>
#include <weft/detail/sync/plain.hpp>
#include <weft/detail/sync/thread.hpp>

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
    explicit small_pool(std::size_t workers) : sleep{workers} {
        for (std::size_t i = 0; i < workers; ++i) {
            sleep.begin_search();
            sleep.stay_away([] { return false; });
        }
    }

    detail::sleep_control sleep;
    detail::intake gate;
    detail::inbox<task> arrivals;
    detail::pool_end end{gate, sleep};
    sync::parker bench;
    sync::atomic<int> accepted{0};
    sync::atomic<int> running{0};

    static task* make_task() {
        auto* made = sync::make<task>();
        made->ready.write(true);
        return made;
    }
    bool submit() {
        task* made = make_task();
        if (!gate.try_enter()) {
            sync::destroy(made);
            return false;
        }
        accepted.fetch_add(1, sync::relaxed);
        arrivals.push(made);
        sleep.notify();
        gate.leave();
        return true;
    }
    /// As a task does.
    void submit_from_inside() {
        accepted.fetch_add(1, sync::relaxed);
        arrivals.push(make_task());
        sleep.notify();
    }
    void stop() {
        gate.close();
        while (!gate.quiet()) sync::yield();
        look_for_end();
    }
    bool look_for_end() {
        return end.look([this] { return has_work(); },
                        [this] {
                            explorer::check(running.load(sync::relaxed) == 0,
                                            "the pool is over when nothing runs");
                            sleep.wake_all();
                            bench.unpark();
                        });
    }

    /// The first task that is found submits as many as this.
    sync::atomic<int> children{0};

    void run(task* each) {
        running.fetch_add(1, sync::relaxed);
        explorer::check(each->ready.read(), "a task comes with its content");
        sync::destroy(each);
        if (children.load(sync::relaxed) > 0) {
            children.fetch_sub(1, sync::relaxed);
            submit_from_inside();
        }
        running.fetch_sub(1, sync::relaxed);
        accepted.fetch_sub(1, sync::relaxed);
    }
    [[nodiscard]] bool has_work() const { return !arrivals.empty(); }

    void work(std::size_t worker) {
        sleep.come_back();
        while (!end.over()) {
            if (task* found = arrivals.take_all()) {
                sleep.end_search([this] { return has_work(); });
                while (found != nullptr) {
                    task* after = found->next;
                    run(found);
                    found = after;
                }
                sleep.begin_search();
            } else {
                sleep.sleep(worker, [this] { return has_work() || look_for_end(); });
            }
        }
    }
    auto worker(std::size_t number) {
        return [this, number] { work(number); };
    }

    void finish() {
        explorer::check(!has_work(), "nothing is left");
        explorer::check(accepted.load(sync::relaxed) == 0, "what was accepted was run");
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

/// A task that is run while the pool stops submits another.
void submitting_from_inside() {
    small_pool pool{1};
    pool.children.store(1, sync::relaxed);
    together(named("worker", pool.worker(0)), named("owner", [&] {
                 pool.submit();
                 pool.stop();
             }));
    pool.finish();
}

void submitting_from_inside_to_two() {
    small_pool pool{2};
    pool.children.store(1, sync::relaxed);
    explorer::check(pool.submit(), "the pool is open");
    together(named("worker", pool.worker(0)), named("other worker", pool.worker(1)),
             named("stopper", [&] { pool.stop(); }));
    pool.finish();
}

/// A pool of two, one of whose threads could not be had.
void a_worker_that_never_begins() {
    small_pool pool{2};
    together(named("worker", pool.worker(1)), named("stopper", [&] { pool.stop(); }));
    pool.finish();
}

/// A worker that is on the bench while the pool stops is no reason to stay, and is told.
void a_worker_on_the_bench() {
    small_pool pool{2};
    together(named("worker", pool.worker(0)),
             named("spare",
                   [&] {
                       pool.sleep.come_back();
                       pool.sleep.stay_away([&] { return pool.has_work(); });
                       while (!pool.look_for_end()) pool.bench.park();
                   }),
             named("owner", [&] {
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

TEST(shutdown, a_task_may_still_submit) {
    test::explore_thoroughly("shutdown: submitting from inside", submitting_from_inside);
}

TEST(shutdown, nobody_leaves_while_another_is_busy) {
    test::explore_thoroughly("shutdown: submitting from inside to two",
                             submitting_from_inside_to_two);
}

TEST(shutdown, a_thread_that_could_not_be_had_is_not_waited_for) {
    test::explore_thoroughly("shutdown: a worker that never begins", a_worker_that_never_begins);
}

TEST(shutdown, a_worker_on_the_bench_ends_too) {
    test::explore_thoroughly("shutdown: a worker on the bench", a_worker_on_the_bench);
}

TEST(shutdown, every_mutant_is_caught) {
    const explorer::options how = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"shutdown: nothing to do", how, nothing_to_do},
        {"shutdown: submitting from inside", how, submitting_from_inside},
    };
    EXPECT_EQ(test::survivors(scenarios, "pool_end.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft
