#include "support/thorough.hpp"

#include <weft/detail/pool/sleep.hpp>
#include <weft/detail/sync/plain.hpp>
#include <weft/detail/sync/thread.hpp>

#include <cstddef>

namespace weft {
namespace {

using explorer::named;
using explorer::together;

/// Workers that take jobs from a count. All its operations are relaxed: only the protocol orders
/// anything.
struct board {
    detail::sleep_control sleep;
    sync::atomic<int> jobs{0};
    sync::atomic<int> done{0};
    sync::atomic<bool> stopping{false};

    explicit board(std::size_t workers) : sleep{workers} {}

    void post() {
        jobs.fetch_add(1, sync::relaxed);
        sleep.notify();
    }
    void stop() {
        stopping.store(true, sync::relaxed);
        sleep.wake_all();
    }
    [[nodiscard]] bool more() const { return jobs.load(sync::relaxed) > 0; }
    [[nodiscard]] bool stopped() const { return stopping.load(sync::relaxed); }

    bool try_take() {
        int now = jobs.load(sync::relaxed);
        while (now > 0) {
            if (jobs.compare_exchange_weak(now, now - 1, sync::relaxed, sync::relaxed)) return true;
        }
        return false;
    }
    /// One job, or none if the board stops first.
    bool take_or_wait(std::size_t worker) {
        sleep.begin_search();
        for (;;) {
            const bool taken = try_take();
            if (taken || stopped()) {
                sleep.end_search([this] { return more(); });
                return taken;
            }
            sleep.sleep(worker, [this] { return more() || stopped(); });
        }
    }

    /// Runs jobs until the board stops; the worker that does the last of `total` stops it.
    auto worker(std::size_t number, int total) {
        return [this, number, total] {
            while (take_or_wait(number)) {
                if (done.fetch_add(1, sync::relaxed) + 1 == total) stop();
            }
        };
    }
    void check_done(int total) const {
        explorer::check(done.load(sync::relaxed) == total, "each job was done");
        explorer::check(sleep.asleep() == 0, "nobody counts as asleep");
    }

    /// Arrives, and waits until all have arrived.
    static void meet(sync::atomic<int>& arrived, int all) {
        arrived.fetch_add(1, sync::relaxed);
        while (arrived.load(sync::relaxed) < all) sync::yield();
    }
};

void one_worker_one_poster() {
    board all{1};
    together(named("worker", all.worker(0, 1)), named("poster", [&] { all.post(); }));
    all.check_done(1);
}

void two_workers_one_poster() {
    board all{2};
    together(named("worker", all.worker(0, 1)), named("other worker", all.worker(1, 1)),
             named("poster", [&] { all.post(); }));
    all.check_done(1);
}

void one_worker_two_posters() {
    board all{1};
    together(named("worker", all.worker(0, 2)), named("poster", [&] { all.post(); }),
             named("other poster", [&] { all.post(); }));
    all.check_done(2);
}

void two_workers_two_jobs() {
    board all{2};
    together(named("worker", all.worker(0, 2)), named("other worker", all.worker(1, 2)),
             named("poster", [&] {
                 all.post();
                 all.post();
             }));
    all.check_done(2);
}

/// A job ends only when the other has begun: both workers must come, though the second post may
/// have seen the first worker searching and woken nobody.
void jobs_that_need_each_other() {
    board all{2};
    sync::atomic<int> begun{0};
    const auto worker = [&](std::size_t number) {
        return [&all, &begun, number] {
            explorer::check(all.take_or_wait(number), "there is a job for each");
            board::meet(begun, 2);
        };
    };
    together(named("worker", worker(0)), named("other worker", worker(1)), named("poster", [&] {
                 all.post();
                 all.post();
             }));
    explorer::check(all.sleep.asleep() == 0, "nobody counts as asleep");
}

/// A busy worker posts a job and cannot go on before another worker has begun it.
void posted_by_a_busy_worker() {
    board all{2};
    sync::atomic<int> begun{0};
    together(named("busy worker",
                   [&] {
                       all.post();
                       board::meet(begun, 2);
                   }),
             named("worker", [&] {
                 explorer::check(all.take_or_wait(1), "there is a job");
                 board::meet(begun, 2);
             }));
}

/// The same, but the busy worker has found its own job while the other went to sleep.
void posted_by_a_worker_that_has_found_something() {
    board all{2};
    sync::atomic<int> begun{0};
    all.jobs.store(1, sync::relaxed);
    const auto worker = [&](std::size_t number) {
        return [&all, &begun, number] {
            explorer::check(all.take_or_wait(number), "there is a job for each");
            if (begun.load(sync::relaxed) == 0 && all.done.fetch_add(1, sync::relaxed) == 0) {
                all.post();
            }
            board::meet(begun, 2);
        };
    };
    together(named("worker", worker(0)), named("other worker", worker(1)));
}

void stopped_without_work() {
    board all{2};
    together(named("worker", all.worker(0, 1)), named("other worker", all.worker(1, 1)),
             named("stopper", [&] { all.stop(); }));
    all.check_done(0);
}

void stopped_when_all_sleep() {
    board all{2};
    together(named("worker", all.worker(0, 1)), named("other worker", all.worker(1, 1)),
             named("stopper", [&] {
                 while (all.sleep.asleep() < 2) sync::yield();
                 all.stop();
             }));
    all.check_done(0);
}

/// One notify wakes at most one of two sleepers, and while that one searches another notify wakes
/// nobody. It may wake none: a worker that has only announced its sleep looks again (W2).
void at_most_one_is_woken() {
    board all{2};
    const auto sleeper = [&all](std::size_t number) {
        return [&all, number] {
            all.sleep.begin_search();
            all.sleep.sleep(number, [&all] { return all.stopped(); });
            while (!all.stopped()) sync::yield();
            all.sleep.end_search([] { return false; });
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
    all.check_done(0);
}

/// A worker that finds work after it has announced its sleep may be claimed by the poster in the
/// same moment. If a token were left over, its next sleep would end for no reason.
void no_token_is_left_over() {
    board all{1};
    sync::atomic<bool> posted{false};
    together(named("worker",
                   [&] {
                       all.sleep.begin_search();
                       while (!all.try_take()) all.sleep.sleep(0, [&] { return all.more(); });
                       while (!posted.load(sync::relaxed)) sync::yield();
                       all.sleep.sleep(0, [&] { return all.stopped(); });
                       explorer::check(all.stopped(), "a sleep ends for a reason");
                       all.sleep.end_search([&] { return all.more(); });
                   }),
             named("poster", [&] {
                 all.post();
                 posted.store(true, sync::relaxed);
                 while (all.sleep.asleep() == 0) sync::yield();
                 all.stop();
             }));
    all.check_done(0);
}

void sleeping_twice() {
    board all{1};
    together(named("worker",
                   [&] {
                       for (int i = 0; i < 2; ++i) {
                           explorer::check(all.take_or_wait(0), "there is a job");
                           all.done.fetch_add(1, sync::relaxed);
                       }
                   }),
             named("poster", [&] {
                 all.post();
                 while (all.done.load(sync::relaxed) == 0) sync::yield();
                 all.post();
             }));
    all.check_done(2);
}

void posted_and_stopped() {
    board all{1};
    together(named("worker",
                   [&] {
                       while (all.take_or_wait(0)) all.done.fetch_add(1, sync::relaxed);
                   }),
             named("poster", [&] {
                 all.post();
                 while (all.done.load(sync::relaxed) == 0) sync::yield();
                 all.stop();
             }));
    all.check_done(1);
}

void stopped_by_two() {
    board all{1};
    together(named("worker", all.worker(0, 1)), named("stopper", [&] { all.stop(); }),
             named("other stopper", [&] { all.stop(); }));
    all.check_done(0);
}

/// A thread that sees all workers asleep, or staying away, sees what they did before.
void all_asleep() {
    board all{2};
    sync::plain<int> sleeper_did{0};
    sync::plain<int> spare_did{0};
    together(named("worker",
                   [&] {
                       all.sleep.begin_search();
                       sleeper_did.write(1);
                       all.sleep.sleep(0, [&] { return all.stopped(); });
                       all.sleep.end_search([] { return false; });
                   }),
             named("spare",
                   [&] {
                       all.sleep.begin_search();
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

/// The worker that a notifier relied on stays away instead: it wakes another in its place.
void staying_away() {
    board all{2};
    together(named("worker", all.worker(0, 1)),
             named("spare",
                   [&] {
                       all.sleep.begin_search();
                       all.sleep.stay_away([&] { return all.more(); });
                   }),
             named("poster", [&] { all.post(); }));
    explorer::check(all.done.load(sync::relaxed) == 1, "the job was done");
}

TEST(sleep_control, a_post_reaches_the_worker) {
    test::explore_thoroughly("sleep: one worker, one poster", one_worker_one_poster);
}

TEST(sleep_control, a_post_reaches_one_of_two_workers) {
    test::explore_thoroughly("sleep: two workers, one poster", two_workers_one_poster);
}

TEST(sleep_control, two_posts_reach_one_worker) {
    test::explore_thoroughly("sleep: one worker, two posters", one_worker_two_posters);
}

TEST(sleep_control, two_jobs_are_done_by_two_workers) {
    test::explore_thoroughly("sleep: two workers, two jobs", two_workers_two_jobs);
}

TEST(sleep_control, the_last_searcher_wakes_another_if_there_is_more) {
    test::explore_thoroughly("sleep: jobs that need each other", jobs_that_need_each_other);
}

TEST(sleep_control, a_busy_worker_is_relieved) {
    test::explore_thoroughly("sleep: posted by a busy worker", posted_by_a_busy_worker);
}

TEST(sleep_control, a_worker_that_found_something_may_post) {
    test::explore_thoroughly("sleep: posted by one that found something",
                             posted_by_a_worker_that_has_found_something);
}

TEST(sleep_control, stopping_ends_every_sleep) {
    test::explore_thoroughly("sleep: stopped without work", stopped_without_work);
}

TEST(sleep_control, stopping_wakes_all_sleepers) {
    test::explore_thoroughly("sleep: stopped when all sleep", stopped_when_all_sleep);
}

TEST(sleep_control, one_notify_wakes_at_most_one) {
    test::explore_thoroughly("sleep: at most one is woken", at_most_one_is_woken);
}

TEST(sleep_control, no_token_is_left_over) {
    test::explore_thoroughly("sleep: no token is left over", no_token_is_left_over);
}

TEST(sleep_control, a_worker_sleeps_again) {
    test::explore_thoroughly("sleep: sleeping twice", sleeping_twice);
}

TEST(sleep_control, stopping_after_work) {
    test::explore_thoroughly("sleep: posted and stopped", posted_and_stopped);
}

TEST(sleep_control, two_threads_may_stop_it) {
    test::explore_thoroughly("sleep: stopped by two", stopped_by_two);
}

TEST(sleep_control, all_asleep_is_seen_with_what_came_before) {
    test::explore_thoroughly("sleep: all asleep", all_asleep);
}

TEST(sleep_control, a_worker_that_stays_away_wakes_another) {
    test::explore_thoroughly("sleep: staying away", staying_away);
}

TEST(sleep_control, notifying_and_searching_are_lock_free) {
    const auto report = explorer::explore(
        "sleep: a thread is stopped", explorer::options::weak(2, 2).freezing(), [] {
            board all{2};
            together(named("worker",
                           [&] {
                               all.sleep.begin_search();
                               all.sleep.end_search([] { return true; });
                           }),
                     named("notifier", [&] { all.sleep.notify(); }),
                     named("stopper", [&] { all.sleep.wake_all(); }));
        });
    EXPECT_TRUE(report.passed() && report.exhaustive) << report.explanation();
}

TEST(sleep_control, every_mutant_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"sleep: one worker, one poster", bounds, one_worker_one_poster},
        {"sleep: stopped by two", bounds, stopped_by_two},
        {"sleep: stopped without work", bounds, stopped_without_work},
        {"sleep: jobs that need each other", bounds, jobs_that_need_each_other},
        {"sleep: all asleep", bounds, all_asleep},
        {"sleep: staying away", bounds, staying_away},
    };
    EXPECT_EQ(test::survivors(scenarios, "pool/sleep.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft
