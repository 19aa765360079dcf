// Waiting for a stolen child, and for a task.
#include "model/pool/leapfrog.hpp"
#include "support/thorough.hpp"

#include <weft/detail/sync/thread.hpp>

#include <string>
#include <vector>

namespace weft {
namespace {

using explorer::named;
using explorer::together;
using namespace test::leapfrog;

void a_stolen_leaf() {
    tally all;
    worker owner;
    worker thief;
    together(named("owner", counting(all,
                                     [&] {
                                         owner.fork_and_join([](worker&) { count(0); });
                                         owner.fork_and_join([](worker&) { count(1); });
                                     })),
             named("thief", counting(all, [&] { thief.try_steal(owner); })));
    owner.check_idle();
    thief.check_idle();
    all.check_once(2);
}

/// The thief's own child may be run by the owner, who waits for the thief.
void a_child_that_forks() {
    tally all;
    worker owner;
    worker thief;
    together(named("owner", counting(all,
                                     [&] {
                                         owner.fork_and_join([](worker& here) {
                                             count(0);
                                             here.fork_and_join([](worker&) { count(1); });
                                         });
                                     })),
             named("thief", counting(all, [&] { thief.try_steal(owner); })));
    owner.check_idle();
    thief.check_idle();
    all.check_once(2);
}

/// And the owner's helping may be helped: while it runs the thief's child, the thief waits for it and
/// takes from the owner's deque, above the child that it has stolen first.
void helpers_helping_each_other() {
    tally all;
    worker owner;
    worker thief;
    together(named("owner", counting(all,
                                     [&] {
                                         owner.fork_and_join([](worker& here) {
                                             count(0);
                                             here.fork_and_join([](worker& there) {
                                                 count(1);
                                                 there.fork_and_join([](worker&) { count(2); });
                                             });
                                         });
                                     })),
             named("thief", counting(all, [&] { thief.try_steal(owner); })));
    owner.check_idle();
    thief.check_idle();
    all.check_once(3);
}

/// The thief has an older child of its own in its deque, which somebody who waits for the stolen one
/// must not run: it is no part of what is waited for.
void an_unrelated_child() {
    tally all;
    worker owner;
    worker thief;
    together(named("owner", counting(all,
                                     [&] {
                                         owner.waits = true;
                                         owner.fork_and_join([](worker& here) {
                                             count(0);
                                             here.fork_and_join([](worker&) { count(2); });
                                         });
                                         owner.waits = false;
                                     })),
             named("thief", counting(all, [&] {
                       slot* older = thief.fork(unrelated);
                       thief.try_steal(owner);
                       thief.join(older);
                   })));
    owner.check_idle();
    thief.check_idle();
    all.check_once(3);
}

/// The thief forks another child when it has done with the stolen one. The owner, which was about to
/// help with the stolen one, must not take it.
void what_the_thief_runs_next() {
    tally all;
    worker owner;
    worker thief;
    slot* next = nullptr;
    together(named("owner", counting(all,
                                     [&] {
                                         owner.waits = true;
                                         owner.fork_and_join([](worker& here) {
                                             count(0);
                                             here.fork_and_join([](worker&) { count(2); });
                                         });
                                         owner.waits = false;
                                     })),
             named("thief", counting(all, [&] {
                       thief.try_steal(owner);
                       next = thief.fork(unrelated);
                   })));
    counting(all, [&] { thief.join(next); })();
    owner.check_idle();
    thief.check_idle();
    all.check_once(3);
}

/// The thief's child is stolen by a third, whom the thief helps, while the owner may help the thief.
void a_chain_of_thieves() {
    tally all;
    worker owner;
    worker thief;
    worker third;
    together(named("owner", counting(all,
                                     [&] {
                                         owner.fork_and_join([](worker& here) {
                                             count(0);
                                             here.fork_and_join([](worker&) { count(1); });
                                         });
                                     })),
             named("thief", counting(all, [&] { thief.try_steal(owner); })),
             named("third", counting(all, [&] { third.try_steal(thief); })));
    owner.check_idle();
    thief.check_idle();
    third.check_idle();
    all.check_once(2);
}

void the_runner_of_a_task() {
    tally all;
    worker runner;
    worker waiter;
    task joined;
    together(named("runner", counting(all,
                                      [&] {
                                          slot* older = runner.fork(unrelated);
                                          joined.run(runner);
                                          runner.join(older);
                                      })),
             named("waiter", counting(all, [&] { joined.wait(waiter); })));
    all.check_once(2);
}

/// The runner forks another child when it has done with the task.
void what_the_runner_runs_next() {
    tally all;
    worker runner;
    worker waiter;
    task joined;
    together(named("runner", counting(all,
                                      [&] {
                                          joined.run(runner);
                                          runner.fork_and_join(unrelated);
                                      })),
             named("waiter", counting(all, [&] { joined.wait(waiter); })));
    runner.check_idle();
    all.check_once(2);
}

/// The same beside a thief, which may take anything.
void a_waiter_and_a_thief() {
    tally all;
    worker runner;
    worker waiter;
    worker other;
    task joined;
    together(named("runner", counting(all,
                                      [&] {
                                          joined.run(runner);
                                          runner.fork_and_join(unrelated);
                                      })),
             named("waiter", counting(all, [&] { joined.wait(waiter); })),
             named("other thief", counting(all, [&] { other.try_steal(runner); })));
    runner.check_idle();
    all.check_once(2);
}

void two_waiters() {
    tally all;
    worker runner;
    worker waiter;
    worker other;
    task joined;
    together(named("runner", counting(all, [&] { joined.run(runner); })),
             named("waiter", counting(all, [&] { joined.wait(waiter); })),
             named("other waiter", counting(all, [&] { joined.wait(other); })));
    runner.check_idle();
    all.check_once(1);
}

/// The thief goes on only when its child has begun on another worker: the owner, which sleeps by then,
/// must come and help.
struct meeting {
    sync::atomic<bool> begun{false};
};
using meeting_slot = sync::thread_local_value<meeting, meeting*>;

void called_back() {
    tally all;
    meeting place;
    worker owner;
    worker thief;
    sync::atomic<bool> stolen{false};
    const auto meeting_here = [&](auto body) {
        return counting(all, [&place, body] {
            meeting_slot::set(&place);
            body();
        });
    };
    together(named("owner", meeting_here([&] {
                       slot* child = owner.fork([](worker& here) {
                           slot* inner = here.fork([](worker&) {
                               count(1);
                               meeting_slot::get()->begun.store(true, sync::relaxed);
                           });
                           while (!meeting_slot::get()->begun.load(sync::relaxed)) sync::yield();
                           here.join(inner);
                           count(0);
                       });
                       while (!stolen.load(sync::relaxed)) sync::yield();
                       owner.join(child);
                   })),
             named("thief", meeting_here([&] {
                       slot* child = nullptr;
                       while (child == nullptr) {
                           child = owner.scoped.steal();
                           if (child == nullptr) sync::yield();
                       }
                       stolen.store(true, sync::relaxed);
                       thief.run_stolen(*child, owner);
                   })));
    all.check_once(2);
}

void two_thieves() {
    tally all;
    worker owner;
    worker thief;
    worker other;
    together(named("owner", counting(all,
                                     [&] {
                                         slot* first = owner.fork([](worker&) { count(0); });
                                         slot* second = owner.fork([](worker&) { count(1); });
                                         owner.join(second);
                                         owner.join(first);
                                     })),
             named("thief", counting(all, [&] { thief.try_steal(owner); })),
             named("other thief", counting(all, [&] { other.try_steal(owner); })));
    owner.check_idle();
    all.check_once(2);
}

TEST(leapfrog, a_stolen_child_runs_once_and_its_owner_goes_on) {
    test::explore_thoroughly("leapfrog: a stolen leaf", a_stolen_leaf);
}

TEST(leapfrog, the_owner_helps_its_thief) {
    test::explore_thoroughly("leapfrog: a child that forks", a_child_that_forks);
}

TEST(leapfrog, helpers_may_help_each_other) {
    test::explore_thoroughly("leapfrog: helpers helping each other", helpers_helping_each_other);
}

TEST(leapfrog, nothing_unrelated_is_run_while_waiting) {
    test::explore_thoroughly("leapfrog: an unrelated child", an_unrelated_child);
}

TEST(leapfrog, two_children_of_two_thieves) {
    test::explore_thoroughly("leapfrog: two thieves", two_thieves);
}

TEST(leapfrog, who_waits_for_a_task_helps_its_runner_with_that_task) {
    test::explore_thoroughly("leapfrog: the runner of a task", the_runner_of_a_task);
}

TEST(leapfrog, nothing_is_taken_of_what_the_thief_runs_next) {
    test::explore_thoroughly("leapfrog: what the thief runs next", what_the_thief_runs_next);
}

TEST(leapfrog, thieves_may_have_thieves) {
    test::explore_thoroughly("leapfrog: a chain of thieves", a_chain_of_thieves);
}

TEST(leapfrog, nothing_is_taken_of_what_the_runner_runs_next) {
    test::explore_thoroughly("leapfrog: what the runner runs next", what_the_runner_runs_next);
}

TEST(leapfrog, who_does_not_wait_may_take_what_the_runner_runs_next) {
    test::explore_thoroughly("leapfrog: a waiter and a thief", a_waiter_and_a_thief);
}

TEST(leapfrog, two_may_wait_for_a_task) {
    test::explore_thoroughly("leapfrog: two waiters", two_waiters);
}

TEST(leapfrog, who_sleeps_is_called_when_there_is_something_to_help_with) {
    test::explore_thoroughly("leapfrog: called back", called_back);
}

/// Those of its updates are caught in its own tests.
TEST(leapfrog, every_mutant_of_the_bells_fence_is_caught) {
    const std::vector<explorer::scenario> scenarios = {
        {"leapfrog: called back", explorer::options::weak(2, 2), called_back},
    };
    for (const std::string& survivor : test::survivors(scenarios, "bell.hpp")) {
        EXPECT_FALSE(survivor.starts_with("fence")) << survivor;
    }
}

TEST(leapfrog, every_mutant_of_the_join_is_caught) {
    const explorer::options how = explorer::options::weak(3, 1);
    const std::vector<explorer::scenario> scenarios = {
        {"leapfrog: a stolen leaf", how, a_stolen_leaf},
        {"leapfrog: a child that forks", how, a_child_that_forks},
    };
    EXPECT_EQ(test::survivors(scenarios, "join_word.hpp"), std::vector<std::string>{});
}

/// What is written there as it is in `joinable_task` and in the worker.
TEST(leapfrog, every_mutant_of_the_task_is_caught) {
    const std::vector<explorer::scenario> scenarios = {
        {"leapfrog: the runner of a task", explorer::options::weak(2, 2), the_runner_of_a_task},
        {"leapfrog: called back", explorer::options::weak(2, 2), called_back},
    };
    EXPECT_EQ(test::survivors(scenarios, "model/pool/leapfrog.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft
