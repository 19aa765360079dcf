// What the workers of a pool share.
#pragma once

#include "lockfree/event_count.hpp"
#include "lockfree/intake.hpp"
#include "pool/cpu_placement.hpp"
#include "pool/outside_blocks.hpp"
#include "pool/pool_end.hpp"
#include "pool/source_list.hpp"
#include "pool/standby.hpp"
#include "pool/steal_planner.hpp"
#include "pool/thread_stacks.hpp"
#include "pool/time_slot.hpp"

#include <weft/api.hpp>
#include <weft/detail/lockfree/inbox.hpp>
#include <weft/detail/pool/pool_front.hpp>
#include <weft/detail/pool/pool_number.hpp>
#include <weft/detail/pool/sleep.hpp>
#include <weft/detail/pool/time_source.hpp>
#include <weft/detail/pool/worker.hpp>
#include <weft/detail/sync/model_constants.hpp>
#include <weft/detail/sync/mutex.hpp>
#include <weft/detail/sync/thread.hpp>
#include <weft/pool.hpp>
#include <weft/priority.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace weft::inline v0::detail {

/// Tasks from outside the pool, an inbox for each priority.
class arrivals_by_priority {
public:
    [[nodiscard]] inbox<task>& operator[](priority level) noexcept {
        return inboxes_[static_cast<std::size_t>(level)];
    }
    [[nodiscard]] const inbox<task>& operator[](priority level) const noexcept {
        return inboxes_[static_cast<std::size_t>(level)];
    }

private:
    std::array<inbox<task>, 3> inboxes_;
};

class pool_core : public pool_front {
public:
    /// The options must have no zeros that stand for defaults.
    pool_core(weft::pool& shown, const pool_options& complete);
    ~pool_core();
    pool_core(const pool_core&) = delete;
    pool_core& operator=(const pool_core&) = delete;

    /// Starts the threads. If one cannot be created, throws, and none is left.
    void start();

    void stop(on_stop mode);
    /// Whether all work is done, and the threads end.
    [[nodiscard]] bool over() const noexcept { return end_.over(); }
    /// Checks whether the pool is over, and if it is, wakes all workers.
    bool look_for_end() noexcept;

    /// Returns when no worker has anything to do.
    void wait_idle();

    /// Whether a worker would find something; an estimate while others run. It checks every place
    /// that a `finder` does.
    [[nodiscard]] bool has_work() const noexcept;

    // Timers

    /// The pool's time source; `make()` makes it, if it has none yet. Any thread.
    template <class Make>
    [[nodiscard]] time_source& time(Make make) {
        time_source* found = time_.find();
        return found != nullptr ? *found : time_.keep(make());
    }
    /// Fires some of the timers that are due; returns whether there were any. Not inlined: it is
    /// called rarely, from code that is not.
    bool fire_due(worker& caller) noexcept;
    /// Called by a worker that has found nothing to do: true if the pool is stopping and has timers
    /// that have not ended. Then it has tried to end some, and must not fall asleep.
    bool fire_last(worker& caller) noexcept;
    /// When a worker has to look, or `no_alarm`.
    [[nodiscard]] alarm_time next_alarm() const noexcept {
        const time_source* source = time_.find();
        return source != nullptr ? source->next_alarm() : no_alarm;
    }
    /// Whether a search or a sleeper that is woken would be of use: there is work, or an alarm that
    /// no sleeper waits for.
    [[nodiscard]] bool needs_worker() const noexcept {
        return has_work() || sleep.is_unwatched(next_alarm());
    }

    const pool_options options;
    // Filled by any thread, emptied by workers:
    detail::intake intake;
    arrivals_by_priority arrivals;
    mutable source_list sources; // visiting it counts the visitor in it
    // Shared by the workers:
    cpu_placement placement;
    standby stand_ins;
    task_block_depot blocks; // lives longer than the workers
    large_block_depot large_blocks;
    outside_blocks<task_block_depot, constants::outside_cells> blocks_for_others{blocks};
    std::vector<std::unique_ptr<worker>> workers;
    std::vector<std::unique_ptr<thread_stacks>> stacks; // of each worker, if there are several
    std::unique_ptr<steal_planner> planner;             // or null, if the policy wants no plans

    /// The worker with this index; those of side stacks come after the others.
    [[nodiscard]] worker& worker_at(std::size_t index) const noexcept {
        if (index < workers.size()) return *workers[index];
        const std::size_t side = index - workers.size();
        return stacks[side / constants::side_stacks]->side(side % constants::side_stacks);
    }

private:
    class child_memory;
    void start_thread(worker& self);
    void prepare_wait(const char* call) const;
    [[nodiscard]] bool is_idle() const noexcept;
    [[nodiscard]] bool has_due() const noexcept;

    sync::mutex stopping_;
    pool_end end_{intake, sleep};
    event_count idle_; // where callers of wait_idle sleep
    std::unique_ptr<child_memory> children_;
    std::vector<sync::thread> threads_;
    time_slot time_;
};

inline pool_core& worker::core() const noexcept { return static_cast<pool_core&>(*pool_); }

} // namespace weft::inline v0::detail
