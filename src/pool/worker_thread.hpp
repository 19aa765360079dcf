// The thread of a worker.
#pragma once

#include "pool/finder.hpp"
#include "pool/pool_core.hpp"

#include <weft/detail/pool/worker.hpp>

#include <cstddef>

namespace weft::inline v0::detail {

/// The life of a worker's thread: it runs what its finder finds, sleeps when there is nothing, and
/// ends when the pool is over. A stand-in waits on standby while no worker needs it.
class worker_thread {
public:
    worker_thread(pool_core& pool, worker& self) noexcept
        : pool_{&pool}, self_{&self}, finder_{pool, self} {}

    /// From the thread's first step to its last. The worker counts as searching.
    void run();

private:
    void work() noexcept;
    [[nodiscard]] finding search_or_sleep() noexcept;
    [[nodiscard]] finding find_next() noexcept;
    void wait_on_standby() noexcept;
    void sleep() noexcept;
    void run(finding found) noexcept;
    void run_source() noexcept;
    [[nodiscard]] bool is_surplus() const noexcept;

    pool_core* pool_;
    worker* self_;
    finder finder_;
    std::size_t next_source_ = 0;
};

} // namespace weft::inline v0::detail
