// What the workers of a pool share.
#pragma once

#include "lockfree/inbox.hpp"
#include "lockfree/intake.hpp"
#include "pool/pool_end.hpp"
#include "pool/pool_number.hpp"
#include "pool/sleep.hpp"
#include "pool/source_list.hpp"
#include "pool/steal_planner.hpp"
#include "pool/worker.hpp"
#include "sync/mutex.hpp"
#include "sync/thread.hpp"

#include <weft/api.hpp>
#include <weft/pool.hpp>

#include <memory>
#include <vector>

namespace weft::inline v0::detail {

/// Where the exceptions go that nobody asks for; lives as long as there may be some.
struct error_handler {
    std::function<void(std::exception_ptr)> on_error;
    WEFT_API void report(std::exception_ptr error) const noexcept;
};

class pool_core {
public:
    pool_core(weft::pool& face, pool_options how);
    ~pool_core();
    pool_core(const pool_core&) = delete;
    pool_core& operator=(const pool_core&) = delete;

    /// Starts the threads. If one cannot be had this throws, and none is left.
    void start();

    /// A task from outside, or from a worker of another pool.
    [[nodiscard]] WEFT_API bool submit_from_outside(task& ready,
                                                    band where = band::normal) noexcept;

    void stop(on_stop how);
    [[nodiscard]] bool stopping() const noexcept { return gate.closed(); }
    /// Queued tasks are to end without being run.
    [[nodiscard]] bool cancelling() const noexcept { return cancelling_.load(sync::relaxed); }
    /// Everything was done, and the threads end.
    [[nodiscard]] bool over() const noexcept { return end_.over(); }
    /// Looks whether that is so, and if it is, wakes all.
    bool look_for_end() noexcept;

    /// Whether a worker would find something; a guess while others run.
    [[nodiscard]] bool has_work() const noexcept;
    // Workers beyond the pool's number stand in for those that block: as many as block, the others
    // wait on the bench.
    WEFT_API void begin_blocking(worker& here) noexcept;
    WEFT_API void end_blocking(worker& here) noexcept;
    [[nodiscard]] bool is_surplus(const worker& each) const noexcept;
    void wait_on_bench(worker& spare) noexcept;

    weft::pool& face;
    const pool_options options;
    const std::vector<std::size_t> cpus; // that workers may run on
    pool_number number;
    sleep_control sleep;
    intake gate;
    inbox<task> arrivals;
    inbox<task> urgent_arrivals;
    inbox<task> unhurried_arrivals;
    [[nodiscard]] inbox<task>& arrivals_of(band which) noexcept {
        return which == band::normal ? arrivals
               : which == band::high ? urgent_arrivals
                                     : unhurried_arrivals;
    }
    mutable source_list sources; // looking at it leaves a trace in it
    const std::shared_ptr<const error_handler> errors;
    task_block_depot blocks; // lives longer than the workers
    large_block_depot large_blocks;
    std::vector<std::unique_ptr<worker>> workers;
    std::unique_ptr<steal_planner> planner; // or null, if the policy wants no plans

private:
    class slot_memory;

    sync::mutex stopping_;
    sync::atomic<bool> cancelling_{false};
    pool_end end_{gate, sleep};
    sync::atomic<std::size_t> blocked_{0};
    std::unique_ptr<slot_memory> slots_;
    std::vector<sync::thread> threads_;
};

inline void worker::push(task& ready) {
    tasks.owner_push(&ready);
    if (has_siblings()) pool_->sleep.notify();
}

} // namespace weft::inline v0::detail
