// How a worker waits for a task that another worker runs: it helps, and sleeps while there is
// nothing to help with.
#pragma once

#include "pool/thread_stacks.hpp"

#include <weft/detail/pool/task.hpp>
#include <weft/detail/pool/worker.hpp>
#include <weft/detail/sync/model_constants.hpp>
#include <weft/detail/sync/thread.hpp>

#include <concepts>
#include <cstdint>

namespace weft::inline v0::detail {

/// What a worker waits for.
template <class T>
concept awaited = requires(T& object, bool runner_known, worker& runner) {
    /// Whether it is done; if so, its effects are visible. May throw if waiting could never end.
    { object.done() } -> std::same_as<bool>;
    /// The same once `done` was called, for a thread that has left the waiter's stack.
    { object.ended() } noexcept -> std::same_as<bool>;
    /// Whether it runs: what its runner shares while it runs belongs to it.
    { object.still_runs() } noexcept -> std::same_as<bool>;
    /// The worker that runs it, or null if there is none yet or it cannot be helped.
    { object.runner() } noexcept -> std::same_as<worker*>;
    /// The position of that worker's deque when it began; called after `runner`.
    { object.base() } noexcept -> std::same_as<std::uint32_t>;
    /// Whether that worker seems to have a queued task that was submitted since, and the task;
    /// called after `runner`.
    { object.has_task(runner) } noexcept -> std::same_as<bool>;
    { object.take_task(runner) } noexcept -> std::same_as<task*>;
    /// Called once, before anything is taken from the runner; returns false if it is done. The
    /// runner renews its deque at the end of a task that was helped.
    { object.announce_help() } noexcept -> std::same_as<bool>;
    /// The last step before the waiter sleeps: true if it will be woken when the object is done.
    { object.announce_sleep(runner_known) } noexcept -> std::same_as<bool>;
};

/// The one loop in which workers wait: for stolen children and for futures.
///
/// A waiter runs descendants of what it waits for and nothing else: children and tasks that the
/// runner has pushed since it began the awaited object, while it still runs it. When there are none
/// it sleeps until the object is done, or until the runner has more.
///
/// A *scoped child* runs on the waiter's own stack (leapfrogging): the awaited object cannot end
/// before it, so nothing is lost if the wait cannot go on meanwhile. A *task* was submitted, and
/// the awaited object may end without it: the task may even wait for the waiter. So it runs on a
/// side stack (`thread_stacks`), and if it waits and the awaited object is done, the waiter goes
/// on. While it runs, other workers may need what the waiter has forked: that is published first.
/// Tasks without a future are left to others, since no join can depend on them.
///
/// Why no wake-up is lost. The waiter sleeps on its `join_parker`, whose tokens are never lost, and
/// looks at everything again when it wakes. It is woken
///  H1  when the object is done: it announces its sleep after its last look and does not sleep if
///      the announcement comes too late. Both are updates of one word, so either the announcement
///      is seen or the end is.
///  H2  when the runner shares a child or submits a task: it waits at the runner's bell before it
///      looks for one the last time, and the runner rings afterwards, each with a seq_cst fence
///      between.
///      Another waiter may be at the bell already: then this one sleeps until the object is done,
///      and that one helps.
///  H3  when a wait on another stack of its thread has ended (T3).
/// Before it sleeps it publishes its own children, so that other workers can run them.
///
/// It looks 400 times before it sleeps, for about 14 us, which is less than a sleep and a wake-up
/// cost. On 2 CPUs of an AMD EPYC, a join of a child that takes another 10 us ends 0.75 us after
/// the child and takes 21 us of CPU time in all; with 200 looks or fewer it ends 19 to 31 us after
/// it and takes 37 to 46 us. What takes 20 us or longer is slept through in any case, and costs up
/// to 11 us more than with 100 looks (medians of 5 runs). Fib, queens, matrices, skynet and uts
/// take the same time with 100, 200 and 400 looks, on 2 and on 8 workers (medians of 12 runs).
template <awaited Awaited>
class helping final : public stack_wait {
public:
    helping(worker& self, Awaited& object) noexcept
        : stack_wait{self}, self_{&self}, object_{&object} {}

    void wait() {
        while (!help_until_done()) {
            self_->publish();
            help_or_sleep();
        }
    }

    [[nodiscard]] bool ended() const noexcept override { return object_->ended(); }
    [[nodiscard]] bool announce_sleep() noexcept override {
        return object_->announce_sleep(object_->runner() != nullptr);
    }

private:
    /// Helps while there is something to help with, and then looks a few times more; returns
    /// whether the object is done.
    bool help_until_done() {
        for (unsigned round = 0; round < constants::help_rounds; ++round) {
            if (object_->done()) return true;
            if (try_help() || try_continue()) round = 0;
            else sync::pause();
        }
        return false;
    }

    void help_or_sleep() noexcept {
        worker* runner = object_->runner();
        const bool at_bell = runner != nullptr && runner->share_bell.try_wait(*self_);
        // H2: the bell may have rung before. For a task the bell is left first.
        const bool more = at_bell && (may_run_task(*runner) || try_help_with_child(*runner));
        if (!more && object_->announce_sleep(runner != nullptr) && others_announce_sleep()) {
            self_->counts.waits.count();
            if (self_->stacks != nullptr) self_->stacks->sleep();
            else self_->join_parker.park();
        }
        if (at_bell) runner->share_bell.leave(*self_);
    }

    /// Runs a descendant of the object, if there is one.
    bool try_help() noexcept {
        worker* runner = object_->runner();
        if (runner == nullptr) return false;
        return try_help_with_child(*runner) || (announced_ && try_run_task(*runner));
    }

    bool try_help_with_child(worker& runner) noexcept {
        announced_ = announced_ || object_->announce_help();
        if (!announced_ || self_->stack_is_low()) return false;
        scoped_child* child =
            runner.scoped.steal_while(object_->base(), [this] { return object_->still_runs(); });
        if (child == nullptr) {
            runner.request_share();
            return false;
        }
        self_->counts.helps.count();
        self_->run_stolen(*child, runner);
        return true;
    }

    bool may_run_task(const worker& runner) noexcept {
        return may_run_aside_ && object_->has_task(runner);
    }
    bool try_run_task(worker& runner) noexcept {
        if (!may_run_task(runner)) return false;
        may_run_aside_ = self_->stacks != nullptr && self_->stacks->try_prepare();
        if (!may_run_aside_) return false;
        task* helped = object_->take_task(runner);
        if (helped == nullptr) return false;
        self_->counts.helps.count();
        self_->stacks->run_aside(*this, *helped);
        return true;
    }

    /// Goes on with a wait on another stack of this thread.
    bool try_continue() noexcept {
        return self_->stacks != nullptr && self_->stacks->try_continue(*this);
    }
    bool others_announce_sleep() noexcept {
        return self_->stacks == nullptr || self_->stacks->announce_sleep();
    }

    worker* self_;
    Awaited* object_;
    bool announced_ = false;    // that it helps
    bool may_run_aside_ = true; // false if there was no stack
};

} // namespace weft::inline v0::detail
