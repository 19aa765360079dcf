// Stopping a pool: the pool that ships, while others submit, attach sources, and stop it too.
#include "lockfree/intake.hpp"
#include "pool/pool_end.hpp"
#include "support/thorough.hpp"
#include "support/unstarted_pool.hpp"

#include <weft/detail/pool/alarm_time.hpp>
#include <weft/detail/pool/sleep.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/plain.hpp>
#include <weft/error.hpp>
#include <weft/explorer.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace weft::shutdown_test {
namespace {

using explorer::named;
using explorer::together;

/// Tasks of a pool, and what must hold when it is over.
struct tasks {
    sync::atomic<int> accepted{0};
    sync::atomic<int> running{0};
    sync::atomic<int> ended{0};

    /// Submits a task that starts a chain of `more` others; false if the pool takes none.
    bool submit(pool& target, int more = 0) {
        try {
            target.submit([this, &target, more] {
                running.fetch_add(1, sync::relaxed);
                if (more > 0) explorer::check(submit(target, more - 1), "a task may submit");
                ended.fetch_add(1, sync::relaxed);
                running.fetch_sub(1, sync::relaxed);
            });
        } catch (const error& refused) {
            explorer::check(refused.code() == errc::stopped, "the pool was stopped");
            return false;
        }
        accepted.fetch_add(1, sync::relaxed);
        return true;
    }
    /// A pool whose threads end only when nothing runs.
    pool_options options(std::size_t workers, std::size_t extra_threads = 0) {
        return {.workers = workers, .extra_threads = extra_threads, .on_end = [this](std::size_t) {
                    // An update, since it reads the newest value: a thread may have seen only that
                    // the pool is over.
                    explorer::check(running.fetch_add(0, sync::relaxed) == 0, "nothing runs");
                }};
    }
    /// When all that submit have ended.
    void check_all_ended() const {
        explorer::check(accepted.load(sync::relaxed) == ended.load(sync::relaxed),
                        "what was accepted was run");
    }
};

void without_work(std::size_t workers) {
    pool stopped{workers};
    stopped.stop();
}

/// What the stopper did before is seen by the hooks at the end of its workers.
void written_before() {
    sync::plain<int> written{0};
    pool stopped{pool_options{.workers = 1, .on_end = [&](std::size_t) {
                                  explorer::check(written.read() == 1, "written before the stop");
                              }}};
    stopped.wait_idle(); // the worker looks once more before it sleeps, and may see the end then
    written.write(1);
    stopped.stop();
}

void submitted_before(std::size_t workers) {
    tasks all;
    pool stopped{all.options(workers)};
    explorer::check(all.submit(stopped), "the pool is open");
    stopped.stop();
    all.check_all_ended();
    explorer::check(!all.submit(stopped), "the pool is closed");
}

void submitting_meanwhile() {
    tasks all;
    pool stopped{all.options(1)};
    together(named("submitter", [&] { all.submit(stopped); }), named("stopper", [&] {
                 stopped.stop();
                 explorer::check(!all.submit(stopped), "the pool is closed");
             }));
    all.check_all_ended();
}

void stopped_by_two() {
    tasks all;
    pool stopped{all.options(1)};
    const auto stop = [&] {
        stopped.stop();
        all.check_all_ended();
    };
    all.submit(stopped);
    together(named("stopper", stop), named("other stopper", stop));
}

/// A task that is run while the pool stops submits another.
void submitting_from_inside(std::size_t workers) {
    tasks all;
    pool stopped{all.options(workers)};
    all.submit(stopped, 1);
    stopped.stop();
    all.check_all_ended();
}

/// A pool of two, one of whose threads could not be started.
void a_worker_that_never_begins() {
    test::unstarted_pool stopped{2};
    together(named("worker", stopped.thread_of(1)),
             named("stopper", [&] { stopped.core().stop(on_stop::drain); }));
    explorer::check(stopped.core().over(), "it is over");
}

/// A stand-in that is on standby while the pool stops does not delay it, and ends too.
void a_stand_in_on_standby() {
    tasks all;
    pool stopped{all.options(1, 1)};
    all.submit(stopped);
    stopped.stop();
    all.check_all_ended();
}

struct silent_source final : work_source {
    sync::atomic<int> notified{0};
    bool try_run() noexcept override { return false; }
    [[nodiscard]] bool has_work() const noexcept override { return false; }
    void pool_ended() noexcept override { notified.fetch_add(1, sync::relaxed); }
};

/// Every source learns that the pool has ended: from the pool, or when it is attached.
void attaching_meanwhile() {
    pool stopped{1};
    silent_source before;
    silent_source meanwhile;
    stopped.attach(before);
    together(named("attacher", [&] { stopped.attach(meanwhile); }),
             named("stopper", [&] { stopped.stop(); }));
    explorer::check(before.notified.load(sync::relaxed) > 0, "the attached source is notified");
    explorer::check(meanwhile.notified.load(sync::relaxed) > 0, "the new source is notified");
    stopped.detach(before);
    stopped.detach(meanwhile);
}

/// A worker that has not seen the closing starts a timer, which stands for those of a pool. It is
/// work once the intake is closed.
void a_timer_of_a_worker() {
    detail::intake outside;
    detail::sleep_control sleep{1};
    detail::pool_end end{outside, sleep};
    sync::atomic<bool> pending{false};
    const auto look = [&] {
        return end.look([&] { return pending.load(sync::relaxed); }, [&] { sleep.wake_all(); });
    };
    const auto stays_awake = [&] {
        return (outside.closed() && pending.load(sync::relaxed)) || look();
    };
    sleep.begin_search();
    together(named("worker",
                   [&] {
                       if (!outside.closed()) pending.store(true, sync::relaxed);
                       while (!end.over()) {
                           if (end.closing() && pending.load(sync::relaxed)) {
                               pending.store(false, sync::relaxed);
                           } else {
                               static_cast<void>(
                                   sleep.sleep(0, stays_awake, [] { return detail::no_alarm; }));
                           }
                       }
                       explorer::check(!pending.load(sync::relaxed), "the timer has ended");
                   }),
             named("stopper", [&] {
                 outside.close();
                 if (!look()) sleep.notify();
             }));
}

TEST(shutdown, a_worker_without_work_ends) {
    test::explore_pool("shutdown: a worker without work", [] { without_work(1); });
}

TEST(shutdown, two_workers_without_work_end) {
    test::explore_pool("shutdown: two workers without work", [] { without_work(2); });
}

TEST(shutdown, what_was_submitted_before_is_run) {
    test::explore_pool("shutdown: submitted before", [] { submitted_before(1); });
}

TEST(shutdown, two_workers_run_what_was_submitted_and_end) {
    test::explore_pool("shutdown: submitted to two", [] { submitted_before(2); });
}

TEST(shutdown, what_is_accepted_meanwhile_is_run_and_all_end) {
    test::explore_pool("shutdown: submitting meanwhile", submitting_meanwhile);
}

TEST(shutdown, two_threads_may_stop_a_pool) {
    test::explore_pool("shutdown: stopped by two", stopped_by_two);
}

TEST(shutdown, a_task_may_still_submit) {
    test::explore_pool("shutdown: submitting from inside", [] { submitting_from_inside(1); });
}

TEST(shutdown, no_worker_leaves_while_another_is_busy) {
    test::explore_pool("shutdown: submitting from inside to two",
                       [] { submitting_from_inside(2); });
}

TEST(shutdown, a_thread_that_did_not_start_is_not_waited_for) {
    test::explore_pool("shutdown: a worker that never begins", a_worker_that_never_begins);
}

TEST(shutdown, a_stand_in_on_standby_ends_too) {
    test::explore_pool("shutdown: a stand-in on standby", a_stand_in_on_standby);
}

TEST(shutdown, every_source_is_notified) {
    test::explore_pool("shutdown: attaching meanwhile", attaching_meanwhile);
}

TEST(shutdown, what_came_before_the_stop_is_seen_at_the_end) {
    const explorer::report seen = explorer::explore("shutdown: written before",
                                                    explorer::options::weak(1, 1), written_before);
    EXPECT_TRUE(seen.passed()) << seen.explanation();
}

TEST(shutdown, timers_that_a_worker_starts_meanwhile_end) {
    test::explore_thoroughly("shutdown: a timer of a worker", a_timer_of_a_worker);
}

TEST(shutdown, every_mutant_of_the_end_is_caught) {
    const std::vector<explorer::scenario> scenarios = {
        {"shutdown: written before", explorer::options::weak(2, 1), written_before},
        {"shutdown: a worker without work", explorer::options::weak(2, 2), [] { without_work(1); }},
        {"shutdown: a worker that never begins", explorer::options::weak(2, 2),
         a_worker_that_never_begins},
        {"shutdown: a timer of a worker", explorer::options::weak(2, 2), a_timer_of_a_worker},
    };
    EXPECT_EQ(test::survivors(scenarios, "pool_end.hpp"), std::vector<std::string>{});
}

/// The end is followed by the fence of wake_all(), whichever thread sees it. A source that was
/// attached before that fence is seen by that thread and, once it has joined it, by the stopper;
/// one that is attached later sees the end. So the fence in stop() is not needed for the order; it
/// keeps the two calls independent of how threads are woken.
TEST(shutdown, no_mutant_of_stopping_is_caught_since_waking_all_has_a_fence_too) {
    const std::vector<explorer::scenario> scenarios = {
        {"shutdown: attaching meanwhile", explorer::options::weak(1, 1), attaching_meanwhile},
    };
    EXPECT_EQ(test::survivors(scenarios, "pool/pool.cpp"),
              (std::vector<std::string>{"fence: drop_fence", "fence: soften_fence"}));
}

} // namespace
} // namespace weft::shutdown_test
