// How a worker waits for a task that another worker runs: it helps, and sleeps while there is
// nothing to help with.
#pragma once

#include <weft/detail/pool/worker.hpp>
#include <weft/detail/sync/model_constants.hpp>
#include <weft/detail/sync/thread.hpp>

#include <concepts>
#include <cstdint>

namespace weft::inline v0::detail {

/// What a worker waits for.
template <class T>
concept awaited = requires(T& object, bool runner_known) {
    /// Whether it is done; if so, its effects are visible. May throw if waiting could never end.
    { object.done() } -> std::same_as<bool>;
    /// Whether it runs: what its runner shares while it runs belongs to it.
    { object.still_runs() } noexcept -> std::same_as<bool>;
    /// The worker that runs it, or null if there is none yet or it cannot be helped.
    { object.runner() } noexcept -> std::same_as<worker*>;
    /// The position of that worker's deque when it began; called after `runner`.
    { object.base() } noexcept -> std::same_as<std::uint32_t>;
    /// Called once, before anything is taken from the runner; returns false if it is done. The
    /// runner renews its deque at the end of a task that was helped.
    { object.announce_help() } noexcept -> std::same_as<bool>;
    /// The last step before the waiter sleeps: true if it will be woken when the object is done.
    { object.announce_sleep(runner_known) } noexcept -> std::same_as<bool>;
};

/// The one loop in which workers wait: for stolen children and for futures.
///
/// A waiter runs scoped descendants of what it waits for and nothing else (leapfrogging): children
/// that the runner has pushed since it began the awaited object, while it still runs it. When there
/// are none it sleeps until the object is done, or until the runner has shared a child.
///
/// Why no wake-up is lost. The waiter sleeps on its `join_parker`, whose tokens are never lost, and
/// looks at everything again when it wakes. It is woken
///  H1  when the object is done: it announces its sleep after its last look and does not sleep if
///      the announcement comes too late. Both are updates of one word, so either the announcement
///      is seen or the end is.
///  H2  when the runner shares a child: it waits at the runner's bell before it looks for a child
///      the last time, and the runner rings after it has shared, each with a seq_cst fence between.
///      Another waiter may be at the bell already: then this one sleeps until the object is done,
///      and that one helps.
/// Before it sleeps it publishes its own children, so that other workers can run them.
///
/// It looks 400 times before it sleeps, for about 14 us, which is less than a sleep and a wake-up
/// cost. On 2 CPUs of an AMD EPYC, a join of a child that takes another 10 us ends 0.75 us after
/// the child and takes 21 us of CPU time in all; with 200 looks or fewer it ends 19 to 31 us after
/// it and takes 37 to 46 us. What takes 20 us or longer is slept through in any case, and costs up
/// to 11 us more than with 100 looks (medians of 5 runs). Fib, queens, matrices, skynet and uts
/// take the same time with 100, 200 and 400 looks, on 2 and on 8 workers (medians of 12 runs).
template <awaited Awaited>
class helping {
public:
    helping(worker& self, Awaited& object) noexcept : self_{&self}, object_{&object} {}

    void wait() {
        while (!help_until_done()) {
            self_->publish();
            help_or_sleep();
        }
    }

private:
    /// Helps while there is something to help with, and then looks a few times more; returns
    /// whether the object is done.
    bool help_until_done() {
        for (unsigned round = 0; round < constants::help_rounds; ++round) {
            if (object_->done()) return true;
            if (try_help()) round = 0;
            else sync::pause();
        }
        return false;
    }

    void help_or_sleep() noexcept {
        worker* runner = object_->runner();
        const bool at_bell = runner != nullptr && runner->share_bell.try_wait(*self_);
        const bool helped = at_bell && try_help(); // H2: the bell may have rung before
        if (!helped && object_->announce_sleep(runner != nullptr)) {
            self_->counts.waits.count();
            self_->join_parker.park();
        }
        if (at_bell) runner->share_bell.leave(*self_);
    }

    /// Runs a scoped descendant of the object, if there is one.
    bool try_help() noexcept {
        worker* runner = object_->runner();
        if (runner == nullptr) return false;
        announced_ = announced_ || object_->announce_help();
        if (!announced_ || self_->stack_is_low()) return false;
        scoped_child* child =
            runner->scoped.steal_while(object_->base(), [this] { return object_->still_runs(); });
        if (child == nullptr) {
            runner->request_share();
            return false;
        }
        self_->counts.helps.count();
        self_->run_stolen(*child, *runner);
        return true;
    }

    worker* self_;
    Awaited* object_;
    bool announced_ = false; // that it helps
};

} // namespace weft::inline v0::detail
