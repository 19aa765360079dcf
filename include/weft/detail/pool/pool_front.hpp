// The part of a pool that user code is compiled with.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/pool/error_handler.hpp>
#include <weft/detail/pool/pool_number.hpp>
#include <weft/detail/pool/sleep.hpp>
#include <weft/detail/pool/task.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/priority.hpp>

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <utility>

namespace weft::inline v0 {

class pool;

namespace detail {

class worker;

/// What templates of the public headers use of a pool: its identity, its sleepers, and how tasks
/// are queued. The rest is in the derived class `pool_core`, which user code does not see.
class pool_front {
public:
    pool_front(const pool_front&) = delete;
    pool_front& operator=(const pool_front&) = delete;

    /// Queues a task from outside, or from a worker of another pool. Returns false if the pool
    /// accepts no more work.
    [[nodiscard]] WEFT_API bool submit_from_outside(task& ready,
                                                    priority level = priority::normal) noexcept;
    /// Memory for a task that is about to be submitted by a thread that is no worker: a block of
    /// the size of `block_cache`.
    [[nodiscard]] WEFT_API void* allocate_outside();
    /// Whether queued tasks end without being run.
    [[nodiscard]] bool cancelling() const noexcept { return cancelling_.load(sync::relaxed); }
    /// Whether the pool accepts no more work from outside.
    [[nodiscard]] WEFT_API bool stopping() const noexcept;

    /// Called before and after a call that blocks the worker: a stand-in works in between, if the
    /// pool has extra threads.
    WEFT_API void begin_blocking(worker& caller) noexcept;
    WEFT_API void end_blocking(worker& caller) noexcept;

    weft::pool& public_pool;
    pool_number number;
    sleep_control sleep;
    const std::shared_ptr<const error_handler> errors;

protected:
    pool_front(weft::pool& shown, std::size_t workers,
               std::function<void(std::exception_ptr)> on_error)
        : public_pool{shown}, sleep{workers},
          errors{std::make_shared<error_handler>(error_handler{std::move(on_error)})} {}
    ~pool_front() = default;

    sync::atomic<bool> cancelling_{false};
};

} // namespace detail
} // namespace weft::inline v0
