// Loads of the simulator in a real pool.
#pragma once

#include "sim/load.hpp"
#include "sim/scheduler.hpp"

#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/clock.hpp>
#include <weft/detail/sync/thread.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace weft::cli {

/// The policy of the pool that the simulator's stands for. Throws std::invalid_argument if there is none.
[[nodiscard]] std::shared_ptr<const stealing_policy> real_policy(sim::policy which);

/// Computes for nothing.
void churn(std::uint64_t rounds) noexcept;

/// A pool in which one task leads while all other workers compute for nothing, until they are let go. So what is measured
/// begins when everything is in its place, and at the speed that a CPU has while the others are busy.
class held_pool {
public:
    held_pool(std::size_t workers, std::shared_ptr<const stealing_policy> policy);

    /// Returns when the body has; whoever is held then still is.
    template <class Body>
    void lead(Body body) {
        held_.store(true, sync::relaxed);
        for (std::size_t each = 1; each < pool_.workers(); ++each) {
            pool_.submit([this] { be_held(); });
        }
        pool_.run([&] {
            while (here_.load(sync::relaxed) + 1 < pool_.workers()) sync::yield();
            body();
            note_begin();
        });
    }
    void let_go() noexcept { held_.store(false, sync::relaxed); }
    [[nodiscard]] pool& workers() noexcept { return pool_; }
    /// What a run took from the moment when the others were let go.
    struct ending {
        sync::clock::time_point at; // when the last worker had nothing left to do
        double cpu;                 // nanoseconds of CPU time of all workers
    };
    /// Runs all that is queued.
    ending finish();

private:
    void be_held() noexcept;
    void note_begin() noexcept;

    struct worker_end {
        sync::clock::time_point at;
        double cpu = 0;
    };
    std::vector<worker_end> ends_; // of each worker, which alone writes there
    sync::atomic<std::size_t> here_{0};
    sync::atomic<bool> held_{false};
    pool pool_;
};

/// The tasks of a load as tasks of a pool: each computes as long as the load says, then submits its children.
class real_load {
public:
    real_load(const sim::load& what, pool& on, double rounds_per_nanosecond)
        : what_{&what}, on_{&on}, rounds_per_nanosecond_{rounds_per_nanosecond},
          made_(on.workers()) {}

    void submit(const sim::task& one);
    void run(const sim::task& one);

private:
    const sim::load* what_;
    pool* on_;
    double rounds_per_nanosecond_;
    std::vector<std::vector<sim::task>> made_; // for each worker
};

/// Rounds of `churn` in a nanosecond, on one worker while the others are busy too.
[[nodiscard]] double measure_speed(std::size_t workers);

/// Nanoseconds.
struct real_time {
    double makespan;
    double
        cpu; // of each worker, on average: what the makespan would be if nobody else had used the CPUs
};

/// With all first tasks in one queue.
[[nodiscard]] real_time run_for_real(const sim::load& what, std::size_t workers, sim::policy how,
                                     double rounds_per_nanosecond);

} // namespace weft::cli
