// The sleep of workers by itself, where one call meets another; and the threads of workers that
// ship, which search, run, sleep and are woken.
#include "model/pool/alarm_scenarios.hpp"
#include "support/thorough.hpp"
#include "support/unstarted_pool.hpp"

#include <weft/detail/pool/sleep.hpp>
#include <weft/detail/pool/task.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/parker.hpp>
#include <weft/detail/sync/plain.hpp>
#include <weft/detail/sync/thread.hpp>
#include <weft/explorer.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace weft::sleep_test {
namespace {

using explorer::named;
using explorer::together;

// One call each

/// Workers that all search, and work for them. It is relaxed: only the protocol orders anything.
struct searchers {
    detail::sleep_control sleep;
    sync::atomic<bool> work{false};
    sync::atomic<bool> stopping{false};

    explicit searchers(std::size_t workers) : sleep{workers} {
        for (std::size_t each = 0; each < workers; ++each) sleep.begin_search();
    }

    void post() {
        work.store(true, sync::relaxed);
        sleep.notify();
    }
    void stop() {
        stopping.store(true, sync::relaxed);
        sleep.wake_all();
    }
    auto has_work() {
        return [this] { return work.load(sync::relaxed); };
    }
    auto stopped() {
        return [this] { return stopping.load(sync::relaxed); };
    }
    /// A worker that sleeps until there is work: if that is missed, it sleeps forever.
    auto sleeper(std::size_t worker) {
        return [this, worker] { sleep.sleep(worker, has_work()); };
    }
    void check_nobody_sleeps() const {
        explorer::check(sleep.asleep() == 0, "nobody counts as asleep");
    }
};

void slept_or_posted() {
    searchers all{1};
    together(named("worker", all.sleeper(0)), named("poster", [&] { all.post(); }));
    all.check_nobody_sleeps();
}

void slept_or_posted_twice() {
    searchers all{1};
    together(named("worker", all.sleeper(0)), named("poster", [&] { all.post(); }),
             named("other poster", [&] { all.post(); }));
    all.check_nobody_sleeps();
}

/// One has found something, and ends its search: the poster may have relied on it.
void the_last_searcher() {
    searchers all{2};
    together(named("worker", all.sleeper(0)),
             named("finder", [&] { all.sleep.end_search(all.has_work()); }),
             named("poster", [&] { all.post(); }));
    all.check_nobody_sleeps();
}

/// The worker that a notifier relied on stays away instead: it wakes another in its place.
void staying_away() {
    searchers all{2};
    together(named("worker", all.sleeper(0)),
             named("spare", [&] { all.sleep.stay_away(all.has_work()); }),
             named("poster", [&] { all.post(); }));
    explorer::check(all.sleep.asleep() == 1, "only the spare is away");
}

void stopped_without_work() {
    searchers all{2};
    const auto worker = [&](std::size_t number) {
        return [&all, number] { all.sleep.sleep(number, all.stopped()); };
    };
    together(named("worker", worker(0)), named("other worker", worker(1)),
             named("stopper", [&] { all.stop(); }));
    all.check_nobody_sleeps();
}

void stopped_by_two() {
    searchers all{1};
    together(named("worker", [&] { all.sleep.sleep(0, all.stopped()); }),
             named("stopper", [&] { all.stop(); }), named("other stopper", [&] { all.stop(); }));
    all.check_nobody_sleeps();
}

/// One notify wakes at most one of two sleepers, and while that one searches another notify wakes
/// nobody. It may wake none: a worker that has only announced its sleep looks again (W2).
void at_most_one_is_woken() {
    searchers all{2};
    const auto sleeper = [&all](std::size_t number) {
        return [&all, number] {
            all.sleep.sleep(number, all.stopped());
            while (!all.stopped()()) sync::yield();
        };
    };
    together(named("worker", sleeper(0)), named("other worker", sleeper(1)), named("notifier", [&] {
                 while (all.sleep.asleep() < 2) sync::yield();
                 all.sleep.notify();
                 explorer::check(all.sleep.asleep() >= 1, "not more than one is woken");
                 all.sleep.notify();
                 explorer::check(all.sleep.asleep() >= 1, "nor while that one searches");
                 all.stop();
             }));
    all.check_nobody_sleeps();
}

/// A worker that finds work after it has announced its sleep may be claimed by the poster in the
/// same moment. If a token were left over, its next sleep would end for no reason.
void no_token_is_left_over() {
    searchers all{1};
    sync::atomic<bool> posted{false};
    together(named("worker",
                   [&] {
                       all.sleep.sleep(0, all.has_work());
                       while (!posted.load(sync::relaxed)) sync::yield();
                       all.sleep.sleep(0, all.stopped());
                       explorer::check(all.stopped()(), "a sleep ends for a reason");
                   }),
             named("poster", [&] {
                 all.post();
                 posted.store(true, sync::relaxed);
                 while (all.sleep.asleep() == 0) sync::yield();
                 all.stop();
             }));
    all.check_nobody_sleeps();
}

/// One begins to search, one comes back, and one has found something.
void each_is_counted() {
    searchers all{3};
    all.sleep.stay_away([] { return false; });
    all.sleep.end_search([] { return false; });
    together(named("searcher", [&] { all.sleep.begin_search(); }),
             named("spare", [&] { all.sleep.come_back(); }),
             named("finder", [&] { all.sleep.end_search([] { return false; }); }));
    explorer::check(all.sleep.idle() == 2 && all.sleep.asleep() == 0, "each is counted once");
}

/// A thread that sees all workers asleep, or staying away, sees what they did before.
void all_asleep() {
    searchers all{2};
    sync::plain<int> sleeper_did{0};
    sync::plain<int> spare_did{0};
    together(named("worker",
                   [&] {
                       sleeper_did.write(1);
                       all.sleep.sleep(0, all.stopped());
                   }),
             named("spare",
                   [&] {
                       spare_did.write(1);
                       all.sleep.stay_away([] { return false; });
                   }),
             named("watcher", [&] {
                 if (all.sleep.all_asleep()) {
                     explorer::check(sleeper_did.read() + spare_did.read() == 2,
                                     "what both did is seen");
                 }
                 all.stop();
             }));
}

// Threads of workers

/// A task that signals when it has run.
struct posted_job : detail::task {
    std::function<void()> body;
    sync::parker done;

    explicit posted_job(std::function<void()> work = [] {})
        : task{.run = &call}, body{std::move(work)} {}
    static void call(detail::task& self, detail::worker& /*runner*/) noexcept {
        auto& job = static_cast<posted_job&>(self);
        job.body();
        job.done.unpark();
    }
};

/// A pool whose threads are those of the scenario, and posts from outside.
struct working_pool {
    test::unstarted_pool pool;

    explicit working_pool(std::size_t workers) : pool{workers} {}
    auto worker(std::size_t index) { return pool.thread_of(index); }
    void post(posted_job& job) {
        explorer::check(pool.core().submit_from_outside(job), "the pool takes work");
    }
    /// If no worker comes, this never ends.
    void post_and_wait(posted_job& job) {
        post(job);
        job.done.park();
    }
    void stop() { pool.core().stop(on_stop::drain); }
};

void a_worker_runs_a_post() {
    working_pool all{1};
    posted_job job;
    together(named("worker", all.worker(0)), named("poster", [&] {
                 all.post_and_wait(job);
                 all.stop();
             }));
}

void a_worker_runs_two_posts_in_turn() {
    working_pool all{1};
    posted_job first;
    posted_job second;
    together(named("worker", all.worker(0)), named("poster", [&] {
                 all.post_and_wait(first);
                 all.post_and_wait(second);
                 all.stop();
             }));
}

void one_of_two_workers_runs_a_post() {
    working_pool all{2};
    posted_job job;
    together(named("worker", all.worker(0)), named("other worker", all.worker(1)),
             named("poster", [&] {
                 all.post_and_wait(job);
                 all.stop();
             }));
}

/// A job ends only when the other has begun: both workers must come, though the second post may
/// have seen the first worker searching and woken nobody.
void jobs_that_need_each_other() {
    working_pool all{2};
    sync::atomic<int> begun{0};
    const auto meet = [&] {
        begun.fetch_add(1, sync::relaxed);
        while (begun.load(sync::relaxed) < 2) sync::yield();
    };
    posted_job first{meet};
    posted_job second{meet};
    together(named("worker", all.worker(0)), named("other worker", all.worker(1)),
             named("poster", [&] {
                 all.post(first);
                 all.post_and_wait(second);
                 first.done.park();
                 all.stop();
             }));
}

/// A busy worker queues a job and cannot go on before another worker has begun it.
void posted_by_a_busy_worker() {
    working_pool all{2};
    sync::atomic<bool> begun{false};
    posted_job inner{[&] { begun.store(true, sync::relaxed); }};
    posted_job outer{[&] {
        detail::worker::current()->push(inner);
        while (!begun.load(sync::relaxed)) sync::yield();
    }};
    together(named("worker", all.worker(0)), named("other worker", all.worker(1)),
             named("poster", [&] {
                 all.post_and_wait(outer);
                 inner.done.park();
                 all.stop();
             }));
}

TEST(sleep_control, a_sleeper_is_woken_or_sees_the_work) {
    test::explore_thoroughly("sleep: slept or posted", slept_or_posted);
    test::explore_thoroughly("sleep: slept or posted twice", slept_or_posted_twice);
}

TEST(sleep_control, the_last_searcher_wakes_another_if_there_is_more) {
    test::explore_thoroughly("sleep: the last searcher", the_last_searcher);
}

TEST(sleep_control, a_worker_that_stays_away_wakes_another) {
    test::explore_thoroughly("sleep: staying away", staying_away);
}

TEST(sleep_control, stopping_ends_every_sleep) {
    test::explore_thoroughly("sleep: stopped without work", stopped_without_work);
}

TEST(sleep_control, two_threads_may_stop_it) {
    test::explore_thoroughly("sleep: stopped by two", stopped_by_two);
}

TEST(sleep_control, one_notify_wakes_at_most_one) {
    test::explore_thoroughly("sleep: at most one is woken", at_most_one_is_woken);
}

TEST(sleep_control, no_token_is_left_over) {
    test::explore_thoroughly("sleep: no token is left over", no_token_is_left_over);
}

TEST(sleep_control, counts_each_worker_once) {
    test::explore_thoroughly("sleep: each is counted", each_is_counted);
}

TEST(sleep_control, all_asleep_is_seen_with_what_came_before) {
    test::explore_thoroughly("sleep: all asleep", all_asleep);
}

TEST(sleep_control, a_post_reaches_the_worker) {
    test::explore_pool("sleep: a worker runs a post", a_worker_runs_a_post);
}

TEST(sleep_control, a_worker_sleeps_again) {
    test::explore_pool("sleep: two posts in turn", a_worker_runs_two_posts_in_turn);
}

TEST(sleep_control, a_post_reaches_one_of_two_workers) {
    test::explore_pool("sleep: one of two runs a post", one_of_two_workers_runs_a_post);
}

TEST(sleep_control, two_posts_reach_two_workers) {
    test::explore_pool("sleep: jobs that need each other", jobs_that_need_each_other);
}

TEST(sleep_control, a_busy_worker_is_relieved) {
    test::explore_pool("sleep: posted by a busy worker", posted_by_a_busy_worker);
}

TEST(sleep_control, notifying_and_searching_are_lock_free) {
    const auto report = explorer::explore(
        "sleep: a thread is stopped", explorer::options::weak(2, 2).freezing(), [] {
            searchers all{2};
            together(named("worker", [&] { all.sleep.end_search([] { return true; }); }),
                     named("notifier", [&] { all.sleep.notify(); }),
                     named("stopper", [&] { all.sleep.wake_all(); }));
        });
    EXPECT_TRUE(report.passed() && report.exhaustive) << report.explanation();
}

TEST(sleep_control, every_mutant_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"sleep: a worker runs a post", explorer::options::weak(1, 1), a_worker_runs_a_post},
        {"sleep: slept or posted", bounds, slept_or_posted},
        {"sleep: slept or posted twice", bounds, slept_or_posted_twice},
        {"sleep: stopped by two", bounds, stopped_by_two},
        {"sleep: stopped without work", bounds, stopped_without_work},
        {"sleep: the last searcher", bounds, the_last_searcher},
        {"sleep: staying away", bounds, staying_away},
        {"sleep: each is counted", bounds, each_is_counted},
        {"sleep: all asleep", bounds, all_asleep},
        {"sleep: slept or set", bounds, alarm_scenarios::slept_or_set},
        {"sleep: one wakes for an alarm", bounds, alarm_scenarios::one_wakes_for_an_alarm},
        {"sleep: the keeper leaves", explorer::options::weak(1, 2),
         alarm_scenarios::the_keeper_leaves},
    };
    // Of a keeper that leaves: then it may clear the watch of another, which costs a wake-up and
    // loses none (W5).
    const std::vector<std::string> equivalent = {"compare_exchange_strong: split"};
    EXPECT_EQ(test::survivors(scenarios, "pool/sleep.hpp"), equivalent);
}

} // namespace
} // namespace weft::sleep_test
