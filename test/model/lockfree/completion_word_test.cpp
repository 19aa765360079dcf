#include "support/thorough.hpp"

#include <weft/detail/lockfree/completion_word.hpp>
#include <weft/detail/sync/memory.hpp>
#include <weft/detail/sync/parker.hpp>
#include <weft/detail/sync/plain.hpp>

namespace weft {
namespace {

using detail::completion_node;
using detail::completion_word;
using explorer::named;
using explorer::together;
using from_queue = completion_word::from_queue;

/// A task as its holders see it. Freed by the last of them, or reported as a leak.
struct task {
    completion_word word;
    sync::plain<int> runs{0};
    bool helped = false; // as the runner learned

    template <class Made>
    explicit task(Made made) : word{made} {}

    // The runner.
    void run() {
        ++runs.modify();
        notify(word.complete());
    }
    /// By the only thread that could claim it.
    void run_unclaimed() {
        ++runs.modify();
        notify(word.complete_unclaimed());
    }
    void notify(const completion_word::completed& end) {
        if (end.helped) helped = true;
        for (completion_node* each = end.nodes; each != nullptr;) {
            completion_node* after = each->next;
            each->notify(*each);
            each = after;
        }
        if (end.free) free();
    }
    // The queue.
    void run_from_queue() {
        switch (word.claim_from_queue()) {
        case from_queue::run: run(); break;
        case from_queue::free: free(); break;
        case from_queue::drop: break;
        }
    }
    // The handle.
    void drop_handle() {
        if (word.drop_handle()) free();
    }
    /// Runs it, or waits until another thread has.
    void join();
    void check_done() const {
        explorer::check(word.ready(), "it is done");
        explorer::check(runs.read() == 1, "it ran once, and that is seen");
    }
    void free() {
        explorer::check(runs.read() <= 1, "it did not run twice");
        sync::destroy(this);
    }
};

task* make_queued() { return sync::make<task>(completion_word::made_for_queue{}); }
task* make_dormant() { return sync::make<task>(completion_word::made_dormant{}); }

/// On the stack of the waiting thread; gone as soon as it was notified.
struct waiter : completion_node {
    sync::parker parker;
    sync::plain<int> content{1};
    sync::plain<int> notified{0};
    waiter() {
        notify = [](completion_node& node) noexcept {
            auto& self = static_cast<waiter&>(node);
            explorer::check(self.content.read() == 1, "the content of the node is seen");
            ++self.notified.modify();
            self.parker.unpark();
        };
    }
};

/// True if the waiter was added, and so was notified.
bool wait_for(task& awaited) {
    waiter self;
    const bool added = awaited.word.try_add(self);
    if (added) self.parker.park();
    explorer::check(self.notified.read() == (added ? 1 : 0), "notified once if it was added");
    awaited.check_done();
    return added;
}

void task::join() {
    if (word.try_claim()) run();
    else wait_for(*this);
}

void two_claims() {
    task* made = make_queued();
    bool first = false;
    bool second = false;
    together(named("one", [&] { first = made->word.try_claim(); }),
             named("other", [&] { second = made->word.try_claim(); }));
    explorer::check(first != second, "it is claimed once");
    made->run();
    made->run_from_queue();
    made->drop_handle();
}

void claimed_by_queue_or_handle() {
    task* made = make_queued();
    together(named("queue", [&] { made->run_from_queue(); }), named("handle", [&] {
                 if (made->word.try_claim()) made->run();
                 made->drop_handle();
             }));
}

void completed_while_waiting() {
    task* made = make_queued();
    together(named("queue", [&] { made->run_from_queue(); }), named("handle", [&] {
                 wait_for(*made);
                 made->drop_handle();
             }));
}

void joined() {
    task* made = make_queued();
    together(named("queue", [&] { made->run_from_queue(); }), named("handle", [&] {
                 made->join();
                 made->check_done();
                 made->drop_handle();
             }));
}

void handle_dropped_early() {
    task* made = make_queued();
    together(named("queue", [&] { made->run_from_queue(); }),
             named("handle", [&] { made->drop_handle(); }));
}

/// Each of the three ends its hold; the last one frees the task.
void three_holds() {
    task* made = make_queued();
    explorer::check(made->word.try_claim(), "nobody else has it");
    together(named("runner", [&] { made->run(); }), named("queue", [&] { made->run_from_queue(); }),
             named("handle", [&] { made->drop_handle(); }));
}

void three_holds_one_refused() {
    task* made = make_queued();
    explorer::check(made->word.try_claim(), "nobody else has it");
    together(named("runner", [&] { made->run(); }), named("queue", [&] { made->run_from_queue(); }),
             named("handle", [&] {
                 if (made->word.ready()) made->check_done();
                 made->drop_handle();
             }));
}

/// Both wait through one handle.
void two_joiners() {
    task* made = make_queued();
    together(named("joiner", [&] { made->join(); }), named("other joiner", [&] { made->join(); }));
    made->check_done();
    made->run_from_queue();
    made->drop_handle();
}

void two_waiters() {
    task* made = make_queued();
    explorer::check(made->word.claim_from_queue() == from_queue::run, "nobody else has it");
    together(named("waiter", [&] { wait_for(*made); }),
             named("other waiter", [&] { wait_for(*made); }),
             named("runner", [&] { made->run(); }));
    made->drop_handle();
}

void looking_until_done() {
    task* made = make_queued();
    together(named("queue", [&] { made->run_from_queue(); }), named("handle", [&] {
                 while (!made->word.ready()) explorer::yield();
                 made->check_done();
                 made->drop_handle();
             }));
}

void added_when_done() {
    task* made = make_queued();
    together(named("queue", [&] { made->run_from_queue(); }));
    explorer::check(!wait_for(*made), "it is done");
    made->drop_handle();
}

/// No thread can claim a dormant task before it is awoken and queued.
void awoken() {
    task* made = make_dormant();
    explorer::check(made->word.is_dormant(), "it is dormant");
    together(named("queue",
                   [&] {
                       made->word.awaken();
                       made->run_from_queue();
                   }),
             named("handle", [&] {
                 made->join();
                 made->check_done();
                 made->drop_handle();
             }));
}

void awoken_with_a_waiter() {
    task* made = make_dormant();
    together(named("queue",
                   [&] {
                       made->word.awaken();
                       made->run_from_queue();
                   }),
             named("handle", [&] { wait_for(*made); }));
    explorer::check(!made->word.is_dormant(), "it is awake");
    made->drop_handle();
}

void awoken_without_a_handle() {
    task* made = make_dormant();
    together(named("queue",
                   [&] {
                       made->word.awaken();
                       made->run_from_queue();
                   }),
             named("handle", [&] { made->drop_handle(); }));
}

void dormant_is_not_claimed() {
    task* made = make_dormant();
    bool first = true;
    together(named("one", [&] { first = made->word.try_claim(); }), named("other", [&] {
                 explorer::check(!made->word.try_claim(), "it cannot be claimed");
             }));
    explorer::check(!first, "it cannot be claimed");
    made->word.awaken();
    explorer::check(made->word.try_claim(), "now it can");
    made->run();
    made->run_from_queue();
    made->drop_handle();
}

/// A lone worker takes the task from its queue; others may wait for it, but never claim it.
void run_by_a_lone_worker() {
    task* made = make_queued();
    together(named("worker", [&] { made->run_unclaimed(); }), named("waiter", [&] {
                 waiter self;
                 if (made->word.try_add(self)) self.parker.park();
                 made->check_done();
                 made->drop_handle();
             }));
}

void helped_or_done() {
    task* made = make_queued();
    bool helps = false;
    together(named("queue", [&] { made->run_from_queue(); }),
             named("helper", [&] { helps = made->word.help(); }));
    explorer::check(made->helped == helps,
                    "the runner learns of help if and only if there was some");
    made->drop_handle();
}

TEST(completion_word, a_task_is_claimed_once) {
    test::explore_thoroughly("completion: two claims", two_claims);
}

TEST(completion_word, the_queue_or_the_handle_claims_it) {
    test::explore_thoroughly("completion: claimed by queue or handle", claimed_by_queue_or_handle);
}

TEST(completion_word, a_node_is_notified_if_and_only_if_it_was_added) {
    test::explore_thoroughly("completion: completed while waiting", completed_while_waiting);
}

TEST(completion_word, a_joiner_runs_it_or_waits) {
    test::explore_thoroughly("completion: joined", joined);
}

TEST(completion_word, the_handle_may_be_dropped_first) {
    test::explore_thoroughly("completion: handle dropped early", handle_dropped_early);
}

TEST(completion_word, the_last_hold_frees_the_task) {
    test::explore_thoroughly("completion: three holds", three_holds);
}

TEST(completion_word, a_queue_may_drop_what_it_holds) {
    test::explore_thoroughly("completion: the queue drops it", three_holds_one_refused);
}

TEST(completion_word, two_joiners_both_return) {
    test::explore_thoroughly("completion: two joiners", two_joiners);
}

TEST(completion_word, every_waiter_is_notified) {
    test::explore_thoroughly("completion: two waiters", two_waiters);
}

TEST(completion_word, the_result_is_seen_when_it_is_ready) {
    test::explore_thoroughly("completion: looking until done", looking_until_done);
}

TEST(completion_word, nothing_is_added_to_a_task_that_is_done) {
    test::explore_thoroughly("completion: added when done", added_when_done);
}

TEST(completion_word, a_dormant_task_can_be_joined_when_awoken) {
    test::explore_thoroughly("completion: awoken", awoken);
}

TEST(completion_word, awakening_loses_no_waiter) {
    test::explore_thoroughly("completion: awoken with a waiter", awoken_with_a_waiter);
}

TEST(completion_word, awakening_loses_no_hold) {
    test::explore_thoroughly("completion: awoken without a handle", awoken_without_a_handle);
}

TEST(completion_word, a_dormant_task_is_not_claimed) {
    test::explore_thoroughly("completion: dormant", dormant_is_not_claimed);
}

TEST(completion_word, the_runner_learns_that_it_was_helped) {
    test::explore_thoroughly("completion: helped or done", helped_or_done);
}

TEST(completion_word, a_lone_worker_need_not_claim) {
    test::explore_thoroughly("completion: run by a lone worker", run_by_a_lone_worker);
}

TEST(completion_word, is_lock_free) {
    const auto report = explorer::explore(
        "completion: a thread is stopped", explorer::options::weak(2, 2).freezing(), [] {
            task* made = make_queued();
            waiter node;
            together(named("queue", [&] { made->run_from_queue(); }), named("handle", [&] {
                         static_cast<void>(made->word.try_add(node));
                         made->drop_handle();
                     }));
        });
    EXPECT_TRUE(report.passed() && report.exhaustive) << report.explanation();
}

TEST(completion_word, every_mutant_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"completion: two claims", bounds, two_claims},
        {"completion: joined", bounds, joined},
        {"completion: three holds", bounds, three_holds},
        {"completion: the queue drops it", bounds, three_holds_one_refused},
        {"completion: completed while waiting", bounds, completed_while_waiting},
        {"completion: two waiters", bounds, two_waiters},
        {"completion: awoken with a waiter", bounds, awoken_with_a_waiter},
    };
    EXPECT_EQ(test::survivors(scenarios, "completion_word.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft
