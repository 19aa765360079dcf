// The task behind a future: claimed by one thread, joined by any, freed by the last that holds it.
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
#include <optional>

namespace weft::inline v0::detail {

/// Memory for task objects: a worker's cache for those that fit, the heap for others.
inline bool fits_block(std::size_t size, std::size_t alignment) noexcept {
    return size <= block_cache::block_size && alignment <= block_cache::block_alignment;
}
inline void* allocate_task(std::size_t size, std::size_t alignment) {
    if (!fits_block(size, alignment)) return sync::allocate(size, alignment);
    worker* caller = worker::current();
    return caller != nullptr ? caller->blocks.allocate() : block_cache::heap_allocate();
}
inline void free_task(void* memory, std::size_t size, std::size_t alignment) noexcept {
    worker* caller = worker::current();
    if (!fits_block(size, alignment)) sync::deallocate(memory, alignment);
    else if (caller == nullptr) block_cache::heap_free(memory);
    else caller->blocks.free(memory);
}

/// The pool that a task belongs to, which may be gone when the task is done.
struct task_home {
    pool_front* pool;
    pool_identity identity;
    explicit task_home(pool_front& home) noexcept : task_home{home, home.number.value()} {}
    task_home(pool_front& home, const pool_identity& known_as) noexcept
        : pool{&home}, identity{known_as} {}

    /// The calling worker if it is one of that pool. Compares identities, for another pool may have
    /// the same address later.
    [[nodiscard]] worker* current_worker() const noexcept {
        worker* caller = worker::current();
        return caller != nullptr && caller->pool().number.value() == identity ? caller : nullptr;
    }
};

class impatient_thread;

/// What all tasks have that can be joined. `completion_word` says which thread may access it when.
class WEFT_API joinable_task : public task {
public:
    joinable_task(const joinable_task&) = delete;
    joinable_task& operator=(const joinable_task&) = delete;

    [[nodiscard]] bool ready() const noexcept { return word.ready(); }

    /// Returns when the task is done. A worker of its pool runs it if nobody has begun; otherwise
    /// it helps the worker that has, or sleeps. Throws `would_deadlock` where waiting could never
    /// end, and `stack_exhausted` if it would have to run the task and should not.
    void wait(const char* call);
    /// Ends the task as failed for this reason if nobody has begun it.
    void end_unrun(errc reason) noexcept;
    /// As wait, but only until the deadline, and without running it: false if it is not done. On a
    /// worker `would_deadlock` if it is dormant.
    bool wait_until(sync::clock::time_point deadline, const char* call);

    /// The holder of a future lets go of it.
    void drop_handle() noexcept {
        if (word.drop_handle()) destroy();
    }
    /// Gives a new task to its pool. If that is not possible the task is gone and this throws:
    /// `stopped`, or std::bad_alloc.
    void submit(const char* call);
    /// A dormant task has become ready to run. From any thread, also when the pool is gone or takes
    /// nothing more: then it ends as `not_run`.
    void submit_when_ready() noexcept;
    /// A dormant task has become ready to run, and stays dormant: no worker may wait for it. False
    /// if its pool takes nothing more; only a caller that knows the pool to be there may say so.
    [[nodiscard]] bool try_queue_dormant(task& first, priority level,
                                         bool pool_is_there) const noexcept;
    /// A dormant task that is in no queue ends without being run, for this reason.
    void end_dormant(errc reason, std::shared_ptr<const error_handler> report) noexcept;
    [[nodiscard]] const task_home& home() const noexcept { return home_; }

    completion_word word;

protected:
    template <class Made>
    joinable_task(const task_home& home, Made made) noexcept
        : task{.run = &from_queue}, word{made}, home_{home} {}
    virtual ~joinable_task();

    /// By the thread that has claimed it and kept an outcome.
    void complete() noexcept;

    /// Does the work and keeps its outcome.
    virtual void execute(worker& caller) noexcept = 0;
    /// The work is not to be done, for this reason, which is the outcome; if nobody asks for it, it
    /// is to be reported there, or nowhere.
    virtual void refuse(errc reason, std::shared_ptr<const error_handler> report) noexcept = 0;
    virtual void destroy() noexcept = 0;

private:
    static void from_queue(task& self, worker& caller) noexcept;
    /// Nobody has begun it, as far as can be seen. A lone worker does not claim what it takes from
    /// its queue, but says that it runs it.
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
    [[gnu::noinline]] void wait_for_others(worker* caller, const char* call);
    void wait_as_worker(worker& caller, const char* call);
    void sleep_until_ready(sync::parker& parker) noexcept;

    const task_home home_;
    sync::atomic<worker*> runner_{nullptr};
    sync::atomic<std::uint32_t> runner_base_{0};
    sync::atomic<impatient_thread*> waiter_{nullptr}; // notified when it is done; not in use now
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

/// Runs a dormant task when as many others as were counted have completed; nobody waits.
class completion_count {
public:
    /// Counts one for its maker, until `arrive`.
    explicit completion_count(joinable_task& next) noexcept : next_{&next} {}

    void expect() noexcept { pending_.fetch_add(1, sync::relaxed); }
    void arrive() noexcept {
        // release for what came before, acquire for the last to have it all [COUNT-1]
        if (pending_.fetch_sub(1, sync::acq_rel) == 1) next_->submit_when_ready();
    }

private:
    joinable_task* next_;
    sync::atomic<std::uint32_t> pending_{1};
};

/// Arrives at a count when one task has completed, and frees itself.
struct counted_link : completion_node {
    std::optional<completion_count> count;
    counted_link() noexcept {
        notify = [](completion_node& self) noexcept {
            auto& link = static_cast<counted_link&>(self);
            link.count->arrive();
            delete &link;
        };
    }
};

} // namespace weft::inline v0::detail
