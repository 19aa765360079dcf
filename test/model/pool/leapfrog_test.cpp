// Waiting for a stolen child: two deques, the join word and the parkers together, used as
// `worker::wait_for_stolen`, `help` and `run_stolen` use them.
#include "lockfree/bell.hpp"
#include "lockfree/completion_word.hpp"
#include "lockfree/join_word.hpp"
#include "lockfree/split_deque.hpp"
#include "support/thorough.hpp"
#include "sync/fence.hpp"
#include "sync/parker.hpp"
#include "sync/plain.hpp"
#include "sync/thread.hpp"
#include "sync/thread_slot.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace weft {
namespace {

using detail::join_word;
using explorer::named;
using explorer::together;

struct worker;

struct slot {
    using body = void (*)(worker& here);

    sync::plain<body> run{nullptr};
    sync::plain<worker*> thief{nullptr};
    sync::plain<std::uint32_t> thief_base{0};
    std::optional<join_word> join;
};

struct worker {
    std::array<slot, 3> slots;
    detail::split_deque<slot> scoped{slots.data()};
    sync::parker join_parker;
    detail::bell<worker> share_bell;
    bool waits = false; // for something that the child of `unrelated` is no part of

    slot* fork(slot::body run) {
        slot* next = scoped.owner_next();
        next->run.write(run);
        scoped.owner_push(next);
        scoped.owner_share([](slot& each) { each.join.emplace(); });
        tell_shared();
        return next;
    }
    void tell_shared() {
        sync::fence(sync::seq_cst); // in `sleep_control::notify`
        if (worker* waiting = share_bell.ring()) waiting->join_parker.unpark();
    }
    void join(slot* last) {
        if (scoped.owner_pop(last) || scoped.owner_take_back()) {
            last->run.read()(*this);
            return;
        }
        wait_for_stolen(*last);
        scoped.owner_forget_stolen(last);
    }
    void fork_and_join(slot::body run) { join(fork(run)); }

    void run_stolen(slot& child, worker& victim) {
        child.thief.write(this);
        child.thief_base.write(scoped.owner_position());
        if (child.join->thief_begin()) victim.join_parker.unpark();
        child.run.read()(*this);
        const join_word::finished end = child.join->thief_finish();
        if (end.helped) scoped.owner_renew();
        if (end.wake) victim.join_parker.unpark();
    }
    bool try_steal(worker& victim) {
        slot* child = victim.scoped.steal();
        if (child == nullptr) return false;
        run_stolen(*child, victim);
        return true;
    }
    template <class Holds>
    bool help(worker& runner, std::uint32_t base, Holds holds) {
        slot* child = runner.scoped.steal_while(base, holds);
        if (child == nullptr) return false;
        run_stolen(*child, runner);
        return true;
    }
    void wait_for_stolen(slot& child) {
        const auto runs = [&] { return child.join->owner_look() == join_word::state::running; };
        bool helps = false;
        const auto try_help = [&] {
            if (!runs()) return false;
            helps = helps || child.join->owner_help();
            return helps && help(*child.thief.read(), child.thief_base.read(), runs);
        };
        // On the machine it looks some more times before it sleeps.
        while (child.join->owner_look() != join_word::state::done) {
            if (try_help()) continue;
            worker* runner = runs() ? child.thief.read() : nullptr;
            const bool called = runner != nullptr && runner->share_bell.try_wait(*this);
            if (!called || !try_help()) {
                const join_word::state now = child.join->owner_await();
                const bool known = runner != nullptr || now == join_word::state::shared;
                if (known && now != join_word::state::done) join_parker.park();
            }
            if (called) runner->share_bell.leave(*this);
        }
    }

    void check_idle() const { explorer::check(scoped.owner_position() == 0, "its deque is empty"); }
};

/// How often each child ran. One for each execution, found through a slot of the thread.
struct tally {
    std::array<sync::plain<int>, 4> ran{};
    void count(std::size_t child) { ++ran[child].modify(); }
    void check_once(std::size_t children) const {
        for (std::size_t i = 0; i < children; ++i) {
            explorer::check(ran[i].read() == 1, "each child runs once");
        }
    }
};
using tally_slot = sync::thread_slot<tally, tally*>;

void count(std::size_t child) { tally_slot::get()->count(child); }

/// Runs `body` on a thread that counts in `all`.
template <class Body>
auto counting(tally& all, Body body) {
    return [&all, body] {
        tally_slot::set(&all);
        body();
    };
}

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

void unrelated(worker& here) {
    explorer::check(!here.waits, "a waiting worker runs what it waits for only");
    count(1);
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

/// A task that says who runs it and where its children begin, as `joinable_task` does. Who waits for
/// it may run these children, but nothing older and nothing that comes after it.
struct task {
    detail::completion_word word{detail::completion_word::made_dormant{}};
    sync::atomic<worker*> runner{nullptr};
    sync::atomic<std::uint32_t> base{0};

    void run(worker& here) {
        base.store(here.scoped.owner_position(), sync::relaxed);
        runner.store(&here, sync::release);
        here.fork_and_join([](worker&) { count(0); });
        const auto [nodes, free, helped] = word.complete();
        if (helped) here.scoped.owner_renew();
        for (detail::completion_node* each = nodes; each != nullptr;) {
            detail::completion_node* after = each->next;
            each->tell(*each);
            each = after;
        }
    }
    struct sleeper : detail::completion_node {
        worker* here;
        sync::atomic<bool> told{false};
        explicit sleeper(worker& waiting) : here{&waiting} {
            tell = [](completion_node& self) noexcept {
                auto& me = static_cast<sleeper&>(self);
                worker* woken = me.here;
                me.told.store(true, sync::release);
                woken->join_parker.unpark();
            };
        }
    };
    void wait(worker& here) {
        here.waits = true;
        bool helps = false;
        const auto try_help = [&] {
            worker* found = runner.load(sync::acquire);
            if (found == nullptr) return false;
            helps = helps || word.help();
            return helps &&
                   here.help(*found, base.load(sync::relaxed), [this] { return !word.ready(); });
        };
        try_help();
        {
            sleeper node{here};
            if (word.try_add(node)) {
                while (!word.ready()) {
                    worker* found = runner.load(sync::relaxed);
                    const bool called = found != nullptr && found->share_bell.try_wait(here);
                    if (!(called && try_help()) && !word.ready()) here.join_parker.park();
                    if (called) found->share_bell.leave(here);
                }
                while (!node.told.load(sync::acquire)) here.join_parker.park();
            }
        }
        here.waits = false;
    }
};

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
using meeting_slot = sync::thread_slot<meeting, meeting*>;

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

/// What is written here as it is in `joinable_task`.
TEST(leapfrog, every_mutant_of_the_task_is_caught) {
    const std::vector<explorer::scenario> scenarios = {
        {"leapfrog: the runner of a task", explorer::options::weak(2, 2), the_runner_of_a_task},
        {"leapfrog: called back", explorer::options::weak(2, 2), called_back},
    };
    EXPECT_EQ(test::survivors(scenarios, "leapfrog_test.cpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft
