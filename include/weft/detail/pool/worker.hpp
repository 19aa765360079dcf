// A worker of a pool: its queues, and what other threads request from it.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/lockfree/bell.hpp>
#include <weft/detail/lockfree/split_deque.hpp>
#include <weft/detail/lockfree/task_deque.hpp>
#include <weft/detail/pool/block_cache.hpp>
#include <weft/detail/pool/counters.hpp>
#include <weft/detail/pool/pool_front.hpp>
#include <weft/detail/pool/task.hpp>
#include <weft/detail/sync/model_constants.hpp>
#include <weft/detail/sync/parker.hpp>
#include <weft/detail/sync/thread.hpp>
#include <weft/detail/sync/thread_local_value.hpp>
#include <weft/priority.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <stop_token>
#include <vector>

namespace weft::inline v0 {

namespace sync {
class fiber;
}

class work_source;

namespace detail {

class pool_core;
class thread_stacks;

/// The tag of the thread-local word that says which worker the thread is. User code reads the word
/// too, so that a shared library must export it; with a tag of its own it is exported without the
/// worker class.
struct WEFT_API current_worker;

/// The tasks of one worker, a deque for each priority.
struct task_queues {
    task_deque<task> normal;
    task_deque<task> high;
    task_deque<task> low;

    explicit task_queues(bool thieves) : normal{thieves}, high{thieves}, low{thieves} {}
    [[nodiscard]] task_deque<task>& operator[](priority level) noexcept {
        return level == priority::normal ? normal : level == priority::high ? high : low;
    }
    [[nodiscard]] const task_deque<task>& operator[](priority level) const noexcept {
        return level == priority::normal ? normal : level == priority::high ? high : low;
    }
};

/// The data of a worker, and what its own thread, thieves, and waiters for its tasks do with it.
/// Three parts of the pool use it: `finder` decides what it runs next, `helping` how it waits, and
/// `worker_thread` is its thread. Members that are not marked otherwise are called by the worker's
/// own thread only.
///
/// The rule of waiting: on the stack of a worker that waits for a task runs nothing but that task
/// or scoped descendants of it; tasks that it has submitted are run on side stacks (`helping`). So
/// each stack is a chain of true dependencies, and waiting can go wrong only if these form a cycle.
///
/// A side stack has a worker of its own, with queues of its own, which belongs to a *host*: the
/// worker whose thread it is (`thread_stacks`).
class worker {
public:
    /// With a host, it is the worker of a side stack of the host's thread.
    worker(pool_core& pool, std::size_t index, bool thieves, scoped_child* children,
           worker* host = nullptr);

    /// The calling thread's worker, or null.
    [[gnu::always_inline]] static worker* current() noexcept {
        return static_cast<worker*>(current_of_thread::get());
    }
    /// While it lives, the calling thread is this worker.
    class thread_binding {
    public:
        /// At most `stack_size` bytes of the stack are used.
        thread_binding(worker& self, std::size_t stack_size) noexcept;
        ~thread_binding() { current_of_thread::set(nullptr); }
        thread_binding(const thread_binding&) = delete;
        thread_binding& operator=(const thread_binding&) = delete;
    };

    [[nodiscard]] pool_front& pool() const noexcept { return *pool_; }
    [[nodiscard]] std::size_t index() const noexcept { return index_; }
    /// Whether its pool has other threads.
    [[nodiscard]] bool has_siblings() const noexcept { return queues.normal.has_thieves(); }

    // Data. Filled by the worker, emptied by thieves too:
    split_deque<scoped_child> scoped; // fork_join.hpp has the fast path
    task_queues queues;
    // Written by waiters that could help with what this worker runs:
    bell<worker> share_bell;
    // Written by threads that this worker waits for in a join. It checks again whenever it wakes,
    // since a token may be left over, or be for another worker of the same thread: they share it.
    // Idle sleep has a parker of its own.
    sync::parker& join_parker;
    /// The stacks of its thread; null if it has no siblings.
    thread_stacks* stacks = nullptr;
    /// The stack that it runs on.
    sync::fiber* stack = nullptr;
    // Written by the worker alone; others may read the counters:
    block_cache blocks;
    large_block_cache large_blocks;
    worker_counters counts;
    /// Exceptions that a join did not throw because it threw another one.
    std::vector<std::exception_ptr> suppressed;
    /// Whether a parallel loop on this stack will look at the alarm again, with work to share.
    bool loop_has_rest = false;
    /// The time that it has spent in short parallel loops while others slept, since it shared one.
    double unshared_ticks = 0;

    // Tasks

    void push(task& ready) {
        queues.normal.owner_push(&ready);
        if (!has_siblings()) return;
        pool_->sleep.notify(); // begins with the fence that the bell needs
        if (share_bell.has_waiter()) [[unlikely]]
            ring_bell();
    }
    /// The same, but never fails and wakes no worker: the caller notifies.
    WEFT_API void keep(task& later, priority level = priority::normal) noexcept;

    /// Counts what this worker has picked: at every 64th pick it looks for the oldest work
    /// (finder).
    [[nodiscard]] bool is_oldest_due_now() noexcept {
        return ++picks_ % constants::picks_between_oldest == 0;
    }
    /// The number of looks for the oldest work so far.
    [[nodiscard]] unsigned oldest_turn() const noexcept {
        return picks_ / constants::picks_between_oldest;
    }
    /// Counts a pick of a task that may run what comes next itself, without a queue. False, and not
    /// counted, if the next pick is to look for the oldest work: then the task must queue what
    /// comes next, and return.
    [[nodiscard]] bool may_pick_directly() noexcept {
        if ((picks_ + 1) % constants::picks_between_oldest == 0) return false;
        ++picks_;
        return true;
    }

    /// For how many more picks `may_pick_directly` would return true.
    [[nodiscard]] unsigned direct_picks() const noexcept {
        return constants::picks_between_oldest - 1 - picks_ % constants::picks_between_oldest;
    }
    /// Counts several such picks.
    void count_direct_picks(unsigned picks) noexcept { picks_ += picks; }

    // Scoped children

    /// True if a fork has more to do than to push: the stack is nearly used up, or a thief has
    /// asked for children. One comparison with the stack's position covers both.
    [[nodiscard, gnu::always_inline]] bool is_alarmed() const noexcept {
        return sync::stack_position() < alarm_.load(sync::relaxed);
    }
    /// Called after the push if `is_alarmed`: shares children, or undoes the push and throws
    /// `stack_exhausted`.
    WEFT_API void answer_alarm(scoped_child* pushed);
    /// Called by other workers: asks this one to share.
    void request_share() noexcept {
        if (alarm_.load(sync::relaxed) != everywhere) alarm_.store(everywhere, sync::relaxed);
    }
    /// Called before this worker blocks: shares all its children and wakes a worker for them.
    WEFT_API void publish() noexcept;
    /// Runs a child that was stolen from `victim`.
    WEFT_API void run_stolen(scoped_child& child, worker& victim) noexcept;
    /// Returns when a stolen child of this worker is done.
    WEFT_API void wait_for_stolen(scoped_child& child) noexcept;
    /// Keeps an exception that a join cannot throw. It is lost if there is no memory.
    WEFT_API void suppress_first(std::exception_ptr error) noexcept;

    // The stack

    /// From now on it is the worker of the calling thread, whose stack begins at this address.
    void become_current() noexcept { current_of_thread::set(this); }
    void set_stack_bottom(std::uintptr_t bottom) noexcept { stack_limit_ = bottom + stack_reserve; }
    /// Throws `stack_exhausted` if another task should not be run on top of this stack.
    void require_stack(const char* call, std::size_t beyond = 0) const {
        if (stack_is_low(beyond)) [[unlikely]]
            refuse_stack(call);
    }
    [[nodiscard]] bool stack_is_low(std::size_t beyond = 0) const noexcept {
        return sync::stack_position() < stack_limit_ + beyond;
    }
    /// While it lives, a task that may be stopped runs on this worker, on top of what ran before.
    class running {
    public:
        WEFT_API running(worker& self, const std::stop_token* stop) noexcept;
        ~running() { self_->top_ = below_; }
        running(const running&) = delete;
        running& operator=(const running&) = delete;

    private:
        friend class worker;
        const std::stop_token* stop_; // or null
        const scoped_child* base_;    // its children are from here on
        const running* below_;
        worker* self_;
    };
    /// Whether stop was requested for the innermost running task; there must be one.
    [[nodiscard]] bool stop_requested() const noexcept {
        return top_->stop_ != nullptr && top_->stop_->stop_requested();
    }
    /// The innermost running task, or null.
    [[nodiscard]] const running* top_running() const noexcept { return top_; }
    /// Whether a task that this token may stop runs here, at the top of the stack or below.
    [[nodiscard]] WEFT_API bool runs_task_of(const std::stop_token& stop) const noexcept;

    // Sources and blocking calls

    /// Runs some of a source's work; returns false if there was none.
    bool run_source(work_source& source) noexcept;
    [[nodiscard]] bool is_inside(const work_source& source) const noexcept {
        return inside_ == &source;
    }
    /// Calls of `blocking` may be nested: true for the outermost.
    [[nodiscard]] bool begin_blocking() noexcept { return blocking_depth_++ == 0; }
    [[nodiscard]] bool end_blocking() noexcept { return --blocking_depth_ == 0; }

private:
    using current_of_thread = sync::thread_local_value<current_worker, void*>;
    static constexpr std::uintptr_t everywhere = std::numeric_limits<std::uintptr_t>::max();
    /// For what runs on a stack that is nearly used up: the join, the task's own frames, handlers.
    /// Forks and futures of small tasks that nest until they are refused, and the error that they
    /// throw, need more than 4 and less than 5 KiB of it (g++ 12, -O3); the rest is the tasks' own.
    static constexpr std::size_t stack_reserve = std::size_t{48} * 1024;

    [[nodiscard]] pool_core& core() const noexcept;
    [[noreturn]] WEFT_API static void refuse_stack(const char* call);
    void prepare_shared(scoped_child& child) const noexcept;
    void notify_shared() noexcept;
    WEFT_API void ring_bell() noexcept;

    pool_front* const pool_;
    const std::size_t index_;
    std::uintptr_t stack_limit_ = 0;
    const running* top_ = nullptr; // what runs now
    const work_source* inside_ = nullptr;
    unsigned blocking_depth_ = 0;
    unsigned picks_ = 0;
    sync::parker own_parker_;

    // Written by thieves too.
    alignas(64) sync::atomic<std::uintptr_t> alarm_{everywhere};
};

} // namespace detail
} // namespace weft::inline v0
