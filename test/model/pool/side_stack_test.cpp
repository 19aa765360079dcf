// Waiting for a task that submits others: the pool's own workers, driven by the scenario's threads.
#include "pool/thread_stacks.hpp"

#include "support/thorough.hpp"
#include "support/unstarted_pool.hpp"

#include <weft/detail/fork_join/future_state.hpp>
#include <weft/detail/sync/memory.hpp>
#include <weft/detail/sync/plain.hpp>
#include <weft/detail/sync/thread.hpp>
#include <weft/explorer.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace weft::side_stack_test {
namespace {

using detail::worker;
using explorer::named;
using explorer::together;

/// Workers, and how often each task ran.
struct stage {
    explicit stage(std::size_t workers) : pool{workers} {}

    test::unstarted_pool pool;
    std::array<sync::plain<int>, 3> ran{};

    template <class Body>
    auto as(std::size_t index, Body body) {
        return pool.as_worker(index, body);
    }
    void check_each_ran_once(std::size_t tasks) {
        for (std::size_t each = 0; each < tasks; ++each) {
            explorer::check(ran[each].read() == 1, "each task runs once");
        }
    }
};

template <class Body>
class test_task final : public detail::joinable_task {
public:
    test_task(stage& scene, Body body)
        : joinable_task{detail::task_home{scene.pool.core()},
                        detail::completion_word::made_for_queue{}},
          body_{body} {}
    /// As a worker does that has found it in a queue.
    void run_on(worker& runner) noexcept { run(*this, runner); }

private:
    void execute(worker& runner) noexcept override { body_(runner); }
    void refuse(errc /*reason*/,
                std::shared_ptr<const detail::error_handler> /*report*/) noexcept override {}
    void destroy() noexcept override { sync::destroy(this); }

    Body body_;
};

template <class Body>
test_task<Body>* make_task(stage& scene, Body body) {
    return sync::make<test_task<Body>>(scene, body);
}

/// As a worker does before it sleeps: runs what is in its queue, and what its thread has left.
void run_queued(worker& self) {
    while (detail::task* each = self.queues.normal.owner_pop()) each->run(*each, self);
    self.stacks->settle();
    while (detail::task* each = self.queues.normal.owner_pop()) each->run(*each, self);
}

/// The awaited task submits a part and joins it.
void a_part_that_is_joined() {
    stage all{2};
    auto* part = make_task(all, [&](worker&) { ++all.ran[1].modify(); });
    auto* whole = make_task(all, [&](worker& runner) {
        runner.push(*part);
        part->wait("test");
        explorer::check(all.ran[1].read() == 1, "the part is done");
        ++all.ran[0].modify();
    });
    together(named("runner", all.as(0,
                                    [&](worker& runner) {
                                        whole->run_on(runner);
                                        run_queued(runner);
                                    })),
             named("waiter", all.as(1, [&](worker& waiter) {
                 whole->wait("test");
                 explorer::check(all.ran[0].read() == 1, "the whole is done");
                 run_queued(waiter);
             })));
    part->drop_handle();
    whole->drop_handle();
    all.check_each_ran_once(2);
}

/// The awaited task goes on only when the waiter has run the part, for which it may have to be
/// woken.
void a_part_that_is_waited_for() {
    stage all{2};
    sync::atomic<bool> begun{false};
    sync::atomic<bool> ran{false};
    auto* part = make_task(all, [&](worker&) {
        ++all.ran[1].modify();
        ran.store(true, sync::relaxed);
    });
    auto* whole = make_task(all, [&](worker& runner) {
        begun.store(true, sync::relaxed);
        for (unsigned i = 0; i <= detail::constants::help_rounds; ++i) sync::yield(); // it sleeps
        runner.push(*part);
        while (!ran.load(sync::relaxed)) sync::yield();
        ++all.ran[0].modify();
    });
    together(named("runner", all.as(0, [&](worker& runner) { whole->run_on(runner); })),
             named("waiter", all.as(1, [&](worker& waiter) {
                 while (!begun.load(sync::relaxed)) sync::yield();
                 whole->wait("test");
                 run_queued(waiter);
             })));
    part->drop_handle();
    whole->drop_handle();
    all.check_each_ran_once(2);
}

/// The part waits for the task that waits for the whole: if the waiter runs the part, it goes on
/// below it.
void a_part_that_waits_for_the_waiter() {
    stage all{2};
    detail::joinable_task* above = nullptr;
    auto* part = make_task(all, [&](worker&) {
        above->wait("test");
        explorer::check(all.ran[2].read() == 1, "what the part waits for is done");
        ++all.ran[1].modify();
    });
    auto* whole = make_task(all, [&](worker& runner) {
        runner.push(*part);
        ++all.ran[0].modify();
    });
    auto* waiting = make_task(all, [&](worker&) {
        whole->wait("test");
        explorer::check(all.ran[0].read() == 1, "the whole is done");
        ++all.ran[2].modify();
    });
    above = waiting;
    together(named("runner", all.as(0,
                                    [&](worker& runner) {
                                        whole->run_on(runner);
                                        run_queued(runner);
                                    })),
             named("waiter", all.as(1, [&](worker& waiter) {
                 waiting->run_on(waiter);
                 run_queued(waiter);
             })));
    part->drop_handle();
    whole->drop_handle();
    waiting->drop_handle();
    all.check_each_ran_once(3);
}

/// The runner submits a task when it has done with the awaited one: the waiter must not run it.
void what_the_runner_submits_next() {
    stage all{2};
    sync::atomic<bool> waits{false}; // written by the waiter, read on its thread
    auto* whole = make_task(all, [&](worker&) { ++all.ran[0].modify(); });
    auto* next = make_task(all, [&](worker& runner) {
        explorer::check(&runner == &all.pool[0] || !waits.load(sync::relaxed),
                        "a waiting worker runs no other task");
        ++all.ran[1].modify();
    });
    together(named("runner", all.as(0,
                                    [&](worker& runner) {
                                        whole->run_on(runner);
                                        runner.push(*next);
                                        run_queued(runner);
                                    })),
             named("waiter", all.as(1, [&](worker& waiter) {
                 waits.store(true, sync::relaxed);
                 whole->wait("test");
                 waits.store(false, sync::relaxed);
                 run_queued(waiter);
             })));
    next->drop_handle();
    whole->drop_handle();
    all.check_each_ran_once(2);
}

/// What the runner has queued before is no part of the awaited task.
void what_the_runner_has_queued_before() {
    stage all{2};
    sync::atomic<bool> waits{false};
    auto* whole = make_task(all, [&](worker&) { ++all.ran[0].modify(); });
    auto* before = make_task(all, [&](worker& runner) {
        explorer::check(&runner == &all.pool[0] || !waits.load(sync::relaxed),
                        "a waiting worker runs no other task");
        ++all.ran[1].modify();
    });
    together(named("runner", all.as(0,
                                    [&](worker& runner) {
                                        runner.push(*before);
                                        whole->run_on(runner);
                                        run_queued(runner);
                                    })),
             named("waiter", all.as(1, [&](worker& waiter) {
                 waits.store(true, sync::relaxed);
                 whole->wait("test");
                 waits.store(false, sync::relaxed);
                 run_queued(waiter);
             })));
    before->drop_handle();
    whole->drop_handle();
    all.check_each_ran_once(2);
}

/// A third worker finds what the part has submitted in the queue of the side stack.
void a_thief_of_a_side_stack() {
    stage all{3};
    auto* leaf = make_task(all, [&](worker&) { ++all.ran[2].modify(); });
    auto* part = make_task(all, [&](worker& runner) {
        runner.push(*leaf);
        leaf->wait("test");
        ++all.ran[1].modify();
    });
    auto* whole = make_task(all, [&](worker& runner) {
        runner.push(*part);
        part->wait("test");
        ++all.ran[0].modify();
    });
    together(named("runner", all.as(0, [&](worker& runner) { whole->run_on(runner); })),
             named("waiter", all.as(1,
                                    [&](worker& waiter) {
                                        whole->wait("test");
                                        run_queued(waiter);
                                    })),
             named("thief", all.as(2, [&](worker& thief) {
                 detail::finder finder = all.pool.finder(2);
                 if (detail::finding found = finder.steal(all.pool[1])) {
                     found.next().run(found.next(), thief);
                 }
             })));
    for (std::size_t each = 0; each != 2; ++each) { // entries of what was joined out of turn
        detail::worker& left = all.pool[each];
        while (detail::task* one = left.queues.normal.owner_pop()) one->run(*one, left);
    }
    leaf->drop_handle();
    part->drop_handle();
    whole->drop_handle();
    all.check_each_ran_once(3);
}

TEST(side_stack, a_waiter_may_run_what_the_awaited_task_has_submitted) {
    test::explore_workers("side stack: a part that is joined", a_part_that_is_joined);
}

TEST(side_stack, a_waiter_that_sleeps_is_woken_for_it) {
    test::explore_workers("side stack: a part that is waited for", a_part_that_is_waited_for);
}

TEST(side_stack, a_waiter_goes_on_although_what_it_has_begun_waits) {
    test::explore_workers("side stack: a part that waits for the waiter",
                          a_part_that_waits_for_the_waiter);
}

TEST(side_stack, nothing_is_taken_from_what_the_runner_submits_next) {
    test::explore_workers("side stack: what the runner submits next", what_the_runner_submits_next);
    // Runner, waiter and runner are interrupted where the waiter's look is out of date.
    test::explore_within({explorer::options::sequential(3)},
                         "side stack: what the runner submits next", what_the_runner_submits_next);
}

TEST(side_stack, nothing_is_taken_that_the_runner_has_queued_before) {
    test::explore_workers("side stack: what the runner has queued before",
                          what_the_runner_has_queued_before);
}

TEST(side_stack, others_steal_from_it) {
    test::explore_workers("side stack: a thief of a side stack", a_thief_of_a_side_stack, 1);
}

TEST(side_stack, every_mutant_of_making_one_known_is_caught) {
    const std::vector<explorer::scenario> scenarios = {
        {"side stack: a thief of a side stack", explorer::options::weak(1, 1),
         a_thief_of_a_side_stack},
    };
    EXPECT_EQ(test::survivors(scenarios, "thread_stacks.cpp"), std::vector<std::string>{});
    EXPECT_EQ(test::survivors(scenarios, "thread_stacks.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft::side_stack_test
