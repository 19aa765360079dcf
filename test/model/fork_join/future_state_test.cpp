#include "model/fork_join/closed_pool.hpp"
#include "support/thorough.hpp"

#include <weft/detail/fork_join/future_state.hpp>
#include <weft/detail/sync/plain.hpp>

#include <chrono>
#include <memory>

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

/// Two threads arrive, one of them for the thread that set up the count; the last runs the task.
void counted_down() {
    closed_pool pool;
    auto* task = sync::make<adder>(pool, completion_word::made_dormant{});
    detail::completion_count count{*task};
    count.expect();
    together(named("one",
                   [&] {
                       task->first.write(1);
                       count.arrive();
                   }),
             named("other", [&] {
                 task->second.write(2);
                 count.arrive();
             }));
    explorer::check(task->ready() && task->sum.read() == 3, "it ran when both had arrived");
    task->drop_handle();
}

void counted_while_joined() {
    closed_pool pool;
    auto* task = sync::make<adder>(pool, completion_word::made_dormant{});
    detail::completion_count count{*task};
    count.expect();
    together(named("one",
                   [&] {
                       task->first.write(1);
                       count.arrive();
                   }),
             named("other",
                   [&] {
                       task->second.write(2);
                       count.arrive();
                   }),
             named("waiter", [&] {
                 task->wait("a test");
                 explorer::check(task->sum.read() == 3, "it ran when both had arrived");
             }));
    task->drop_handle();
}

/// One arrives while the count is still being set up.
void counted_while_set_up() {
    closed_pool pool;
    auto* task = sync::make<adder>(pool, completion_word::made_dormant{});
    detail::completion_count count{*task};
    sync::parker expected;
    together(named("maker",
                   [&] {
                       count.expect();
                       expected.unpark();
                       count.expect();
                       task->second.write(2);
                       count.arrive();
                       count.arrive();
                   }),
             named("other", [&] {
                 expected.park();
                 task->first.write(1);
                 count.arrive();
             }));
    explorer::check(task->ready() && task->sum.read() == 3, "it ran when all had arrived");
    task->drop_handle();
}

/// A link notifies its count and ends itself, whether it was added before the completion or not.
void linked() {
    closed_pool pool;
    auto* before = sync::make<adder>(pool, completion_word::made_for_queue{});
    auto* next = sync::make<adder>(pool, completion_word::made_dormant{});
    explorer::check(before->word.claim_from_queue() == completion_word::from_queue::run, "claimed");
    together(named("runner",
                   [&] {
                       next->first.write(1);
                       before->complete();
                   }),
             named("linker", [&] {
                 auto* node = new detail::counted_link;
                 node->count.emplace(*next);
                 if (!before->word.try_add(*node)) node->notify(*node);
                 before->drop_handle();
             }));
    explorer::check(next->ready() && next->sum.read() == 1, "it ran after the other");
    next->drop_handle();
}

/// A thread outside the pool completes a task: its successor, and the successor of that one, ask
/// whether the pool still exists.
void completed_while_the_pool_ends() {
    detail::presence presence;
    const detail::presence::number number = presence.begin();
    auto* pool = sync::make<closed_pool>();
    const detail::task_home home{pool->core(), {&presence, number}};
    auto* before = sync::make<adder>(home, completion_word::made_dormant{});
    auto* next = sync::make<adder>(home, completion_word::made_dormant{});
    auto* last = sync::make<adder>(home, completion_word::made_dormant{});
    const auto link = [](adder& predecessor, adder& successor) {
        auto* node = new detail::counted_link;
        node->count.emplace(successor);
        explorer::check(predecessor.word.try_add(*node), "it is not done");
    };
    link(*before, *next);
    link(*next, *last);
    together(named("completer",
                   [&] {
                       static_cast<void>(before->word.claim_from_queue());
                       last->first.write(1);
                       before->complete();
                   }),
             named("owner", [&] {
                 presence.end();
                 while (!presence.quiet()) explorer::yield();
                 sync::destroy(pool);
             }));
    explorer::check(last->ready() && last->sum.read() == 1, "all have ended");
    for (adder* each : {before, next, last}) each->drop_handle();
}

TEST(joinable_task, a_successor_does_not_use_a_pool_that_is_gone) {
    test::explore_thoroughly("future: completed while the pool ends",
                             completed_while_the_pool_ends);
}

TEST(joinable_task, a_waiter_may_leave_before_it_is_notified) {
    test::explore_thoroughly("future: waiting until a deadline", waiting_until_a_deadline);
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

TEST(completion_count, the_last_to_arrive_sees_what_came_before_all) {
    test::explore_thoroughly("future: counted down", counted_down);
}

TEST(completion_count, a_counted_task_may_be_joined) {
    test::explore_thoroughly("future: counted while joined", counted_while_joined);
}

TEST(completion_count, one_may_arrive_while_it_is_set_up) {
    test::explore_thoroughly("future: counted while set up", counted_while_set_up);
}

TEST(completion_count, a_link_notifies_it_once) {
    test::explore_thoroughly("future: linked", linked);
}

TEST(joinable_task, every_mutant_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"future: waiting until a deadline", bounds, waiting_until_a_deadline},
        {"future: polled by two", bounds, polled_by_two},
        {"future: counted down", bounds, counted_down},
        {"future: counted while set up", bounds, counted_while_set_up},
    };
    EXPECT_EQ(test::survivors(scenarios, "future_state.hpp"), std::vector<std::string>{});
    // Only the atomic members of a waiter are used again, and the explorer takes the construction
    // of atomics as seen by all threads.
    EXPECT_EQ(test::survivors(scenarios, "future_state.cpp"),
              std::vector<std::string>{"exchange: drop_acquire"});
}

} // namespace
} // namespace weft
