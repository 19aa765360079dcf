#include "model/fork_join/adder.hpp"
#include "support/thorough.hpp"

#include <weft/detail/sync/plain.hpp>
#include <weft/error.hpp>
#include <weft/future.hpp>

#include <chrono>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft {
namespace {

using explorer::named;
using explorer::together;
using namespace std::chrono_literals;
using detail::completion_word;
using test::adder;
using test::closed_pool;

void waiting_until_a_deadline() {
    closed_pool pool;
    auto* task = sync::make<adder>(pool, completion_word::made_for_queue{});
    explorer::check(task->word.claim_from_queue() == completion_word::from_queue::run, "claimed");
    together(named("runner",
                   [&] {
                       task->sum.write(1);
                       task->complete();
                   }),
             named("waiter", [&] {
                 if (task->wait_until(sync::clock::now() + 1ms, "test")) {
                     explorer::check(task->sum.read() == 1, "the outcome is seen");
                 }
                 task->drop_handle();
             }));
}

/// The deadline is far away.
void waiting_long_enough() {
    closed_pool pool;
    auto* task = sync::make<adder>(pool, completion_word::made_for_queue{});
    explorer::check(task->word.claim_from_queue() == completion_word::from_queue::run, "claimed");
    together(named("runner", [&] { task->complete(); }), named("waiter", [&] {
                 explorer::check(task->wait_until(sync::clock::now() + 1h, "test"), "it is done");
             }));
    task->drop_handle();
}

void two_wait_until_a_deadline() {
    closed_pool pool;
    auto* task = sync::make<adder>(pool, completion_word::made_for_queue{});
    explorer::check(task->word.claim_from_queue() == completion_word::from_queue::run, "claimed");
    const auto wait = [&] {
        if (task->wait_until(sync::clock::now() + 1ms, "test")) {
            explorer::check(task->sum.read() == 1, "the outcome is seen");
        }
    };
    together(named("runner",
                   [&] {
                       task->sum.write(1);
                       task->complete();
                   }),
             named("waiter", wait), named("other waiter", wait));
    task->drop_handle();
}

/// Both poll: a node that was not notified passes from one to the other.
void polled_by_two() {
    closed_pool pool;
    auto* task = sync::make<adder>(pool, completion_word::made_for_queue{});
    explorer::check(task->word.claim_from_queue() == completion_word::from_queue::run, "claimed");
    const auto poll = [&] {
        for (int i = 0; i < 2; ++i) {
            if (task->wait_until(sync::clock::now() + 1ms, "test")) {
                explorer::check(task->sum.read() == 1, "the outcome is seen");
            }
        }
    };
    together(named("poller", poll), named("other poller", poll));
    task->sum.write(1);
    task->complete();
    task->drop_handle();
}

void waiting_without_a_deadline() {
    closed_pool pool;
    auto* task = sync::make<adder>(pool, completion_word::made_for_queue{});
    explorer::check(task->word.claim_from_queue() == completion_word::from_queue::run, "claimed");
    together(named("runner",
                   [&] {
                       task->sum.write(1);
                       task->complete();
                   }),
             named("waiter", [&] {
                 task->wait("a test");
                 explorer::check(task->sum.read() == 1, "the outcome is seen");
                 task->drop_handle();
             }));
}

/// Runs what is queued where this worker looks first.
void run_near(test::unstarted_pool& pool, detail::worker& self) {
    detail::finder finder = pool.finder(self.index());
    while (const detail::finding found = finder.find_near()) found.next().run(found.next(), self);
}

/// The continuation is queued by the worker that completes the task, or by the thread that adds it.
void continued() {
    test::unstarted_pool pool{1};
    sync::plain<int> data{0};
    const auto body = [&data] {
        data.write(1);
        return 1;
    };
    auto& before = *detail::callable_task<std::decay_t<decltype(body)>>::make(
        detail::task_home{pool.core()}, completion_word::made_for_queue{}, {}, body);
    future<int> first{before};
    future<int> last;
    together(named("worker", pool.as_worker(0,
                                            [&](detail::worker& self) {
                                                before.run(before, self);
                                                run_near(pool, self);
                                            })),
             named("owner", [&] {
                 last = std::move(first).then([&](future<int> done) {
                     explorer::check(done.ready(), "it runs after the other");
                     return done.get() + data.read();
                 });
             }));
    pool.as_worker(0, [&](detail::worker& self) { run_near(pool, self); })();
    explorer::check(last.ready() && last.get() == 2, "it has run");
}

/// Runs what this worker finds.
void run_found(test::unstarted_pool& pool, detail::worker& self) {
    detail::finder finder = pool.finder(self.index());
    while (const detail::finding found = finder.search()) found.next().run(found.next(), self);
}

/// A worker waits for a continuation that becomes ready at that moment: the wait is refused, or the
/// worker runs the continuation itself, if that is of its own pool.
template <bool OfThisPool>
void waited_for_when_it_becomes_ready() {
    test::unstarted_pool pool{1};
    test::unstarted_pool other{1};
    test::unstarted_pool& waiting = OfThisPool ? pool : other;
    auto* before = sync::make<adder>(pool, completion_word::made_dormant{});
    const detail::worker* runner = nullptr;
    future<void> last =
        future<int>{*before}.then([&](future<int>) { runner = detail::worker::current(); });
    const auto run_all = pool.as_worker(0, [&](detail::worker& self) { run_found(pool, self); });
    together(named("completer",
                   [&] {
                       static_cast<void>(before->word.claim_from_queue());
                       before->complete();
                       if (!OfThisPool) run_all();
                   }),
             named("waiter", waiting.as_worker(0, [&](detail::worker&) {
                 try {
                     last.wait();
                     explorer::check(last.ready(), "it is done");
                 } catch (const error& thrown) {
                     explorer::check(thrown.code() == errc::would_deadlock, "it was not ready");
                 }
             })));
    run_all();
    explorer::check(runner == &pool[0], "it runs on its pool");
}

/// A thread outside the pool completes a task: its successor, and the successor of that one, ask
/// whether the pool still exists.
void completed_while_the_pool_ends() {
    auto* pool = sync::make<closed_pool>();
    auto* before = sync::make<adder>(*pool, completion_word::made_dormant{});
    future<void> last = future<int>{*before}.then([](future<int>) {}).then([](future<void>) {});
    together(named("completer",
                   [&] {
                       static_cast<void>(before->word.claim_from_queue());
                       before->complete();
                   }),
             named("owner", [&] { sync::destroy(pool); }));
    explorer::check(last.ready(), "all have ended");
    try {
        last.get();
        explorer::check(false, "nobody could run it");
    } catch (const error& thrown) {
        explorer::check(thrown.code() == errc::not_run, "it was not run");
    }
}

TEST(joinable_task, a_successor_does_not_use_a_pool_that_is_gone) {
    test::explore_thoroughly("future: completed while the pool ends",
                             completed_while_the_pool_ends);
}

TEST(joinable_task, a_waiter_may_leave_before_it_is_notified) {
    test::explore_thoroughly("future: waiting until a deadline", waiting_until_a_deadline);
}

TEST(joinable_task, a_wait_that_ends_before_its_deadline_says_that_the_task_is_done) {
    explorer::options bounds = explorer::options::weak(2, 2);
    bounds.timeouts = 0;
    test::explore_within({bounds}, "future: waiting long enough", waiting_long_enough);
}

TEST(joinable_task, a_continuation_may_become_ready_when_it_is_waited_for) {
    test::explore_workers("future: waited for when it becomes ready",
                          waited_for_when_it_becomes_ready<true>);
    test::explore_workers("future: waited for in another pool",
                          waited_for_when_it_becomes_ready<false>);
}

TEST(joinable_task, waiters_with_deadlines_do_not_disturb_each_other) {
    test::explore_thoroughly("future: two wait until a deadline", two_wait_until_a_deadline);
}

TEST(joinable_task, a_waiter_that_was_not_notified_is_used_again) {
    test::explore_thoroughly("future: polled by two", polled_by_two);
}

TEST(joinable_task, a_thread_sleeps_until_a_task_is_done) {
    test::explore_thoroughly("future: waiting without a deadline", waiting_without_a_deadline);
}

TEST(joinable_task, a_continuation_runs_once_after_the_task) {
    test::explore_thoroughly("future: continued", continued);
}

TEST(joinable_task, every_mutant_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"future: waiting until a deadline", bounds, waiting_until_a_deadline},
        {"future: polled by two", bounds, polled_by_two},
    };
    // Only the atomic members of a waiter are used again, and the explorer takes the construction
    // of atomics as seen by all threads.
    EXPECT_EQ(test::survivors(scenarios, "future_state.cpp"),
              std::vector<std::string>{"exchange: drop_acquire"});
}

} // namespace
} // namespace weft
