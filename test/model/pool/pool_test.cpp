// The pool that ships, with two workers: how tasks that wait for each other come to run.
#include "support/thorough.hpp"

#include <weft/blocking.hpp>
#include <weft/detail/pool/worker.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/plain.hpp>
#include <weft/detail/sync/thread.hpp>
#include <weft/explorer.hpp>
#include <weft/fork_join.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace weft::pool_of_two_test {
namespace {

void explore_at_random(const std::string& name, const std::function<void()>& body) {
    test::explore_within({explorer::options::random(test::scaled(3'000, 500'000))}, name, body);
}

void wait_until(const sync::atomic<bool>& flag) {
    while (!flag.load(sync::acquire)) sync::yield();
}

/// Each of two callables goes on only when the other has begun: the thief must come.
void forked_with_a_thief() {
    pool workers{2};
    sync::atomic<bool> first_begun{false};
    sync::atomic<bool> second_begun{false};
    sync::plain<int> first{0};
    sync::plain<int> second{0};
    workers.run([&] {
        fork_join(
            [&] {
                first_begun.store(true, sync::relaxed);
                wait_until(second_begun);
                first.write(1);
            },
            [&] {
                second_begun.store(true, sync::relaxed);
                wait_until(first_begun);
                second.write(2);
            });
        explorer::check(first.read() + second.read() == 3, "both are done when it returns");
    });
}

void forked() {
    pool workers{2};
    const int sum = workers.run([] {
        auto [first, second] = fork_join([] { return 1; }, [] { return 2; });
        return first + second;
    });
    explorer::check(sum == 3, "the results of both are there");
}

/// A task waits for one that it has submitted, and that one for another.
void nested_wait() {
    pool workers{2};
    sync::plain<int> innermost{0};
    const int found = workers.run([&] {
        return workers
            .submit([&] {
                workers.submit([&] { innermost.write(7); }).get();
                return innermost.read();
            })
            .get();
    });
    explorer::check(found == 7, "what the innermost did is seen");
}

/// A task waits for one that another worker must run, since it goes on only when both have begun.
void waiting_for_another_worker() {
    pool workers{2};
    sync::atomic<bool> begun{false};
    workers.run([&] {
        auto other = workers.submit([&] { begun.store(true, sync::relaxed); });
        wait_until(begun);
        other.get();
    });
}

void stopped_while_submitting() {
    pool workers{2};
    sync::atomic<int> ran{0};
    int accepted = 0;
    explorer::together(explorer::named("submitter",
                                       [&] {
                                           try {
                                               workers.submit(
                                                   [&] { ran.fetch_add(1, sync::relaxed); });
                                               ++accepted;
                                           } catch (const error& refused) {
                                               explorer::check(refused.code() == errc::stopped,
                                                               "refused for a reason");
                                           }
                                       }),
                       explorer::named("stopper", [&] { workers.stop(); }));
    explorer::check(ran.load(sync::relaxed) == accepted, "what was accepted was run");
}

void chain_of_continuations() {
    pool workers{2};
    sync::plain<int> steps{0};
    auto last = workers.submit([&] { steps.write(1); })
                    .then([&](future<void> before) {
                        before.get();
                        steps.write(steps.read() + 1);
                    })
                    .then([&](future<void> before) {
                        before.get();
                        return steps.read() + 1;
                    });
    explorer::check(last.get() == 3, "each ran after the one before");
}

/// All workers block until another task has run: a stand-in runs it.
void blocking_with_a_stand_in(std::size_t count) {
    pool workers{pool_options{.workers = count, .extra_threads = 1}};
    sync::atomic<bool> ran{false};
    std::vector<future<void>> blocked;
    for (std::size_t each = 0; each < count; ++each) {
        blocked.push_back(workers.submit([&] { blocking([&] { wait_until(ran); }); }));
    }
    workers.submit([&] { ran.store(true, sync::relaxed); }).get();
    for (future<void>& each : blocked) each.get();
}

/// When the worker is back, its stand-in takes nothing more that has come from outside. The other
/// workers, if there are any, are busy all the time.
void a_stand_in_leaves(std::size_t count) {
    pool workers{pool_options{.workers = count, .extra_threads = 1}};
    sync::atomic<bool> blocks{false};
    sync::atomic<bool> stand_in_runs{false};
    sync::atomic<bool> worker_is_back{false};
    sync::atomic<bool> go_on{false};
    std::vector<future<void>> busy;
    for (std::size_t each = 1; each < count; ++each) {
        busy.push_back(workers.submit([&] { wait_until(go_on); }));
    }
    busy.push_back(workers.submit([&] {
        blocking([&] {
            blocks.store(true, sync::relaxed);
            wait_until(stand_in_runs);
        });
        worker_is_back.store(true, sync::release); // and what came before: the end of the block
        wait_until(go_on);
    }));
    wait_until(blocks);
    busy.push_back(workers.submit([&] {
        stand_in_runs.store(true, sync::relaxed);
        wait_until(worker_is_back);
        wait_until(go_on);
    }));
    wait_until(worker_is_back);
    auto next = workers.submit([] { return detail::worker::current()->index(); });
    go_on.store(true, sync::relaxed);
    explorer::check(next.get() < count, "a worker runs it, and not its stand-in");
    for (future<void>& each : busy) each.get();
}

/// The waiter sleeps until the last worker does.
void waited_until_idle() {
    pool workers{2};
    sync::plain<int> done{0};
    workers.post([&] { done.write(1); });
    workers.wait_idle();
    explorer::check(done.read() == 1, "what was posted has been done");
}

/// Another thread stops the pool meanwhile.
void waited_while_stopped() {
    pool workers{1};
    sync::plain<int> done{0};
    workers.post([&] { done.write(1); });
    explorer::together(explorer::named("stopper", [&] { workers.stop(); }),
                       explorer::named("waiter", [&] {
                           workers.wait_idle();
                           explorer::check(done.read() == 1, "what was posted has been done");
                       }));
}

TEST(pool_of_two, can_be_waited_for_while_it_is_stopped) {
    test::explore_pool("pool: waited while stopped", waited_while_stopped);
}

TEST(pool_of_two, can_be_waited_for_until_it_is_idle) {
    test::explore_pool("pool: waited until idle", waited_until_idle);
}

TEST(pool_of_two, runs_what_is_forked) { test::explore_pool("pool: forked", forked); }

TEST(pool_of_two, has_a_thief_for_what_is_forked) {
    test::explore_pool("pool: forked with a thief", forked_with_a_thief);
}

TEST(pool_of_two, runs_what_its_tasks_wait_for) {
    test::explore_pool("pool: nested wait", nested_wait);
}

TEST(pool_of_two, wakes_the_other_worker_for_what_a_task_submits) {
    test::explore_pool("pool: waiting for another worker", waiting_for_another_worker);
}

TEST(pool_of_two, runs_what_it_has_accepted_when_it_is_stopped) {
    test::explore_pool("pool: stopped while submitting", stopped_while_submitting);
}

TEST(pool_of_two, runs_continuations_in_their_order) {
    test::explore_pool("pool: a chain of continuations", chain_of_continuations);
}

TEST(pool_of_one, has_a_stand_in_for_a_worker_that_blocks) {
    test::explore_pool("pool: blocking with a stand-in", [] { blocking_with_a_stand_in(1); });
}

TEST(pool_of_one, sends_a_stand_in_back_when_its_worker_is_back) {
    test::explore_pool("pool: a stand-in leaves", [] { a_stand_in_leaves(1); });
}

// With three threads of the pool an exhaustive search is out of reach.

TEST(pool_of_two, has_a_stand_in_when_both_workers_block) {
    explore_at_random("pool of two: blocking with a stand-in", [] { blocking_with_a_stand_in(2); });
}

TEST(pool_of_two, sends_a_stand_in_back_when_its_worker_is_back) {
    explore_at_random("pool of two: a stand-in leaves", [] { a_stand_in_leaves(2); });
}

} // namespace
} // namespace weft::pool_of_two_test
