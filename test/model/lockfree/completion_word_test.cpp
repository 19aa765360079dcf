// The word by itself where one call meets another; else the task that ships, which is run, joined,
// awoken and freed by its own code.
#include "support/thorough.hpp"
#include "support/unstarted_pool.hpp"

#include <weft/detail/fork_join/future_state.hpp>
#include <weft/detail/lockfree/completion_word.hpp>
#include <weft/detail/pool/worker.hpp>
#include <weft/detail/sync/memory.hpp>
#include <weft/detail/sync/plain.hpp>
#include <weft/explorer.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace weft::completion_test {
namespace {

using detail::completion_node;
using detail::completion_word;
using detail::worker;
using explorer::named;
using explorer::together;
using from_queue = completion_word::from_queue;

// One call each

void two_claims() {
    completion_word word{completion_word::made_for_queue{}};
    bool first = false;
    bool second = false;
    together(named("one", [&] { first = word.try_claim(); }),
             named("other", [&] { second = word.try_claim(); }));
    explorer::check(first != second, "it is claimed once");
}

void dormant_is_not_claimed() {
    completion_word word{completion_word::made_dormant{}};
    bool first = true;
    bool second = true;
    together(named("one", [&] { first = word.try_claim(); }),
             named("other", [&] { second = word.try_claim(); }));
    explorer::check(word.is_dormant() && !first && !second, "it cannot be claimed");
    word.awaken();
    explorer::check(!word.is_dormant() && word.try_claim(), "now it can");
}

void helped_or_done() {
    completion_word word{completion_word::made_for_queue{}};
    explorer::check(word.claim_from_queue() == from_queue::run, "nobody else has it");
    bool helped = false;
    bool helps = false;
    together(named("runner", [&] { helped = word.complete().helped; }),
             named("helper", [&] { helps = word.help(); }));
    explorer::check(helped == helps, "the runner learns of help if and only if there was some");
}

// Tasks

/// A task whose runs are counted. Freed by the last that holds it, or reported as a leak.
class counted_task final : public detail::joinable_task {
public:
    template <class Made>
    counted_task(test::unstarted_pool& pool, Made made)
        : joinable_task{detail::task_home{pool.core()}, made} {}

    /// As a worker does that has found it in a queue.
    void run_from_queue(worker& runner) noexcept { run(*this, runner); }
    /// By the thread that has claimed it.
    void complete_claimed() noexcept {
        ++runs_.modify();
        complete();
    }
    void check_done() const {
        explorer::check(ready(), "it is done");
        explorer::check(runs_.read() == 1, "it ran once, and that is seen");
    }
    void wait_and_check() {
        wait("test");
        check_done();
    }

private:
    void execute(worker& /*runner*/) noexcept override { ++runs_.modify(); }
    void refuse(errc /*reason*/,
                std::shared_ptr<const detail::error_handler> /*report*/) noexcept override {}
    void destroy() noexcept override {
        explorer::check(runs_.read() <= 1, "it did not run twice");
        sync::destroy(this);
    }

    sync::plain<int> runs_{0};
};

/// A task, and workers that run and join it. Other threads are outside the pool.
struct stage {
    test::unstarted_pool pool;
    counted_task* task;

    template <class Made>
    stage(std::size_t workers, Made made)
        : pool{workers}, task{sync::make<counted_task>(pool, made)} {}
    explicit stage(std::size_t workers) : stage{workers, completion_word::made_for_queue{}} {}

    /// A worker that has found the task in a queue.
    auto queue() {
        return pool.as_worker(0, [this](worker& self) { task->run_from_queue(self); });
    }
    /// A worker that makes a dormant task ready, which puts it in its queue, and takes it from
    /// there.
    auto awakening_queue() {
        return pool.as_worker(0, [this](worker& self) {
            task->submit_when_ready();
            detail::task* taken = self.queues.normal.owner_pop();
            explorer::check(taken != nullptr, "it is in the queue");
            taken->run(*taken, self);
        });
    }
    /// A worker that waits for the task, and runs it if nobody has begun.
    auto joiner(std::size_t index) {
        return pool.as_worker(index, [this](worker&) { task->wait_and_check(); });
    }
    void claim() const { explorer::check(task->word.try_claim(), "nobody else has it"); }
};

/// A node that is watched.
struct watched_node : completion_node {
    sync::plain<int> content{0};
    sync::plain<int> notified{0};
    watched_node() {
        notify = [](completion_node& node) noexcept {
            auto& self = static_cast<watched_node&>(node);
            explorer::check(self.content.read() == 1, "the content of the node is seen");
            ++self.notified.modify();
        };
    }
};

void added_or_done() {
    stage all{1};
    watched_node node;
    bool added = false;
    together(named("queue", all.queue()), named("handle", [&] {
                 node.content.write(1);
                 added = all.task->word.try_add(node);
                 if (!added) all.task->check_done();
             }));
    explorer::check(node.notified.read() == (added ? 1 : 0), "notified once if it was added");
    all.task->drop_handle();
}

void two_nodes() {
    stage all{1};
    watched_node first;
    watched_node second;
    const auto add = [&](watched_node& node) {
        node.content.write(1);
        explorer::check(all.task->word.try_add(node), "it is not done");
    };
    together(named("one", [&] { add(first); }), named("other", [&] { add(second); }));
    all.queue()();
    explorer::check(first.notified.read() == 1 && second.notified.read() == 1,
                    "each is notified once");
    all.task->drop_handle();
}

void completed_while_waiting() {
    stage all{1};
    together(named("queue", all.queue()), named("handle", [&] {
                 all.task->wait_and_check();
                 all.task->drop_handle();
             }));
}

void joined() {
    stage all{2};
    together(named("queue", all.queue()), named("handle", all.pool.as_worker(1, [&](worker&) {
                 all.task->wait_and_check();
                 all.task->drop_handle();
             })));
}

void handle_dropped_early() {
    stage all{1};
    together(named("queue", all.queue()), named("handle", [&] { all.task->drop_handle(); }));
}

/// Each of the three ends its hold; the last one frees the task.
void three_holds() {
    stage all{1};
    all.claim();
    together(named("runner", [&] { all.task->complete_claimed(); }), named("queue", all.queue()),
             named("handle", [&] { all.task->drop_handle(); }));
}

void three_holds_one_looks() {
    stage all{1};
    all.claim();
    together(named("runner", [&] { all.task->complete_claimed(); }), named("queue", all.queue()),
             named("handle", [&] {
                 if (all.task->ready()) all.task->check_done();
                 all.task->drop_handle();
             }));
}

/// Both wait through one handle.
void two_joiners() {
    stage all{2};
    together(named("joiner", all.joiner(0)), named("other joiner", all.joiner(1)));
    all.queue()();
    all.task->drop_handle();
}

void two_waiters() {
    stage all{1};
    const auto wait = [&] { all.task->wait_and_check(); };
    together(named("queue", all.queue()), named("waiter", wait), named("other waiter", wait));
    all.task->drop_handle();
}

void looking_until_done() {
    stage all{1};
    together(named("queue", all.queue()), named("handle", [&] {
                 while (!all.task->ready()) explorer::yield();
                 all.task->check_done();
                 all.task->drop_handle();
             }));
}

void added_when_done() {
    stage all{1};
    watched_node node;
    together(named("queue", all.queue()));
    explorer::check(!all.task->word.try_add(node), "it is done");
    all.task->check_done();
    all.task->drop_handle();
}

/// No thread can claim a dormant task before it is awoken and queued.
void awoken() {
    stage all{2, completion_word::made_dormant{}};
    together(named("queue", all.awakening_queue()),
             named("handle", all.pool.as_worker(1, [&](worker&) {
                 if (!all.task->word.is_dormant()) all.task->wait_and_check();
                 all.task->drop_handle();
             })));
}

void awoken_with_a_waiter() {
    stage all{1, completion_word::made_dormant{}};
    together(named("queue", all.awakening_queue()),
             named("handle", [&] { all.task->wait_and_check(); }));
    explorer::check(!all.task->word.is_dormant(), "it is awake");
    all.task->drop_handle();
}

void awoken_without_a_handle() {
    stage all{1, completion_word::made_dormant{}};
    together(named("queue", all.awakening_queue()),
             named("handle", [&] { all.task->drop_handle(); }));
}

/// A lone worker takes the task from its queue; others may wait for it, but never claim it.
void run_by_a_lone_worker() {
    stage all{1};
    all.pool[0].keep(*all.task);
    together(named("worker", all.pool.as_worker(0, [&](worker&) { all.task->wait("test"); })),
             named("waiter", [&] {
                 all.task->wait_and_check();
                 all.task->drop_handle();
             }));
}

/// A worker with a task takes ten times as many steps as a call of the word.
void explore_task(const std::string& name, const std::function<void()>& body) {
    test::explore_workers(name, body, 3);
}

TEST(completion_word, a_task_is_claimed_once) {
    test::explore_thoroughly("completion: two claims", two_claims);
}

TEST(completion_word, a_dormant_task_is_not_claimed) {
    test::explore_thoroughly("completion: dormant", dormant_is_not_claimed);
}

TEST(completion_word, the_runner_learns_that_it_was_helped) {
    test::explore_thoroughly("completion: helped or done", helped_or_done);
}

TEST(completion_word, a_node_is_notified_if_and_only_if_it_was_added) {
    explore_task("completion: added or done", added_or_done);
}

TEST(completion_word, two_nodes_may_be_added_at_once) {
    explore_task("completion: two nodes", two_nodes);
}

TEST(completion_word, a_waiter_is_woken) {
    explore_task("completion: completed while waiting", completed_while_waiting);
}

TEST(completion_word, a_joiner_runs_it_or_waits) { explore_task("completion: joined", joined); }

TEST(completion_word, the_handle_may_be_dropped_first) {
    explore_task("completion: handle dropped early", handle_dropped_early);
}

TEST(completion_word, the_last_hold_frees_the_task) {
    explore_task("completion: three holds", three_holds);
}

TEST(completion_word, a_holder_may_look_before_it_lets_go) {
    explore_task("completion: three holds, one looks", three_holds_one_looks);
}

TEST(completion_word, two_joiners_both_return) {
    explore_task("completion: two joiners", two_joiners);
}

TEST(completion_word, every_waiter_is_notified) {
    explore_task("completion: two waiters", two_waiters);
}

TEST(completion_word, the_result_is_seen_when_it_is_ready) {
    explore_task("completion: looking until done", looking_until_done);
}

TEST(completion_word, nothing_is_added_to_a_task_that_is_done) {
    explore_task("completion: added when done", added_when_done);
}

TEST(completion_word, a_dormant_task_can_be_joined_when_awoken) {
    explore_task("completion: awoken", awoken);
}

TEST(completion_word, awakening_loses_no_waiter) {
    explore_task("completion: awoken with a waiter", awoken_with_a_waiter);
}

TEST(completion_word, awakening_loses_no_hold) {
    explore_task("completion: awoken without a handle", awoken_without_a_handle);
}

TEST(completion_word, a_lone_worker_need_not_claim) {
    explore_task("completion: run by a lone worker", run_by_a_lone_worker);
}

TEST(completion_word, is_lock_free) {
    const auto report = explorer::explore(
        "completion: a thread is stopped", explorer::options::weak(2, 2).freezing(), [] {
            stage all{1};
            watched_node node;
            together(named("queue", all.queue()), named("handle", [&] {
                         node.content.write(1);
                         static_cast<void>(all.task->word.try_add(node));
                         all.task->drop_handle();
                     }));
        });
    EXPECT_TRUE(report.passed() && report.exhaustive) << report.explanation();
}

TEST(completion_word, every_mutant_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"completion: two claims", bounds, two_claims},
        {"completion: helped or done", bounds, helped_or_done},
        {"completion: three holds", bounds, three_holds},
        {"completion: three holds, one looks", bounds, three_holds_one_looks},
        {"completion: looking until done", bounds, looking_until_done},
        {"completion: added or done", bounds, added_or_done},
        {"completion: two nodes", bounds, two_nodes},
        {"completion: completed while waiting", bounds, completed_while_waiting},
        {"completion: awoken with a waiter", bounds, awoken_with_a_waiter},
        {"completion: joined", bounds, joined},
    };
    EXPECT_EQ(test::survivors(scenarios, "completion_word.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft::completion_test
