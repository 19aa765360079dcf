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

/// The pool's policy that the simulator's one models. Throws std::invalid_argument if there is
/// none.
[[nodiscard]] std::shared_ptr<const stealing_policy> real_policy(sim::policy policy);

/// Keeps the CPU busy.
void churn(std::uint64_t rounds) noexcept;

/// A pool in which one task leads while all other workers are held in a busy loop, until they are
/// released. So a measurement starts when everything is in place, and at the speed of a CPU whose
/// neighbours are busy.
class held_pool {
public:
    held_pool(std::size_t workers, std::shared_ptr<const stealing_policy> policy);

    /// Returns when the body has; workers that are held then remain so.
    template <class Body>
    void lead(Body body) {
        held_.store(true, sync::relaxed);
        for (std::size_t each = 1; each < pool_.workers(); ++each) {
            pool_.submit([this] { hold(); });
        }
        pool_.run([&] {
            while (arrived_.load(sync::relaxed) + 1 < pool_.workers()) sync::yield();
            body();
            note_begin();
        });
    }
    void release() noexcept { held_.store(false, sync::relaxed); }
    [[nodiscard]] pool& workers() noexcept { return pool_; }
    /// The end of a run, and its cost since the release.
    struct ending {
        sync::clock::time_point time; // when the last worker ran out of work
        double cpu;                   // CPU time of all workers, in nanoseconds
    };
    /// Runs all queued tasks, and stops the pool.
    ending finish();

private:
    void hold() noexcept;
    void note_begin() noexcept;

    struct worker_end {
        sync::clock::time_point time;
        double cpu = 0;
    };
    std::vector<worker_end> ends_; // one for each worker, which alone writes it
    sync::atomic<std::size_t> arrived_{0};
    sync::atomic<bool> held_{false};
    pool pool_;
};

/// The tasks of a load as tasks of a pool: each computes for the length that the load gives, then
/// submits its children.
class real_load {
public:
    real_load(const sim::load& load, pool& workers, double rounds_per_nanosecond)
        : load_{&load}, pool_{&workers}, rounds_per_nanosecond_{rounds_per_nanosecond},
          made_(workers.workers()) {}

    void submit(const sim::task& one);
    void run(const sim::task& one);

private:
    const sim::load* load_;
    pool* pool_;
    double rounds_per_nanosecond_;
    std::vector<std::vector<sim::task>> made_; // one for each worker
};

/// Rounds of `churn` in a nanosecond, on one worker while the others are busy too.
[[nodiscard]] double measure_speed(std::size_t workers);

/// Nanoseconds.
struct real_time {
    double makespan;
    double cpu; // mean of the workers: the makespan if no other process had used the CPUs
};

/// Runs a load in a real pool, with all first tasks in one queue.
[[nodiscard]] real_time run_for_real(const sim::load& load, std::size_t workers, sim::policy policy,
                                     double rounds_per_nanosecond);

} // namespace weft::cli
