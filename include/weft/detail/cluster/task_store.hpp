// The tasks of a rank, as the exchange of messages sees them: numbers and bytes.
#pragma once

#include <weft/api.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <vector>

namespace weft::inline v0::detail {

/// What a worker asks between two tasks.
class WEFT_API worker_guide {
public:
    struct advice {
        unsigned tasks;    ///< how many to run before the next question
        bool ends = false; ///< return to the pool, which may have other work
    };

    virtual ~worker_guide() = default;
    /// `seat` is the seat that the calling worker has claimed.
    virtual advice between_tasks(std::size_t seat) noexcept = 0;
    /// There may be work for another worker of this rank.
    virtual void notify() noexcept = 0;
};

/// The tasks, and partial results, of a rank. A *seat* is the place of one worker.
///
/// Where `talking` is named as the caller, that is the one thread that has the right to talk to
/// other ranks at the time.
class WEFT_API task_store {
public:
    static constexpr std::size_t no_seat = ~std::size_t{0};

    virtual ~task_store() = default;

    /// Equal on ranks that run the same problem.
    [[nodiscard]] virtual std::uint64_t identity() const noexcept = 0;

    /// Called by workers: runs tasks for a while. False if there is none, or the store is paused.
    virtual bool run_some(worker_guide& guide) noexcept = 0;
    /// Whether run_some would find a task.
    [[nodiscard]] virtual bool has_work() const noexcept = 0;

    /// Tasks that are not running; while workers run, an estimate.
    [[nodiscard]] virtual std::size_t queued() const noexcept = 0;
    /// No task is queued or running here, and none will be until `put`.
    [[nodiscard]] virtual bool is_passive() const noexcept = 0;
    /// Tasks run so far.
    [[nodiscard]] virtual std::uint64_t done() const noexcept = 0;
    /// Whether a task has thrown.
    [[nodiscard]] virtual bool has_failed() const noexcept = 0;

    /// Talking: appends the oldest tasks, `count` at most, and returns how many. `seat` is the one
    /// that the caller has claimed, or no_seat.
    virtual std::size_t take(std::size_t count, std::size_t seat,
                             std::vector<std::byte>& bytes) = 0;
    /// Talking: the number of tasks that workers should offer for the next `take`.
    virtual void want(std::size_t count) noexcept = 0;
    /// Talking: adds tasks that `take` of another rank has made bytes of.
    virtual void put(std::span<const std::byte> bytes, std::size_t count) = 0;

    /// Workers return after the task that they run. True once all have returned; until `resume`,
    /// all below is for the caller alone.
    [[nodiscard]] virtual bool try_pause() noexcept = 0;
    virtual void resume() noexcept = 0;
    /// The first exception of a task, or null.
    [[nodiscard]] virtual std::exception_ptr failure() const noexcept = 0;
    /// Appends all tasks, which stay, and returns their number.
    [[nodiscard]] virtual std::size_t copy_tasks(std::vector<std::byte>& bytes) const = 0;
    /// Appends the partial result.
    virtual void copy_result(std::vector<std::byte>& bytes) const = 0;
    /// Combines a partial result with the one here.
    virtual void add_result(std::span<const std::byte> bytes) = 0;
    /// Replaces the result here.
    virtual void set_result(std::span<const std::byte> bytes) = 0;
    virtual void drop_tasks() noexcept = 0;
};

} // namespace weft::inline v0::detail
