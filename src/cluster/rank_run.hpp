// One run on one rank: workers that run tasks, and the right to talk to other ranks.
#pragma once

#include "cluster/exchange.hpp"
#include "cluster/mpi_network.hpp"

#include <weft/detail/cluster/task_store.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/mutex.hpp>
#include <weft/pool.hpp>

#include <cstddef>
#include <vector>

namespace weft::inline v0::detail {

/// A work source of the pool. Whichever thread comes first talks to the other ranks: workers
/// between two tasks, and the thread that called `run`, which is awake rarely while workers
/// compute. It is one thread at a time, as MPI_THREAD_SERIALIZED asks for; none waits for the right
/// to talk.
class rank_run final : public work_source, public worker_guide {
public:
    /// Without a pool, the thread that called `run` also runs the tasks.
    rank_run(mpi_network& messages, task_store& tasks, pool* workers, std::size_t seats,
             const cluster_run_options& options);
    ~rank_run() override;

    /// Until a verdict. For the thread that called `run`, as the others.
    [[nodiscard]] verdict work();
    /// Workers return, and all messages have arrived.
    void rest();
    /// After a verdict of pause, and a rest.
    void go_on();

    [[nodiscard]] const exchange& talk() const noexcept { return exchange_; }

    // work_source
    bool try_run() noexcept override;
    [[nodiscard]] bool has_work() const noexcept override { return tasks_->has_work(); }

    // worker_guide
    [[nodiscard]] advice between_tasks(std::size_t seat) noexcept override;
    void notify() noexcept override;

private:
    /// What the worker in a seat remembers.
    struct alignas(64) pace {
        double asked = 0;
        double began = 0; // since when it has not returned to the pool
        unsigned tasks = 1;
    };

    void step(std::size_t seat) noexcept;
    [[nodiscard]] bool try_step(std::size_t seat, double now, double least) noexcept;
    void keep_time(double now);
    void nap(patience& waiting);

    mpi_network* messages_;
    task_store* tasks_;
    pool* pool_;
    const cluster_run_options* options_;
    sync::mutex talking_; // tried only
    exchange exchange_;   // of the thread that talks, as the next two
    double stepped_ = 0;
    bool has_verdict_ = false;
    sync::atomic<bool> is_lively_{true};
    sync::atomic<bool> is_over_{false};
    std::vector<pace> paces_;
    // Of the thread that called `run`.
    double next_progress_ = 0;
    double next_checkpoint_ = 0;
    std::uint64_t progress_round_ = 0;
};

} // namespace weft::inline v0::detail
