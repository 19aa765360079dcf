// Coroutines as they ship, run by workers that the test drives: the end of a wait against the
// suspension, against a stop, and against the end of the pool.
#include "support/thorough.hpp"
#include "support/unstarted_pool.hpp"

#include <weft/coroutine.hpp>
#include <weft/detail/coroutine/coroutine_task.hpp>
#include <weft/detail/coroutine/lease_wait.hpp>
#include <weft/detail/coroutine/task_group_wait.hpp>
#include <weft/detail/pool/operation.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/plain.hpp>
#include <weft/explorer.hpp>
#include <weft/resource.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft::coroutine_model {
namespace {

using explorer::named;
using explorer::together;

/// Data that both sides of a wait write, so that a resumption without order is a race.
struct notes {
    sync::plain<int> before{0};  // by the coroutine, before it waits
    sync::plain<int> brought{0}; // by what it waits for
    sync::plain<int> after{0};   // by the coroutine, when it continues
};

/// An operation that one thread starts and another ends.
class handed_operation {
public:
    using result_type = int;
    explicit handed_operation(notes& all) noexcept : notes_{&all} {}
    bool start(detail::completion_node& end) {
        // The thread that ends it goes on from here.
        end_.store(&end, sync::release);
        return true;
    }
    void cancel() noexcept {}
    int take() { return notes_->brought.read(); }
    /// By another thread, when it has started.
    void finish() {
        detail::completion_node* node = end_.load(sync::acquire);
        while (node == nullptr) {
            explorer::yield();
            node = end_.load(sync::acquire);
        }
        notes_->brought.write(1);
        node->notify(*node);
    }

private:
    notes* notes_;
    sync::atomic<detail::completion_node*> end_{nullptr};
};

/// A pool with a coroutine, and a worker that runs it step by step.
struct stage {
    test::unstarted_pool pool{1};
    notes all;

    template <class T>
    future<T> submit(task<T> coroutine, std::stop_token stop = {}) {
        auto& root = detail::task_access::take(coroutine, "test");
        auto& made = detail::coroutine_task<T>::make(pool.core(), {std::move(stop)}, root);
        explorer::check(made.try_queue(), "the pool takes it");
        return future<T>{made};
    }
    /// A worker that runs what it finds until the future is ready.
    template <class T>
    auto worker_until(future<T>& result) {
        return pool.as_worker(0, [this, &result](detail::worker& self) {
            detail::finder finder = pool.finder(0);
            while (!result.ready()) {
                if (detail::finding found = finder.find_near())
                    found.next().run(found.next(), self);
                else explorer::yield();
            }
        });
    }
};

task<int> await_operation(notes& all, handed_operation& awaited) {
    all.before.write(1);
    const int brought = co_await awaited;
    all.after.write(all.before.read() + brought);
    co_return all.after.read();
}

/// The operation ends while it starts, while the coroutine suspends, or later.
void an_operation() {
    stage scene;
    handed_operation handed{scene.all};
    future<int> result = scene.submit(await_operation(scene.all, handed));
    together(named("worker", scene.worker_until(result)),
             named("operation", [&] { handed.finish(); }));
    explorer::check(result.get() == 2, "it has continued with the outcome");
}

/// A task of no pool, which a thread of the test completes.
class handed_task final : public detail::result_task<int> {
public:
    explicit handed_task(test::unstarted_pool& pool)
        : result_task{detail::task_home{pool.core()}, detail::completion_word::made_dormant{}} {}
    void finish(notes& all) noexcept {
        all.brought.write(1);
        keep(1, nullptr);
        static_cast<void>(word.claim_from_queue());
        complete();
    }

private:
    void execute(detail::worker& /*caller*/) noexcept override {}
    void destroy() noexcept override { sync::destroy(this); }
};

task<int> await_future(notes& all, future<int> awaited) {
    all.before.write(1);
    const int value = co_await awaited;
    all.after.write(all.before.read() + all.brought.read());
    co_return value + all.after.read();
}

void a_future() {
    stage scene;
    auto* handed = sync::make<handed_task>(scene.pool);
    future<int> result = scene.submit(await_future(scene.all, future<int>{*handed}));
    together(named("worker", scene.worker_until(result)),
             named("task", [&] { handed->finish(scene.all); }));
    explorer::check(result.get() == 3, "it has continued with the result");
}

/// A chain without coroutines, which is only queued.
struct bare_root {
    detail::frame_head root;
};
class bare_chain final : private bare_root, public detail::task, public detail::chain {
public:
    explicit bare_chain(test::unstarted_pool& pool)
        : task{.run = nullptr}, chain{detail::task_home{pool.core()}, {}, bare_root::root} {}
    using bare_root::root;
    /// By its worker: returns when it was queued.
    static void await_queued(detail::finder finder) noexcept {
        while (!finder.find_near()) explorer::yield();
    }

private:
    detail::task& node() noexcept override { return *this; }
    void finish(detail::frame_head& /*root*/) noexcept override {}
    void finish_unrun(errc /*reason*/,
                      const detail::failure_collection& /*cause*/) noexcept override {
        explorer::check(false, "the pool takes it");
    }
};

/// The wait for a future that may be stopped: ended and stopped at the same time. The test calls
/// what a stop callback would: all threads of a scenario are one to std::stop_callback.
void a_stopped_wait() {
    stage scene;
    notes& all = scene.all;
    auto* handed = sync::make<handed_task>(scene.pool);
    bare_chain chain{scene.pool};
    detail::stoppable_wait& wait = detail::stoppable_wait::make(chain);
    explorer::check(handed->word.try_add(wait), "it is not done");
    const auto coroutine = [&](detail::worker& /*self*/) {
        all.before.write(1);
        if (wait.word.try_suspend()) bare_chain::await_queued(scene.pool.finder(0));
        if (!wait.word.stopped()) explorer::check(all.brought.read() == 1, "the result is seen");
        all.after.write(all.before.read());
    };
    together(named("coroutine", scene.pool.as_worker(0, coroutine)),
             named("task", [&] { handed->finish(all); }), named("stop", [&] { wait(); }));
    explorer::check(all.after.read() == 1, "it has continued");
    wait.leave();
    handed->drop_handle();
}

/// The coroutine leaves a wait that was stopped, while the task ends.
void a_wait_that_was_left() {
    stage scene;
    auto* handed = sync::make<handed_task>(scene.pool);
    bare_chain chain{scene.pool};
    detail::stoppable_wait& wait = detail::stoppable_wait::make(chain);
    explorer::check(handed->word.try_add(wait), "it is not done");
    wait();
    together(named("coroutine", [&] { wait.leave(); }),
             named("task", [&] { handed->finish(scene.all); }));
    handed->drop_handle();
}

/// A wait for a resource that another chain has: granted and stopped at the same time.
void a_stopped_lease() {
    stage scene;
    notes& all = scene.all;
    resource<int, exclusive> contended{0};
    const detail::claim claims[] = {detail::access_factory::make(contended).wanted};
    bare_chain chain{scene.pool};
    detail::lease_ticket& held = detail::lease_ticket::make(chain, claims);
    explorer::check(held.enter(), "it is free");
    detail::lease_ticket& wanted = detail::lease_ticket::make(chain, claims);
    explorer::check(!wanted.enter(), "it is not");
    sync::atomic<bool> stop_ended{false};
    const auto coroutine = [&](detail::worker& /*self*/) {
        all.before.write(1);
        if (wanted.word.try_suspend()) bare_chain::await_queued(scene.pool.finder(0));
        all.after.write(all.before.read());
        // As the end of a stop callback, which waits for a call that is under way.
        while (!stop_ended.load(sync::acquire)) explorer::yield();
        if (wanted.word.stopped()) return wanted.leave();
        explorer::check(all.brought.read() == 1, "it sees what the holder did");
        wanted.release();
    };
    together(named("coroutine", scene.pool.as_worker(0, coroutine)),
             named("holder",
                   [&] {
                       all.brought.write(1);
                       held.release();
                   }),
             named("stop", [&] {
                 wanted();
                 stop_ended.store(true, sync::release);
             }));
    explorer::check(all.after.read() == 1, "it has continued");
    detail::lease_ticket& last = detail::lease_ticket::make(chain, claims);
    explorer::check(last.enter(), "it was passed on");
    last.release();
}

/// Two branches end, and the coroutine continues when both have.
struct two_branches {
    test::unstarted_pool pool{2};
    bare_chain chain{pool};
    detail::branch_group group{chain.root, detail::branch_group::mode::all};
    std::optional<detail::branch> branches[2];
    sync::plain<int> notes[2];
    sync::plain<int> sum{0};
    sync::atomic<bool> over{false};

    static task<int> note(sync::plain<int>& own) {
        own.write(1);
        co_return 1;
    }
    two_branches() {
        chain.root.owner = &chain;
        group.prepare(2, "test");
        for (std::size_t i = 0; i < 2; ++i) {
            task<int> child = note(notes[i]);
            branches[i].emplace(group, i, detail::task_access::take(child, "test"));
        }
    }
    void go_on() {
        sum.write(notes[0].read() + notes[1].read());
        over.store(true, sync::relaxed);
    }
    void run_what_comes(std::size_t index, detail::worker& self) {
        detail::finder finder = pool.finder(index);
        while (!over.load(sync::relaxed)) {
            detail::finding found = finder.find_near();
            if (!found) found = finder.steal(pool[1 - index]);
            if (!found) explorer::yield();
            else if (&found.next() == static_cast<detail::task*>(&chain)) go_on();
            else found.next().run(found.next(), self);
        }
    }
    void run() {
        together(named("coroutine", pool.as_worker(0,
                                                   [&](detail::worker& self) {
                                                       if (group.begin(branches, 2))
                                                           run_what_comes(0, self);
                                                       else go_on();
                                                   })),
                 named("thief",
                       pool.as_worker(1, [&](detail::worker& self) { run_what_comes(1, self); })));
        explorer::check(sum.read() == 2, "it sees what both did");
    }
};
void branches_that_end() {
    two_branches scene;
    scene.run();
}

/// The wait ends while the pool does: the coroutine continues, or ends as not run, and nothing of
/// it is left.
void the_end_of_the_pool() {
    stage scene;
    handed_operation handed{scene.all};
    future<int> result = scene.submit(await_operation(scene.all, handed));
    const auto run_queued = [&](detail::worker& self) {
        detail::finder finder = scene.pool.finder(0);
        while (detail::finding found = finder.find_near()) found.next().run(found.next(), self);
    };
    scene.pool.as_worker(0, run_queued)();
    const auto end = [&](detail::worker& self) {
        scene.pool.core().intake.close();
        while (!scene.pool.core().intake.quiet()) explorer::yield();
        run_queued(self);
        scene.pool.core().number.forget();
    };
    together(named("pool", scene.pool.as_worker(0, end)),
             named("operation", [&] { handed.finish(); }));
    explorer::check(result.ready(), "it has ended");
    try {
        explorer::check(result.get() == 2, "it has continued");
    } catch (const error& thrown) {
        explorer::check(thrown.code() == errc::not_run, "or was not run");
    }
}

void explore_step(const std::string& name, const std::function<void()>& body) {
    test::explore_workers(name, body, 2);
}

TEST(coroutine, continues_once_when_an_operation_ends) {
    explore_step("coroutine: an operation", an_operation);
}
TEST(coroutine, continues_once_when_a_future_is_ready) {
    explore_step("coroutine: a future", a_future);
}
TEST(coroutine, continues_once_when_a_wait_ends_and_is_stopped) {
    explore_step("coroutine: a stopped wait", a_stopped_wait);
}
TEST(coroutine, frees_a_wait_that_was_stopped_once) {
    explore_step("coroutine: a wait that was left", a_wait_that_was_left);
}
TEST(coroutine, has_a_lease_or_was_stopped) {
    explore_step("coroutine: a stopped lease", a_stopped_lease);
}
TEST(coroutine, continues_when_all_branches_have_ended) {
    explore_step("coroutine: two branches", branches_that_end);
}
TEST(coroutine, continues_or_ends_with_its_pool) {
    explore_step("coroutine: the end of the pool", the_end_of_the_pool);
}

TEST(coroutine, every_mutant_of_the_group_is_caught) {
    const std::vector<explorer::scenario> scenarios = {
        {"coroutine: two branches", explorer::options::weak(1, 2), branches_that_end}};
    EXPECT_EQ(test::survivors(scenarios, "task_group_wait.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft::coroutine_model
