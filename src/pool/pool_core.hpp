// What the workers of a pool share.
#pragma once

#include "lockfree/event_count.hpp"
#include "lockfree/intake.hpp"
#include "pool/pool_end.hpp"
#include "pool/source_list.hpp"
#include "pool/steal_planner.hpp"

#include <weft/api.hpp>
#include <weft/detail/lockfree/inbox.hpp>
#include <weft/detail/pool/pool_front.hpp>
#include <weft/detail/pool/pool_number.hpp>
#include <weft/detail/pool/sleep.hpp>
#include <weft/detail/pool/worker.hpp>
#include <weft/detail/sync/mutex.hpp>
#include <weft/detail/sync/thread.hpp>
#include <weft/pool.hpp>

#include <memory>
#include <vector>

namespace weft::inline v0::detail {

class pool_core : public pool_front {
public:
    /// Of options without zeros that stand for something else.
    pool_core(weft::pool& face, const pool_options& complete);
    ~pool_core();
    pool_core(const pool_core&) = delete;
    pool_core& operator=(const pool_core&) = delete;

    /// Starts the threads. If one cannot be had this throws, and none is left.
    void start();

    void stop(on_stop how);
    /// Everything was done, and the threads end.
    [[nodiscard]] bool over() const noexcept { return end_.over(); }
    /// Looks whether that is so, and if it is, wakes all.
    bool look_for_end() noexcept;

    /// Returns when no worker has anything to do.
    void wait_idle();

    /// Whether a worker would find something; a guess while others run.
    [[nodiscard]] bool has_work() const noexcept;
    // Workers beyond the pool's number stand in for those that block: as many as block, the others
    // wait on the bench.
    void call_stand_in() noexcept;
    void dismiss_stand_in() noexcept;
    [[nodiscard]] bool is_surplus(const worker& each) const noexcept;
    void wait_on_bench(worker& spare) noexcept;

    const pool_options options;
    const std::vector<std::size_t> cpus; // that workers may run on
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
    task_block_depot blocks;     // lives longer than the workers
    large_block_depot large_blocks;
    std::vector<std::unique_ptr<worker>> workers;
    std::unique_ptr<steal_planner> planner; // or null, if the policy wants no plans

private:
    class slot_memory;
    [[nodiscard]] bool is_idle() const noexcept;

    sync::mutex stopping_;
    pool_end end_{gate, sleep};
    event_count idle_; // where callers of wait_idle sleep
    sync::atomic<std::size_t> blocked_{0};
    std::unique_ptr<slot_memory> slots_;
    std::vector<sync::thread> threads_;
};

inline pool_core& worker::core() const noexcept { return static_cast<pool_core&>(*pool_); }

} // namespace weft::inline v0::detail
