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
struct submit_options;

namespace detail {
class pool_core;
class pool_front;
} // namespace detail

/// When a worker without work plans for all of them at once, beside what each steals for itself. A plan says
/// how many tasks each queue should have, and orders those who should have more to fetch them.
enum class planning : std::uint8_t {
    never,              ///< each steals for itself only
    when_many_are_idle, ///< a quarter of the workers, and more tasks are queued than these
    when_one_is_idle,   ///< and another has more than one task
};

/// How a worker without work takes some from others.
class WEFT_API stealing_policy {
public:
    virtual ~stealing_policy();
    /// How many tasks to take from a queue that seems to hold `available`; at least 1.
    [[nodiscard]] virtual std::size_t amount(std::size_t available) const noexcept = 0;
    /// Asked once by each pool.
    [[nodiscard]] virtual planning plans() const noexcept { return planning::never; }
};

/// One task from a random worker.
class WEFT_API random_stealing final : public stealing_policy {
public:
    [[nodiscard]] std::size_t amount(std::size_t available) const noexcept override;
};

/// Half of the tasks of a random worker.
class WEFT_API half_stealing final : public stealing_policy {
public:
    [[nodiscard]] std::size_t amount(std::size_t available) const noexcept override;
};

/// One task from a random worker, up to half of a long queue, and plans for all at once: for loads where many tasks come
/// to one queue. With `when_one_is_idle` the plans have exactly the counts of the Multi Stealing Scheduler that this comes
/// from; the other moves as few tasks as it can, between those who have some and those who want some. What `fork_join`
/// forks is not planned for.
class WEFT_API multi_stealing final : public stealing_policy {
public:
    /// Plans as often as `when` says.
    explicit multi_stealing(planning when = planning::when_many_are_idle) noexcept : when_{when} {}
    [[nodiscard]] std::size_t amount(std::size_t available) const noexcept override;
    [[nodiscard]] planning plans() const noexcept override { return when_; }

private:
    planning when_;
};

/// Standing work that the pool's workers look at beside their queues.
class WEFT_API work_source {
public:
    virtual ~work_source();
    /// Does a piece of work if there is any, and says whether; called by several workers at once.
    virtual bool try_run() noexcept = 0;
    /// Whether try_run would find something; may be wrong while others run.
    [[nodiscard]] virtual bool has_work() const noexcept = 0;
    /// The pool was stopped, and nobody calls `try_run` any more. May be told more than once.
    virtual void pool_ended() noexcept {}
};

/// What becomes of queued tasks when something is stopped.
enum class on_stop : std::uint8_t {
    drain,  ///< queued tasks are run first
    cancel, ///< queued tasks end with `errc::not_run`
};

/// How a pool is made.
struct pool_options {
    /// Threads to run tasks on; 0: as many as there are CPUs to be used.
    std::size_t workers = 0;
    /// Its threads are called so, with a number: "weft/0".
    std::string name = "weft";
    /// Bytes of stack for each worker; 0: 8 MiB.
    std::size_t stack_size = 0;
    /// Each worker stays on a CPU of its own, as far as there are enough.
    bool pinned = false;
    /// Further threads that take over while workers are inside `blocking`.
    std::size_t extra_threads = 0;
    /// Null: `random_stealing`.
    std::shared_ptr<const stealing_policy> stealing = nullptr;
    /// Called on each worker's thread before its first task. Must not throw.
    std::function<void(std::size_t worker)> on_start = nullptr;
    /// The same after its last task. The pool takes no more tasks then, and is not `current`.
    std::function<void(std::size_t worker)> on_end = nullptr;
    /// Receives the exceptions of tasks that nobody asks for. Without it they end the program, but for
    /// `errc::not_run` and `errc::cancelled`, which somebody has asked for.
    std::function<void(std::exception_ptr)> on_error = nullptr;
};

/// What one worker has done so far.
struct worker_statistics {
    std::uint64_t tasks = 0;          ///< tasks run from a queue, and children run for others
    std::uint64_t steals_tried = 0;   ///< looks at the queue of another
    std::uint64_t steals_won = 0;     ///< of these, with at least one task
    std::uint64_t parks = 0;          ///< times it was about to sleep for want of work
    std::uint64_t wakes = 0;          ///< times it did, and was woken
    std::uint64_t helps = 0;          ///< children run for another while it waited
    std::uint64_t waits = 0;          ///< times it slept in a join
    std::uint64_t orders_given = 0;   ///< to steal, by plans that it made
    std::uint64_t orders_carried = 0; ///< out, with at least one task
};

/// Threads that run tasks. Owned by its maker, and it outlives what uses it; futures may outlive it. Any thread may
/// call any of this, but for its end.
class WEFT_API pool {
public:
    /// Exactly so many threads; 0: as many as there are CPUs to be used. Throws as the other one.
    explicit pool(std::size_t workers) : pool(pool_options{.workers = workers}) {}
    /// Throws `error` with `errc::no_thread` if a thread cannot be had, or std::bad_alloc; nothing is left behind then.
    /// More than 65,536 threads or 16 GiB of stack each are `errc::invalid_argument`.
    explicit pool(pool_options options = {});
    /// Stops, running what is queued. On a worker of this pool it ends the program.
    ~pool();
    pool(const pool&) = delete;
    pool& operator=(const pool&) = delete;

    /// How many threads run tasks, without the extra ones.
    [[nodiscard]] std::size_t workers() const noexcept;

    /// Runs `task()` on a worker, some time; what the task refers to must live until then. Throws `errc::stopped` once
    /// the pool was stopped, unless a task of it calls; also std::bad_alloc, and what copying the task throws. Nothing
    /// was submitted then. Defined in weft/future.hpp.
    template <class Task>
    future<std::invoke_result_t<std::decay_t<Task>&>> submit(Task&& task);
    /// The same with options.
    template <class Task>
    future<std::invoke_result_t<std::decay_t<Task>&>> submit(const submit_options& options,
                                                             Task&& task);

    /// Runs `task()` on a worker, without a future: what it returns is dropped, and an exception goes to `on_error`. Throws
    /// as `submit`. If the pool is stopped by cancelling first, the task is not run, and `on_error` receives
    /// `errc::not_run`. Defined in weft/future.hpp.
    template <class Task>
    void post(Task&& task);

    /// Runs `task()` on a worker and returns its result, or throws what it threw; otherwise as `submit`. For threads
    /// outside; a worker of this pool would wait for itself, which is `errc::would_deadlock`. Defined in weft/future.hpp.
    template <class Task>
    std::invoke_result_t<std::decay_t<Task>&> run(Task&& task);

    /// Takes no more work from outside, deals with what is queued, and returns when the threads have ended. Tasks that
    /// run may still submit; sources are left as they are, and told. May be called again, also to cancel what another
    /// thread is draining; from a worker of this pool it is `errc::would_deadlock`.
    void stop(on_stop queued = on_stop::drain);

    /// Returns when no task is queued or running, and no attached source has work: so when all tasks that were submitted
    /// before this call have ended, and all that these submitted. Tasks that wait for a completion, a resource or another
    /// task are not queued yet. From a worker of this pool it is `errc::would_deadlock`.
    void wait_idle();

    /// Workers look at the source until it is detached, which it is before it ends; `notify` tells them that it has
    /// work. Up to 64, else `errc::full`; each once, else `errc::invalid_argument`.
    void attach(work_source& source);
    /// Returns when no worker is inside the source any more; from inside it is `errc::would_deadlock`.
    void detach(work_source& source);
    /// A source has work: wakes a worker, if one sleeps. From any thread.
    void notify() noexcept;

    /// What each worker has done so far, the extra threads last. The numbers of one worker may be of different moments.
    [[nodiscard]] std::vector<worker_statistics> statistics() const;

    /// The pool whose worker the caller runs on, or null.
    [[nodiscard]] static pool* current() noexcept;

    /// For weft's own use.
    [[nodiscard]] detail::pool_front& front() noexcept { return *front_; }

private:
    std::unique_ptr<detail::pool_core> core_;
    detail::pool_front* front_; // of the same object
};

/// CPUs that this process may use: its affinity, and the quota of its control group.
[[nodiscard]] WEFT_API std::size_t usable_cpus();

} // namespace weft::inline v0
