// Waiting for a stolen child, and for a task: the pool's own workers, driven by the scenario's
// threads.
#include "pool/helping.hpp"

#include "support/thorough.hpp"
#include "support/unstarted_pool.hpp"

#include <weft/detail/fork_join/future_state.hpp>
#include <weft/detail/sync/memory.hpp>
#include <weft/detail/sync/plain.hpp>
#include <weft/detail/sync/thread.hpp>
#include <weft/explorer.hpp>
#include <weft/fork_join.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace weft::helping_test {
namespace {

using detail::worker;
using explorer::named;
using explorer::together;

/// Workers, and how often each child ran.
struct stage {
    explicit stage(std::size_t workers) : pool{workers} {}

    test::unstarted_pool pool;
    std::array<sync::plain<int>, 4> ran{};
    /// Whether a worker waits for something that `unrelated` is no part of; used by its own thread.
    std::array<bool, 3> waits{};

    template <class Body>
    auto as(std::size_t index, Body body) {
        return pool.as_worker(index, body);
    }
    auto count(std::size_t child) {
        return [this, child] { ++ran[child].modify(); };
    }
    auto unrelated(std::size_t child) {
        return [this, child] {
            explorer::check(!waits[worker::current()->index()],
                            "a waiting worker runs what it waits for only");
            ++ran[child].modify();
        };
    }
    void check_each_ran_once(std::size_t children) {
        for (std::size_t each = 0; each < children; ++each) {
            explorer::check(ran[each].read() == 1, "each child runs once");
        }
        for (const auto& each : pool.core().workers) {
            explorer::check(each->scoped.owner_position() == 0, "its deque is empty");
        }
    }
};

/// The child is shared at once, as if a thief had asked for it.
template <class First, class Child>
void fork_and_join(First first, Child child) {
    worker::current()->request_share();
    fork_join(first, child);
}
template <class Child>
void fork_and_join(Child child) {
    fork_and_join([] {}, child);
}

bool try_steal(worker& thief, worker& victim) {
    detail::scoped_child* child = victim.scoped.steal();
    if (child == nullptr) return false;
    thief.run_stolen(*child, victim);
    return true;
}

// Stolen children

void a_stolen_leaf() {
    stage all{2};
    together(named("owner", all.as(0,
                                   [&](worker&) {
                                       fork_and_join(all.count(0));
                                       explorer::check(all.ran[0].read() == 1, "it is done");
                                       fork_and_join(all.count(1));
                                   })),
             named("thief", all.as(1, [&](worker& thief) { try_steal(thief, all.pool[0]); })));
    all.check_each_ran_once(2);
}

/// The thief's own child may be run by the owner, which waits for the thief.
void a_child_that_forks() {
    stage all{2};
    together(named("owner", all.as(0,
                                   [&](worker&) {
                                       fork_and_join([&] {
                                           all.count(0)();
                                           fork_and_join(all.count(1));
                                       });
                                   })),
             named("thief", all.as(1, [&](worker& thief) { try_steal(thief, all.pool[0]); })));
    all.check_each_ran_once(2);
}

/// The helping owner may be helped in turn: while it runs the thief's child, the thief waits for it
/// and takes from the owner's deque, above the child that it has stolen first.
void helpers_helping_each_other() {
    stage all{2};
    together(named("owner", all.as(0,
                                   [&](worker&) {
                                       fork_and_join([&] {
                                           all.count(0)();
                                           fork_and_join([&] {
                                               all.count(1)();
                                               fork_and_join(all.count(2));
                                           });
                                       });
                                   })),
             named("thief", all.as(1, [&](worker& thief) { try_steal(thief, all.pool[0]); })));
    all.check_each_ran_once(3);
}

/// The owner waits for a child that forks one of its own.
void wait_for_a_forking_child(stage& all) {
    all.waits[0] = true;
    fork_and_join([&] {
        all.count(0)();
        fork_and_join(all.count(2));
    });
    all.waits[0] = false;
}

/// The thief has an older child of its own in its deque, which a worker that waits for the stolen
/// one must not run: it is no part of what is waited for.
void an_unrelated_child() {
    stage all{2};
    together(named("owner", all.as(0, [&](worker&) { wait_for_a_forking_child(all); })),
             named("thief", all.as(1, [&](worker& thief) {
                 fork_and_join([&] { try_steal(thief, all.pool[0]); }, all.unrelated(1));
             })));
    all.check_each_ran_once(3);
}

/// The thief forks another child when it has done with the stolen one. The owner, which was about
/// to help with the stolen one, must not take it.
void what_the_thief_runs_next() {
    stage all{2};
    together(named("owner", all.as(0, [&](worker&) { wait_for_a_forking_child(all); })),
             named("thief", all.as(1, [&](worker& thief) {
                 try_steal(thief, all.pool[0]);
                 fork_and_join(all.unrelated(1));
             })));
    all.check_each_ran_once(3);
}

/// The thief's child is stolen by a third, which the thief helps, while the owner may help the
/// thief.
void a_chain_of_thieves() {
    stage all{3};
    together(named("owner", all.as(0,
                                   [&](worker&) {
                                       fork_and_join([&] {
                                           all.count(0)();
                                           fork_and_join(all.count(1));
                                       });
                                   })),
             named("thief", all.as(1, [&](worker& thief) { try_steal(thief, all.pool[0]); })),
             named("third", all.as(2, [&](worker& third) { try_steal(third, all.pool[1]); })));
    all.check_each_ran_once(2);
}

void two_thieves() {
    stage all{3};
    together(
        named("owner", all.as(0,
                              [&](worker&) {
                                  fork_and_join([&] { fork_and_join(all.count(1)); }, all.count(0));
                              })),
        named("thief", all.as(1, [&](worker& thief) { try_steal(thief, all.pool[0]); })),
        named("other thief", all.as(2, [&](worker& other) { try_steal(other, all.pool[0]); })));
    all.check_each_ran_once(2);
}

/// The thief goes on only when its child has begun on another worker: the owner, which sleeps by
/// then, must come and help.
void called_back() {
    stage all{2};
    sync::atomic<bool> stolen{false};
    sync::atomic<bool> begun{false};
    const auto wait_until = [](const sync::atomic<bool>& flag) {
        while (!flag.load(sync::relaxed)) sync::yield();
    };
    together(named("owner", all.as(0,
                                   [&](worker&) {
                                       fork_and_join([&] { wait_until(stolen); },
                                                     [&] {
                                                         fork_and_join([&] { wait_until(begun); },
                                                                       [&] {
                                                                           all.count(1)();
                                                                           begun.store(
                                                                               true, sync::relaxed);
                                                                       });
                                                         all.count(0)();
                                                     });
                                   })),
             named("thief", all.as(1, [&](worker& thief) {
                 detail::scoped_child* child = nullptr;
                 while ((child = all.pool[0].scoped.steal()) == nullptr) sync::yield();
                 stolen.store(true, sync::relaxed);
                 thief.run_stolen(*child, all.pool[0]);
             })));
    all.check_each_ran_once(2);
}

/// The thief lets the owner look first, before it begins or before it finishes: the owner announces
/// its sleep at that moment.
template <bool BeforeItBegins>
void an_owner_that_looks_first() {
    stage all{2};
    const auto let_the_owner_look = [](bool now) {
        for (unsigned i = 0; now && i < detail::constants::help_rounds; ++i) sync::yield();
    };
    together(named("owner", all.as(0,
                                   [&](worker&) {
                                       fork_and_join([&] {
                                           let_the_owner_look(!BeforeItBegins);
                                           all.count(0)();
                                       });
                                       explorer::check(all.ran[0].read() == 1, "it is done");
                                   })),
             named("thief", all.as(1, [&](worker& thief) {
                 detail::scoped_child* child = all.pool[0].scoped.steal();
                 if (child == nullptr) return;
                 let_the_owner_look(BeforeItBegins);
                 thief.run_stolen(*child, all.pool[0]);
             })));
    all.check_each_ran_once(1);
}

// Tasks

/// Runs `body()`.
template <class Body>
class test_task final : public detail::joinable_task {
public:
    test_task(stage& scene, Body body)
        : joinable_task{detail::task_home{scene.pool.core()},
                        detail::completion_word::made_for_queue{}},
          scene_{&scene}, body_{body} {}

    /// As a worker does that has found it in a queue.
    void run_on(worker& runner) noexcept { run(*this, runner); }
    /// As a future does.
    void wait_on(worker& waiter) {
        scene_->waits[waiter.index()] = true;
        wait("test");
        scene_->waits[waiter.index()] = false;
    }

private:
    void execute(worker& /*runner*/) noexcept override { body_(); }
    void refuse(errc /*reason*/,
                std::shared_ptr<const detail::error_handler> /*report*/) noexcept override {}
    void destroy() noexcept override { sync::destroy(this); }

    stage* scene_;
    Body body_;
};

template <class Body>
test_task<Body>* make_task(stage& scene, Body body) {
    return sync::make<test_task<Body>>(scene, body);
}
/// Forks the child 0.
auto* make_forking_task(stage& scene) {
    return make_task(scene, [&scene] { fork_and_join(scene.count(0)); });
}

/// The runner has an older child of its own, which a worker that waits for the task must not run.
void the_runner_of_a_task() {
    stage all{2};
    auto* joined = make_forking_task(all);
    together(named("runner", all.as(0,
                                    [&](worker& runner) {
                                        fork_and_join([&] { joined->run_on(runner); },
                                                      all.unrelated(1));
                                    })),
             named("waiter", all.as(1, [&](worker& waiter) { joined->wait_on(waiter); })));
    joined->drop_handle();
    all.check_each_ran_once(2);
}

/// The runner forks another child when it has done with the task.
void what_the_runner_runs_next() {
    stage all{2};
    auto* joined = make_forking_task(all);
    together(named("runner", all.as(0,
                                    [&](worker& runner) {
                                        joined->run_on(runner);
                                        fork_and_join(all.unrelated(1));
                                    })),
             named("waiter", all.as(1, [&](worker& waiter) { joined->wait_on(waiter); })));
    joined->drop_handle();
    all.check_each_ran_once(2);
}

/// The same with a thief, which may take anything.
void a_waiter_and_a_thief() {
    stage all{3};
    auto* joined = make_forking_task(all);
    together(named("runner", all.as(0,
                                    [&](worker& runner) {
                                        joined->run_on(runner);
                                        fork_and_join(all.unrelated(1));
                                    })),
             named("waiter", all.as(1, [&](worker& waiter) { joined->wait_on(waiter); })),
             named("thief", all.as(2, [&](worker& thief) { try_steal(thief, all.pool[0]); })));
    joined->drop_handle();
    all.check_each_ran_once(2);
}

void two_waiters() {
    stage all{3};
    auto* joined = make_forking_task(all);
    together(named("runner", all.as(0, [&](worker& runner) { joined->run_on(runner); })),
             named("waiter", all.as(1, [&](worker& waiter) { joined->wait_on(waiter); })),
             named("other waiter", all.as(2, [&](worker& waiter) { joined->wait_on(waiter); })));
    joined->drop_handle();
    all.check_each_ran_once(1);
}

/// The task is the youngest in the queue of one of two waiters, which takes it from there. The
/// other may have claimed it at that moment; then the first waits.
void a_task_in_the_queue_of_a_waiter() {
    stage all{2};
    auto* joined = make_task(all, all.count(0));
    all.pool[0].keep(*joined);
    const auto wait = [&](worker& waiter) {
        joined->wait_on(waiter);
        explorer::check(all.ran[0].read() == 1, "it is done");
    };
    together(named("owner", all.as(0, wait)), named("waiter", all.as(1, wait)));
    if (detail::task* left = all.pool[0].queues.normal.owner_pop()) left->run(*left, all.pool[0]);
    joined->drop_handle();
    all.check_each_ran_once(1);
}

/// The task ends when the waiter is about to sleep. It may end between the waiter's announcement
/// and its sleep: then the waiter goes on without a token, and its node ends.
void a_task_that_lets_its_waiter_go_first() {
    stage all{2};
    auto* joined = make_task(all, [&] {
        for (unsigned i = 0; i <= detail::constants::help_rounds; ++i) sync::yield();
        all.count(0)();
    });
    together(named("runner", all.as(0, [&](worker& runner) { joined->run_on(runner); })),
             named("waiter", all.as(1, [&](worker& waiter) { joined->wait_on(waiter); })));
    joined->drop_handle();
    all.check_each_ran_once(1);
}

/// The waiter has a private child, which the task waits for: before the waiter sleeps it publishes
/// the child.
void a_waiter_with_a_private_child() {
    stage all{3};
    sync::atomic<bool> child_ran{false};
    sync::atomic<bool> begun{false};
    const auto wait_until = [](const sync::atomic<bool>& flag) {
        while (!flag.load(sync::relaxed)) sync::yield();
    };
    auto* joined = make_task(all, [&] {
        begun.store(true, sync::relaxed);
        wait_until(child_ran);
    });
    together(named("runner", all.as(0, [&](worker& runner) { joined->run_on(runner); })),
             named("waiter", all.as(1,
                                    [&](worker& waiter) {
                                        fork_join([] {}, [] {}); // answers the first alarm
                                        wait_until(begun);
                                        fork_join([&] { joined->wait_on(waiter); },
                                                  [&] { child_ran.store(true, sync::relaxed); });
                                    })),
             named("thief", all.as(2, [&](worker& thief) {
                 while (!child_ran.load(sync::relaxed)) {
                     if (!try_steal(thief, all.pool[1])) sync::yield();
                 }
             })));
    joined->drop_handle();
}

TEST(helping, a_stolen_child_runs_once_and_its_owner_goes_on) {
    test::explore_workers("helping: a stolen leaf", a_stolen_leaf);
}

TEST(helping, the_owner_helps_its_thief) {
    test::explore_workers("helping: a child that forks", a_child_that_forks);
}

TEST(helping, helpers_may_help_each_other) {
    test::explore_workers("helping: helpers helping each other", helpers_helping_each_other);
}

TEST(helping, nothing_unrelated_is_run_while_waiting) {
    test::explore_workers("helping: an unrelated child", an_unrelated_child);
}

TEST(helping, nothing_is_taken_from_what_the_thief_runs_next) {
    test::explore_workers("helping: what the thief runs next", what_the_thief_runs_next);
}

TEST(helping, thieves_may_have_thieves) {
    test::explore_workers("helping: a chain of thieves", a_chain_of_thieves);
}

TEST(helping, two_children_of_two_thieves) {
    test::explore_workers("helping: two thieves", two_thieves);
}

TEST(helping, a_sleeping_owner_is_woken_to_help) {
    test::explore_workers("helping: called back", called_back);
}

TEST(helping, an_owner_that_falls_asleep_meanwhile_is_woken) {
    test::explore_workers("helping: looks before it begins", an_owner_that_looks_first<true>);
    test::explore_workers("helping: looks before it finishes", an_owner_that_looks_first<false>);
}

TEST(helping, a_worker_that_waits_for_a_task_helps_its_runner_with_that_task) {
    test::explore_workers("helping: the runner of a task", the_runner_of_a_task);
}

TEST(helping, nothing_is_taken_from_what_the_runner_runs_next) {
    test::explore_workers("helping: what the runner runs next", what_the_runner_runs_next);
    // Runner, waiter and runner are interrupted where the waiter's look is out of date.
    test::explore_within({explorer::options::sequential(3)}, "helping: what the runner runs next",
                         what_the_runner_runs_next);
}

TEST(helping, a_thief_may_take_what_the_runner_runs_next) {
    test::explore_workers("helping: a waiter and a thief", a_waiter_and_a_thief);
}

TEST(helping, two_workers_may_wait_for_a_task) {
    test::explore_workers("helping: two waiters", two_waiters);
}

TEST(helping, a_waiter_may_find_its_task_claimed_by_another) {
    test::explore_workers("helping: a task in the queue of a waiter",
                          a_task_in_the_queue_of_a_waiter);
}

TEST(helping, a_waiter_ends_after_its_last_use) {
    test::explore_workers("helping: the waiter goes first", a_task_that_lets_its_waiter_go_first);
}

TEST(helping, a_waiter_publishes_its_children_before_it_sleeps) {
    test::explore_workers("helping: a waiter with a private child", a_waiter_with_a_private_child,
                          1);
}

TEST(helping, every_mutant_of_joining_a_stolen_child_is_caught) {
    using explorer::options;
    const std::vector<explorer::scenario> scenarios = {
        {"helping: a stolen leaf", options::weak(1, 2), a_stolen_leaf},
        {"helping: looks before it begins", options::weak(1, 2), an_owner_that_looks_first<true>},
        {"helping: looks before it begins", options::sequential(2),
         an_owner_that_looks_first<true>},
        {"helping: looks before it finishes", options::weak(1, 2),
         an_owner_that_looks_first<false>},
    };
    EXPECT_EQ(test::survivors(scenarios, "join_word.hpp"), std::vector<std::string>{});
}

TEST(helping, every_mutant_of_naming_the_runner_and_of_waking_the_waiter_is_caught) {
    const std::vector<explorer::scenario> scenarios = {
        {"helping: the waiter goes first", explorer::options::weak(1, 1),
         a_task_that_lets_its_waiter_go_first},
        {"helping: the runner of a task", explorer::options::weak(2, 1), the_runner_of_a_task},
    };
    EXPECT_EQ(test::survivors(scenarios, "future_state.cpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft::helping_test
