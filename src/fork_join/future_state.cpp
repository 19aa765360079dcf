#include <weft/detail/fork_join/future_state.hpp>

#include "pool/helping.hpp"
#include "sync/stack_local.hpp"

#include <utility>

namespace weft::inline v0::detail {
namespace {

/// A thread that sleeps until a task is done. On the stack of that thread.
struct sleeping_thread : completion_node {
    sync::parker* parker;
    explicit sleeping_thread(sync::parker& own) noexcept : parker{&own} { notify = &wake; }
    static void wake(completion_node& self) noexcept {
        static_cast<sleeping_thread&>(self).parker->unpark();
    }
};

} // namespace

/// The same with a deadline: the thread may have returned when the task is done, so this is on the
/// heap, and both hold it.
class timed_waiter : public completion_node {
public:
    sync::parker parker;
    sync::atomic<int> holders{2};
    timed_waiter() noexcept { notify = &wake; }
    static void wake(completion_node& self) noexcept {
        auto& sleeper = static_cast<timed_waiter&>(self);
        sleeper.parker.unpark();
        sleeper.let_go();
    }
    void let_go() noexcept {
        // release for the other's use of it, acquire for the last to end it [WAITER-1]
        if (holders.fetch_sub(1, sync::acq_rel) == 1) sync::destroy(this);
    }
};

joinable_task::~joinable_task() {
    if (timed_waiter* kept = waiter_.load(sync::relaxed)) kept->let_go();
}

void joinable_task::from_queue(task& self, worker& caller) noexcept {
    auto& taken = static_cast<joinable_task&>(self);
    switch (taken.word.claim_from_queue()) {
    case completion_word::from_queue::run: taken.run_claimed(caller); break;
    case completion_word::from_queue::free: taken.destroy(); break;
    case completion_word::from_queue::drop: break;
    }
}

/// Runs the task and completes it by `complete`.
template <class Complete>
void joinable_task::run_here(worker& caller, Complete complete) noexcept {
    runner_base_.store(caller.scoped.owner_position(), sync::relaxed);
    runner_queue_base_.store(caller.queues.normal.owner_position(), sync::relaxed);
    // release, pairs with running_worker(): the bases [RUNNER-1]
    runner_.store(&caller, sync::release);
    if (home_.pool->cancelling()) refuse(errc::not_run, home_.pool->errors);
    else execute(caller);
    const completion_word::completed end = complete(); // afterwards the task may be destroyed
    notify(end.nodes);
    if (end.free) destroy();
    if (end.helped) caller.scoped.owner_renew();
}

void joinable_task::run_claimed(worker& caller) noexcept {
    run_here(caller, [this] { return word.complete(); });
}

void joinable_task::complete() noexcept {
    const completion_word::completed end = word.complete();
    notify(end.nodes);
    if (end.free) destroy();
}

/// The receiver of a call may free its node, and the task, at once.
void joinable_task::notify(completion_node* nodes) noexcept {
    while (nodes != nullptr) {
        completion_node* each = std::exchange(nodes, nodes->next);
        each->notify(*each);
    }
}

void joinable_task::submit_when_ready() noexcept {
    if (worker* caller = home_.current_worker()) {
        word.awaken();
        caller->keep(*this); // afterwards the task may be run and destroyed
        caller->pool().sleep.notify();
        return;
    }
    const bool taken = home_.identity.use_if_alive([this] {
        word.awaken();
        return home_.pool->submit_from_outside(*this);
    });
    if (!taken) refuse_when_ready();
}

bool joinable_task::try_queue_dormant(task& first, priority level,
                                      bool pool_is_alive) const noexcept {
    if (worker* caller = home_.current_worker()) {
        caller->keep(first, level);
        if (caller->has_siblings()) caller->pool().sleep.notify();
        return true;
    }
    const auto submit = [&] { return home_.pool->submit_from_outside(first, level); };
    return pool_is_alive ? submit() : home_.identity.use_if_alive(submit);
}

void joinable_task::end_dormant(errc reason, std::shared_ptr<const error_handler> report) noexcept {
    static_cast<void>(word.claim_from_queue()); // no other thread could
    refuse(reason, std::move(report));
    complete();
}

/// It ends as `not_run`, and so do its continuations, and theirs: in a loop, since a chain of them
/// may be longer than the stack.
void joinable_task::refuse_when_ready() noexcept {
    using unfinished = sync::stack_local<sync::stack_word::refused_tasks, joinable_task**>;
    if (joinable_task** youngest =
            unfinished::get()) { // one is being ended further down this stack
        next = std::exchange(*youngest, this);
        return;
    }
    joinable_task* youngest = this;
    unfinished::set(&youngest);
    while (youngest != nullptr) {
        auto* each = std::exchange(youngest, static_cast<joinable_task*>(youngest->next));
        each->end_refused();
    }
    unfinished::set(nullptr);
}

void joinable_task::end_refused() noexcept {
    switch (word.claim_from_queue()) {
    case completion_word::from_queue::run:
        refuse(errc::not_run, nullptr);
        complete();
        break;
    case completion_word::from_queue::free: destroy(); break;
    case completion_word::from_queue::drop: break; // another thread has joined it
    }
}

// Tasks that join tasks nest on one stack, so the frames of these are kept small: rare code is not
// inlined.

bool joinable_task::try_run_here(worker& caller, const char* call) {
    caller.require_stack(call);
    if (caller.queues.normal.owner_pop_if(this)) {
        if (!caller.has_siblings()) { // then no other thread could claim it
            run_here(caller, [this] { return word.complete_unclaimed(); });
            return true;
        }
        // It may have been claimed meanwhile; then the queue's hold ends, and the caller waits.
        if (word.claim_from_queue() != completion_word::from_queue::run) return false;
    } else if (!word.try_claim()) { // if this succeeds, the task stays in its queue until it is met
        return false;
    }
    run_claimed(caller);
    return true;
}

/// Tasks that were joined out of turn are still in the queue. Before it grows they are taken out,
/// or a task that never returns to its worker's loop would gather them without bound.
void joinable_task::drop_joined(worker& caller) noexcept {
    struct list {
        task* first = nullptr;
        void add(task& one) noexcept { one.next = std::exchange(first, &one); }
        task* take() noexcept {
            return first != nullptr ? std::exchange(first, first->next) : nullptr;
        }
    };
    list wanted;
    list joined;
    while (task* last = caller.queues.normal.owner_pop()) {
        const bool is_joined =
            last->run == &from_queue && static_cast<joinable_task&>(*last).word.is_claimed();
        (is_joined ? joined : wanted).add(*last);
    }
    while (task* oldest = wanted.take()) caller.keep(*oldest);
    caller.pool().sleep.notify(); // for a while they were in no queue
    while (task* each = joined.take()) from_queue(*each, caller); // last, for a result may end here
}

/// A wait with a deadline, on a thread with several stacks. No thread knows when another one of
/// them may go on because of the time: the thread looks every millisecond.
class joinable_task::timed_wait final : public stack_wait {
public:
    timed_wait(joinable_task& joined, worker& waiter, sync::clock::time_point deadline) noexcept
        : stack_wait{waiter}, task_{&joined}, stacks_{waiter.stacks}, deadline_{deadline} {}
    /// Until it has ended.
    void wait() noexcept {
        const thread_stacks::timed_look looks{*stacks_};
        while (!ended()) {
            if (!stacks_->try_continue(*this)) stacks_->sleep();
        }
    }
    [[nodiscard]] bool ended() const noexcept override {
        return task_->ready() || sync::clock::now() >= deadline_;
    }
    [[nodiscard]] bool announce_sleep() noexcept override { return !ended(); }

private:
    joinable_task* task_;
    thread_stacks* stacks_;
    sync::clock::time_point deadline_;
};

/// A task that a worker waits for: another worker runs it, or a thread of another pool completes
/// it.
class joinable_task::awaited_task : completion_node {
public:
    awaited_task(joinable_task& joined, worker& waiter, const char* call) noexcept
        : task_{&joined}, waiter_{&waiter}, call_{call},
          of_this_pool_{&waiter.pool() == joined.home_.pool} {
        notify = &wake;
    }

    [[nodiscard]] bool done() {
        if (added_ || task_->ready()) return task_->ready();
        const bool never_ends = task_->word.is_dormant() || running_worker() == waiter_;
        if (never_ends) throw error{errc::would_deadlock, call_};
        // It was dormant, and has been queued meanwhile.
        return of_this_pool_ && task_->is_startable() && task_->try_run_here(*waiter_, call_);
    }
    [[nodiscard]] bool ended() const noexcept { return task_->ready(); }
    [[nodiscard]] bool still_runs() const noexcept { return !task_->ready(); }
    [[nodiscard]] worker* runner() const noexcept {
        return of_this_pool_ ? running_worker() : nullptr;
    }
    [[nodiscard]] std::uint32_t base() const noexcept {
        return task_->runner_base_.load(sync::relaxed);
    }
    [[nodiscard]] bool has_task(const worker& runner) const noexcept {
        return runner.queues.normal.has_from(queue_base());
    }
    /// Others than those with a future go to the waiter's queue, where thieves find them.
    [[nodiscard]] task* take_task(worker& runner) const noexcept {
        task* taken =
            runner.queues.normal.steal_while(queue_base(), [this] { return still_runs(); });
        if (taken == nullptr || joinable_task::was_submitted(*taken)) return taken;
        waiter_->keep(*taken);
        waiter_->pool().sleep.notify();
        return nullptr;
    }
    [[nodiscard]] bool announce_help() noexcept { return task_->word.help(); }
    [[nodiscard]] bool announce_sleep(bool /*runner_known*/) noexcept {
        added_ = added_ || task_->word.try_add(*this);
        return added_ && !task_->ready();
    }

    /// After the wait: until the call, the task may use it.
    void leave() noexcept {
        if (!added_) return;
        // pairs with wake() [WAITER-4]
        while (!notified_.load(sync::acquire)) waiter_->join_parker.park();
    }

private:
    [[nodiscard]] std::uint32_t queue_base() const noexcept {
        return task_->runner_queue_base_.load(sync::relaxed);
    }
    [[nodiscard]] worker* running_worker() const noexcept {
        return task_->runner_.load(sync::acquire); // pairs with run_here(): the bases [RUNNER-2]
    }
    static void wake(completion_node& node) noexcept {
        auto& self = static_cast<awaited_task&>(node);
        worker* woken = self.waiter_;
        // release, pairs with leave(): then the node may end [WAITER-3]
        self.notified_.store(true, sync::release);
        woken->join_parker.unpark();
    }

    joinable_task* task_;
    worker* waiter_;
    const char* call_;
    bool of_this_pool_;
    bool added_ = false; // to the nodes that the task calls when it is done
    sync::atomic<bool> notified_{false};
};

/// Whether it was submitted, and its future exists. Called by the thread that has taken it from a
/// queue.
bool joinable_task::was_submitted(const task& taken) noexcept {
    if (taken.run != &from_queue) return false;
    const auto& joinable = static_cast<const joinable_task&>(taken);
    return joinable.word.has_handle() &&
           joinable.runner_queue_base_.load(sync::relaxed) != follows_another;
}

void joinable_task::wait_for_others(worker* caller, const char* call) {
    if (caller != nullptr) {
        wait_as_worker(*caller, call);
    } else {
        sync::parker own;
        sleep_until_ready(own);
    }
}

void joinable_task::wait_as_worker(worker& caller, const char* call) {
    awaited_task joined{*this, caller, call};
    helping{caller, joined}.wait();
    joined.leave();
}

void joinable_task::sleep_until_ready(sync::parker& parker) noexcept {
    sleeping_thread node{parker};
    if (word.try_add(node)) parker.park(); // the one token that comes is the node's
}

void joinable_task::end_unrun(errc reason) noexcept {
    if (!is_startable() || !word.try_claim()) return;
    refuse(reason, home_.pool->errors);
    complete();
}

bool joinable_task::wait_until(sync::clock::time_point deadline, const char* call) {
    if (ready()) return true;
    worker* caller = worker::current();
    // Also if the deadline has passed: whether it throws must not depend on timing.
    if (caller != nullptr && word.is_dormant()) throw error{errc::would_deadlock, call};
    if (sync::clock::now() >= deadline) return false;
    if (caller != nullptr) caller->publish();
    if (caller != nullptr && caller->stacks != nullptr && caller->stacks->any_active()) {
        timed_wait{*this, *caller, deadline}.wait();
        return ready();
    }
    // Reuses the node of an earlier wait, if there is one.
    timed_waiter* node = waiter_.exchange(nullptr, sync::acquire); // [WAITER-2]
    if (node == nullptr) {
        node = sync::make<timed_waiter>();
        if (!word.try_add(*node)) {
            sync::destroy(node);
            return true;
        }
    }
    while (!ready() && node->parker.park_until(deadline)) {
    }
    if (!ready()) node = waiter_.exchange(node, sync::acq_rel); // [WAITER-2]
    if (node != nullptr) node->let_go();
    return ready();
}

} // namespace weft::inline v0::detail
