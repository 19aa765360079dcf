// The stacks of one worker's thread: its own, and side stacks for tasks that it helps with.
#pragma once

#include "sync/fiber.hpp"

#include <weft/detail/pool/task.hpp>
#include <weft/detail/pool/worker.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/model_constants.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace weft::inline v0::detail {

/// A wait whose stack the thread may leave. On that stack.
class stack_wait {
public:
    explicit stack_wait(worker& self) noexcept : self_{&self} {}
    stack_wait(const stack_wait&) = delete;
    stack_wait& operator=(const stack_wait&) = delete;

    /// Whether it may go on.
    [[nodiscard]] virtual bool ended() const noexcept = 0;
    /// The last step before the thread sleeps: true if it will be woken when the wait has ended.
    [[nodiscard]] virtual bool announce_sleep() noexcept = 0;

protected:
    ~stack_wait() = default;

private:
    friend class thread_stacks;
    worker* self_;
    stack_wait* older_ = nullptr;
};

/// Memory for the scoped children of a side stack; pages are allocated on first use.
class side_children {
public:
    /// Throws std::bad_alloc.
    explicit side_children(std::size_t stack_size);
    ~side_children();
    side_children(const side_children&) = delete;
    side_children& operator=(const side_children&) = delete;
    [[nodiscard]] scoped_child* begin() const noexcept {
        return static_cast<scoped_child*>(memory_);
    }

private:
    std::size_t size_;
    void* memory_;
};

/// A task that a waiting worker helps with, and that was submitted, has a stack of its own here. So
/// when it has to wait itself, the waits below it are not held up: it may wait for what they wait
/// for, or for something behind them, and nothing else need be known about it.
///
/// | operation                         | called by              | progress                     |
/// |-----------------------------------|------------------------|------------------------------|
/// | try_prepare                       | the thread             | may allocate                 |
/// | run_aside, try_continue           | the thread, in a wait  | return when the wait is      |
/// |                                   |                        | switched to again            |
/// | announce_sleep                    | the thread, in a wait  | wait-free                    |
/// | sleep                             | the thread, in a wait  | blocks until woken           |
/// | settle                            | the thread, in no task | blocks until all have ended  |
/// | any_active                        | the thread             | wait-free                    |
/// | find_active, side, for_each       | any thread             | wait-free                    |
///
/// Invariants
///  T1  One stack of the thread runs. Each other one that is in use is in the list of waits,
///      once; the thread's own stack is always in use.
///  T2  What a side stack runs stays on it, and it stays on its thread, until it ends. Then the
///      thread switches to a stack_wait that has ended, or to the youngest, which looks further.
///  T3  The thread sleeps only if every stack_wait has announced its sleep: whichever ends, the
///      thread is woken, and looks at all of them. If one has a deadline, the thread looks every
///      millisecond.
///  T4  The thread begins no task in its loop while a side stack is in use (`settle`): for the
///  pool,
///      it is busy.
///  T5  A side worker has tasks and children only while it is active. It is set active before it
///      has any. What is queued there when its task has ended stays there, so that it is behind
///      nothing that it is no part of, until the thread is in no task: then it goes to the host's
///      queue, with a notification afterwards, so that no sleeper misses it.
///
/// Why no wait is held up for ever. A wait that has ended is in the list, or runs. The stack that
/// runs ends, or waits, and then switches to it: each wait looks at the whole list before it
/// sleeps.
class thread_stacks {
public:
    thread_stacks(pool_core& pool, worker& host);
    ~thread_stacks();
    thread_stacks(const thread_stacks&) = delete;
    thread_stacks& operator=(const thread_stacks&) = delete;

    /// Whether `run_aside` may be called: there is a side stack, or memory for one.
    [[nodiscard]] bool try_prepare() noexcept;
    /// Runs the task on a side stack.
    void run_aside(stack_wait& wait, task& helped) noexcept;
    /// Goes on with another wait that has ended, if there is one.
    [[nodiscard]] bool try_continue(stack_wait& wait) noexcept;
    /// False if one of the suspended waits has ended.
    [[nodiscard]] bool announce_sleep() noexcept;
    /// Whether a side stack is in use.
    [[nodiscard]] bool any_active() const noexcept { return active_ != 0; }
    /// Until the thread is woken, or for a millisecond if a suspended wait has a deadline.
    void sleep() noexcept;
    /// While it lives, a wait with a deadline is on one of the stacks.
    class timed_look {
    public:
        explicit timed_look(thread_stacks& all) noexcept : all_{&all} { ++all_->timed_; }
        ~timed_look() { --all_->timed_; }
        timed_look(const timed_look&) = delete;
        timed_look& operator=(const timed_look&) = delete;

    private:
        thread_stacks* all_;
    };
    /// Called in no task: goes on with the side stacks until none is in use.
    void settle() noexcept {
        if (any_active()) finish();
        if (any_left_) collect_left();
    }

    /// The first worker of a side stack in use that `found` returns true for, or null.
    template <class Found>
    worker* find_active(Found found) const noexcept {
        const std::size_t made = count_made();
        for (std::size_t each = 0; each != made; ++each) {
            if (sides_[each]->active.load(sync::relaxed) && found(sides_[each]->self)) {
                return &sides_[each]->self;
            }
        }
        return nullptr;
    }
    /// The worker with this number, which was found.
    [[nodiscard]] worker& side(std::size_t number) const noexcept { return sides_[number]->self; }
    /// Calls `read` for the worker of each side stack.
    template <class Read>
    void for_each(Read read) const {
        const std::size_t made = count_made();
        for (std::size_t each = 0; each != made; ++each) read(std::as_const(sides_[each]->self));
    }

private:
    [[nodiscard]] std::size_t count_made() const noexcept {
        // acquire, pairs with try_prepare() [SIDE-2]
        return made_.load(sync::acquire);
    }

    struct side_stack {
        side_stack(thread_stacks& thread, std::size_t index, std::size_t size);
        thread_stacks* owner;
        side_children children;
        worker self;
        sync::fiber stack;
        task* next = nullptr;
        side_stack* free = nullptr; // the next one in the list of free ones
        sync::atomic<bool> active{false};
    };

    [[noreturn]] static void live(void* side) noexcept;
    void finish() noexcept;
    void collect_left() noexcept;
    void end(side_stack& side) noexcept;
    void leave_for(stack_wait& wait, worker& next) noexcept;
    [[nodiscard]] stack_wait* find_ended() const noexcept;
    void remove(stack_wait& wait) noexcept;

    pool_core* pool_;
    worker* host_;
    sync::fiber own_;
    stack_wait* youngest_ = nullptr;
    side_stack* free_ = nullptr;
    std::size_t active_ = 0;
    std::size_t timed_ = 0;
    bool any_left_ = false; // tasks in queues of side workers whose own task has ended

    // Read by thieves.
    sync::atomic<std::size_t> made_{0};
    std::array<std::unique_ptr<side_stack>, constants::side_stacks> sides_;
};

} // namespace weft::inline v0::detail
