// The task behind a future: claimed by one thread, joined by any, freed by the last holder.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/lockfree/completion_word.hpp>
#include <weft/detail/pool/pool_front.hpp>
#include <weft/detail/pool/task.hpp>
#include <weft/detail/pool/worker.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/clock.hpp>
#include <weft/detail/sync/memory.hpp>
#include <weft/error.hpp>
#include <weft/priority.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace weft::inline v0::detail {

/// Memory for task objects: a worker's cache for those that fit, the heap for others. With a pool,
/// which must exist, also what its workers have freed.
inline bool fits_block(std::size_t size, std::size_t alignment) noexcept {
    return size <= block_cache::block_size && alignment <= block_cache::block_alignment;
}
inline void* allocate_task(std::size_t size, std::size_t alignment, pool_front* pool = nullptr) {
    if (!fits_block(size, alignment)) return sync::allocate(size, alignment);
    if (worker* caller = worker::current()) return caller->blocks.allocate();
    return pool != nullptr ? pool->allocate_outside() : block_cache::heap_allocate();
}
inline void free_task(void* memory, std::size_t size, std::size_t alignment) noexcept {
    worker* caller = worker::current();
    if (!fits_block(size, alignment)) sync::deallocate(memory, alignment);
    else if (caller == nullptr) block_cache::heap_free(memory);
    else caller->blocks.free(memory);
}

/// The pool that a task belongs to. The pool may be destroyed before the task is done.
struct task_home {
    pool_front* pool;
    pool_identity identity;
    explicit task_home(pool_front& home) noexcept : task_home{home, home.number.value()} {}
    task_home(pool_front& home, const pool_identity& known_as) noexcept
        : pool{&home}, identity{known_as} {}

    /// The calling worker if it is one of that pool. Compares identities, since a later pool may
    /// have the same address.
    [[nodiscard]] worker* current_worker() const noexcept {
        worker* caller = worker::current();
        return caller != nullptr && caller->pool().number.value() == identity ? caller : nullptr;
    }
};

class timed_waiter;

/// The base of all tasks that can be joined. `completion_word` says which thread may access it
/// when.
class WEFT_API joinable_task : public task {
public:
    joinable_task(const joinable_task&) = delete;
    joinable_task& operator=(const joinable_task&) = delete;

    [[nodiscard]] bool ready() const noexcept { return word.ready(); }

    /// Returns when the task is done. A worker of its pool runs it if no thread has begun it;
    /// otherwise it helps the worker that runs it, or sleeps. Throws `would_deadlock` where waiting
    /// could never end, and `stack_exhausted` if it would have to run the task and too little stack
    /// is left.
    void wait(const char* call);
    /// Ends the task as failed for this reason if no thread has begun it.
    void end_unrun(errc reason) noexcept;
    /// As `wait`, but until the deadline at most, and without running the task: returns whether it
    /// is done. On a worker it throws `would_deadlock` if the task is dormant.
    bool wait_until(sync::clock::time_point deadline, const char* call);

    /// Ends the hold of the future.
    void drop_handle() noexcept {
        if (word.drop_handle()) destroy();
    }
    /// Queues a new task in its pool. If that is not possible, destroys the task and throws
    /// `stopped` or std::bad_alloc.
    void submit(const char* call);
    /// A dormant task has become ready to run. May be called by any thread. If the pool has been
    /// destroyed or accepts no more work, the task ends as `not_run`.
    void submit_when_ready() noexcept;
    /// A dormant task has become ready to run, and stays dormant: no worker may wait for it.
    /// Returns false if its pool accepts no more work. The caller must know that the pool exists.
    [[nodiscard]] bool try_queue_dormant(task& first, priority level,
                                         bool pool_is_alive) const noexcept;
    /// A dormant task that is in no queue ends without being run, for this reason.
    void end_dormant(errc reason, std::shared_ptr<const error_handler> report) noexcept;
    [[nodiscard]] const task_home& home() const noexcept { return home_; }

    completion_word word;

protected:
    template <class Made>
    joinable_task(const task_home& home, Made made) noexcept
        : task{.run = &from_queue}, word{made}, home_{home},
          runner_queue_base_{std::is_same_v<Made, completion_word::made_dormant> ? follows_another
                                                                                 : 0} {}
    virtual ~joinable_task();

    /// Called by the thread that has claimed the task and stored its outcome.
    void complete() noexcept;

    /// Does the work and stores its outcome.
    virtual void execute(worker& caller) noexcept = 0;
    /// Stores the reason as the outcome instead of doing the work. If the result is never
    /// requested, it goes to `report`, unless that is null.
    virtual void refuse(errc reason, std::shared_ptr<const error_handler> report) noexcept = 0;
    virtual void destroy() noexcept = 0;

private:
    static void from_queue(task& self, worker& caller) noexcept;
    [[nodiscard]] static bool was_submitted(const task& taken) noexcept;
    /// Whether no thread seems to have begun it. A worker without siblings does not claim what it
    /// takes from its queue, but sets the runner.
    [[nodiscard]] bool is_startable() const noexcept {
        return word.claimable() && runner_.load(sync::relaxed) == nullptr;
    }
    template <class Complete>
    void run_here(worker& caller, Complete complete) noexcept;
    void run_claimed(worker& caller) noexcept;
    static void notify(completion_node* nodes) noexcept;
    void refuse_when_ready() noexcept;
    void end_refused() noexcept;
    [[gnu::noinline]] static void drop_joined(worker& caller) noexcept;
    bool try_run_here(worker& caller, const char* call);
    class awaited_task;
    class timed_wait;
    [[gnu::noinline]] void wait_for_others(worker* caller, const char* call);
    void wait_as_worker(worker& caller, const char* call);
    void sleep_until_ready(sync::parker& parker) noexcept;

    /// It was dormant: the task that queues it has not submitted it.
    static constexpr std::uint32_t follows_another = 1;

    const task_home home_;
    sync::atomic<worker*> runner_{nullptr};
    sync::atomic<std::uint32_t> runner_base_{0};
    sync::atomic<std::uint32_t> runner_queue_base_; // until it runs, 0 if it was submitted
    sync::atomic<timed_waiter*> waiter_{nullptr};   // of an earlier timed wait, for the next one
};

inline void joinable_task::submit(const char* call) {
    struct guard {
        joinable_task* task;
        ~guard() {
            if (task != nullptr) task->destroy();
        }
    } unsent{this};
    worker* caller = worker::current();
    if (caller != nullptr && &caller->pool() == home_.pool) {
        if (caller->queues.normal.owner_is_full()) [[unlikely]]
            drop_joined(*caller);
        caller->push(*this);
    } else if (!home_.pool->submit_from_outside(*this)) {
        throw error{errc::stopped, call};
    }
    unsent.task = nullptr;
}

inline void joinable_task::wait(const char* call) {
    if (ready()) return;
    worker* caller = worker::current();
    const bool runs_here = caller != nullptr && &caller->pool() == home_.pool && is_startable();
    if (!runs_here || !try_run_here(*caller, call)) wait_for_others(caller, call);
}

/// Makes a dormant task ready to run when another has completed, and frees itself.
struct continuation_link : completion_node {
    joinable_task* continuation = nullptr;
    continuation_link() noexcept {
        notify = [](completion_node& self) noexcept {
            auto& link = static_cast<continuation_link&>(self);
            link.continuation->submit_when_ready();
            delete &link;
        };
    }
};

} // namespace weft::inline v0::detail
