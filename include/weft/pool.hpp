// A pool of workers.
#pragma once

#include <weft/api.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace weft::inline v0 {

template <class T>
class future;
template <class T>
class task;
struct submit_options;
class task_options;

namespace detail {
class pool_core;
class pool_front;
} // namespace detail

/// When a worker without work makes a plan for all workers, in addition to stealing for itself. A
/// plan decides how many tasks each queue should have, and orders the workers that should have more
/// to steal them.
enum class planning : std::uint8_t {
    never,              ///< each worker steals for itself only
    when_many_are_idle, ///< a quarter of the workers are idle, and more tasks than that are queued
    when_one_is_idle,   ///< one worker is idle, and another has more than one task
};

/// How a worker without work steals from other workers.
class WEFT_API stealing_policy {
public:
    virtual ~stealing_policy();
    /// The number of tasks to take from a queue that seems to hold `available`; at least 1.
    [[nodiscard]] virtual std::size_t amount(std::size_t available) const noexcept = 0;
    /// When to make plans. Each pool calls it once.
    [[nodiscard]] virtual planning plans() const noexcept { return planning::never; }
};

/// Steals one task from a random worker.
class WEFT_API random_stealing final : public stealing_policy {
public:
    [[nodiscard]] std::size_t amount(std::size_t available) const noexcept override;
};

/// Steals half of the tasks of a random worker.
class WEFT_API half_stealing final : public stealing_policy {
public:
    [[nodiscard]] std::size_t amount(std::size_t available) const noexcept override;
};

/// Steals one task from a random worker, up to half of a long queue, and makes plans for all
/// workers at once: for loads where many tasks arrive in one queue. With `when_one_is_idle` the
/// plans have exactly the counts of the Multi Stealing Scheduler that this comes from; with
/// `when_many_are_idle` they move as few tasks as possible, between workers that have tasks and
/// workers that want some. Plans do not cover the children of `fork_join`.
class WEFT_API multi_stealing final : public stealing_policy {
public:
    /// Makes plans as `when` says.
    explicit multi_stealing(planning when = planning::when_many_are_idle) noexcept : when_{when} {}
    [[nodiscard]] std::size_t amount(std::size_t available) const noexcept override;
    [[nodiscard]] planning plans() const noexcept override { return when_; }

private:
    planning when_;
};

/// Something that the pool's workers poll for work, in addition to their queues.
class WEFT_API work_source {
public:
    virtual ~work_source();
    /// Does one piece of work if there is any, and returns whether there was. Called by several
    /// workers concurrently.
    virtual bool try_run() noexcept = 0;
    /// Whether `try_run` would find work; may be out of date while other threads run.
    [[nodiscard]] virtual bool has_work() const noexcept = 0;
    /// The pool was stopped, and `try_run` is not called any more. May be called more than once.
    virtual void pool_ended() noexcept {}
};

/// What happens to queued tasks when a pool or group is stopped.
enum class on_stop : std::uint8_t {
    drain,  ///< queued tasks are run first
    cancel, ///< queued tasks end with `errc::not_run`
};

/// Options of a pool.
struct pool_options {
    /// The number of worker threads; 0: one per usable CPU.
    std::size_t workers = 0;
    /// The threads have this name and a number: "weft/0".
    std::string name = "weft";
    /// Stack size of each worker in bytes; 0: 8 MiB.
    std::size_t stack_size = 0;
    /// Pins each worker to a CPU of its own, as long as there are enough.
    bool pinned = false;
    /// The number of further threads that work in place of workers inside `blocking`.
    std::size_t extra_threads = 0;
    /// The stealing policy; null: `random_stealing`.
    std::shared_ptr<const stealing_policy> stealing = nullptr;
    /// Whether a worker that waits for a task runs, on stacks of their own, tasks that it has
    /// submitted. Otherwise it runs only what the task has forked.
    bool help_with_submitted = true;
    /// Called on each worker's thread before its first task. Must not throw.
    std::function<void(std::size_t worker)> on_start = nullptr;
    /// Called on each worker's thread after its last task. By then the pool accepts no more tasks,
    /// and `pool::current` is null. Must not throw.
    std::function<void(std::size_t worker)> on_end = nullptr;
    /// Receives exceptions of tasks whose result is never requested. Without a handler they end the
    /// program, except `errc::not_run` and `errc::cancelled`, which the program has caused itself.
    /// Must not throw.
    std::function<void(std::exception_ptr)> on_error = nullptr;
};

/// Counters of one worker.
struct worker_statistics {
    std::uint64_t tasks = 0;        ///< tasks run from a queue, and stolen children
    std::uint64_t steals_tried = 0; ///< attempts to steal from another worker
    std::uint64_t steals_won = 0;   ///< attempts that got at least one task
    std::uint64_t parks = 0;        ///< times it found no work and prepared to sleep
    std::uint64_t wakes = 0;        ///< times it then slept, and was woken
    std::uint64_t helps = 0;        ///< what the awaited task forked or submitted, run by a waiter
    std::uint64_t waits = 0;        ///< times it slept in a join
    std::uint64_t orders_given = 0; ///< orders to steal in the plans it made
    std::uint64_t orders_carried = 0; ///< orders it carried out, with at least one task
};

/// A pool of threads that run tasks. It must outlive everything that uses it, except futures. Any
/// thread may call any member concurrently, except the destructor.
class WEFT_API pool {
public:
    /// A pool of exactly this number of threads; 0: one per usable CPU. Throws as the other
    /// constructor.
    explicit pool(std::size_t workers) : pool(pool_options{.workers = workers}) {}
    /// Throws `errc::no_thread` if a thread cannot be created, `errc::invalid_argument` for more
    /// than 65,536 threads or stacks above 16 GiB, or std::bad_alloc; then nothing is left behind.
    explicit pool(pool_options options = {});
    /// Calls `stop()`, which runs the queued tasks. On a worker of this pool it ends the program.
    ~pool();
    pool(const pool&) = delete;
    pool& operator=(const pool&) = delete;

    /// The number of worker threads, without the extra threads.
    [[nodiscard]] std::size_t workers() const noexcept;

    /// Runs `task()` later on a worker; whatever the task refers to must live until then. Throws
    /// `errc::stopped` if the pool was stopped, unless it is called by a task of the pool; also
    /// std::bad_alloc, and what copying the task throws. Then nothing was submitted. Defined in
    /// weft/future.hpp.
    template <class Task>
    future<std::invoke_result_t<std::decay_t<Task>&>> submit(Task&& task);
    /// The same with options.
    template <class Task>
    future<std::invoke_result_t<std::decay_t<Task>&>> submit(const submit_options& options,
                                                             Task&& task);

    /// Begins a coroutine on a worker, and returns the future of its result. Throws
    /// `errc::invalid_argument` if the task has no coroutine, otherwise as above; if it throws, the
    /// coroutine is destroyed. Defined in weft/coroutine.hpp.
    template <class T>
    future<T> submit(task<T> coroutine);
    /// The same with options.
    template <class T>
    future<T> submit(const task_options& options, task<T> coroutine);

    /// Runs `task()` later on a worker, without a future: its result is dropped, and an exception
    /// goes to `on_error`. Throws as `submit`. If the pool is stopped with `on_stop::cancel` first,
    /// the task is not run, and `on_error` receives `errc::not_run`. Defined in weft/future.hpp.
    template <class Task>
    void post(Task&& task);

    /// Runs `task()` on a worker, waits for it and returns its result, or throws its exception;
    /// otherwise as `submit`. For threads outside the pool: on a worker of this pool it throws
    /// `errc::would_deadlock`. Defined in weft/future.hpp.
    template <class Task>
    std::invoke_result_t<std::decay_t<Task>&> run(Task&& task);
    /// The same for a coroutine. Defined in weft/coroutine.hpp.
    template <class T>
    T run(task<T> coroutine);
    /// The same with options.
    template <class T>
    T run(const task_options& options, task<T> coroutine);

    /// Accepts no more work from outside, runs or cancels the queued tasks, and returns when the
    /// threads have ended. Timers that are pending end at once. Running tasks may still submit
    /// others. Work that is left in sources is not run; `work_source::pool_ended` notifies them.
    /// May be called again, also to cancel what another thread is draining. On a worker of this
    /// pool it throws `errc::would_deadlock`.
    void stop(on_stop mode = on_stop::drain);

    /// Returns when no task is queued or running, and no attached source has work: so all tasks
    /// submitted before this call have ended, and all tasks that those have submitted. It does not
    /// wait for tasks that are not queued yet because they wait for a completion, a resource or
    /// another task. On a worker of this pool it throws `errc::would_deadlock`.
    void wait_idle();

    /// Workers poll the source until it is detached; it must be detached before it is destroyed.
    /// Call `notify` when it has work. Throws `errc::full` beyond 64 sources, and
    /// `errc::invalid_argument` if it is attached already.
    void attach(work_source& source);
    /// Returns when no worker is inside the source any more; called inside the source it throws
    /// `errc::would_deadlock`.
    void detach(work_source& source);
    /// To be called when a source has work: wakes a worker if one sleeps. From any thread.
    void notify() noexcept;

    /// The counters of each worker, then those of the extra threads. While the pool runs, they need
    /// not belong to one moment.
    [[nodiscard]] std::vector<worker_statistics> statistics() const;

    /// The pool of which the calling thread is a worker, or null.
    [[nodiscard]] static pool* current() noexcept;

    /// For weft's own use.
    [[nodiscard]] detail::pool_front& front() noexcept { return *front_; }

private:
    std::unique_ptr<detail::pool_core> core_;
    detail::pool_front* front_; // of the same object
};

/// The number of CPUs that this process may use, by its affinity and by the quota of its control
/// group.
[[nodiscard]] WEFT_API std::size_t usable_cpus();

} // namespace weft::inline v0
