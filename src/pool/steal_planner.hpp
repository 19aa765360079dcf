// Plans for all workers of a pool at once, made by a worker without work.
#pragma once

#include "balance/plan.hpp"
#include "pool/steal_orders.hpp"

#include <weft/pool.hpp>

#include <cstddef>
#include <vector>

namespace weft::inline v0::detail {

/// Reads the sizes of all queues, and gives each worker that should have more an order to fetch it.
/// Neither waits nor allocates. Queue sizes are counted as if hungry workers had carried out the
/// orders they have: so what was just planned is not planned again. Ignored are orders whose victim
/// has nothing left, and those of workers that have found something else, which may take long, or
/// that are on standby.
class steal_planner {
public:
    /// For this number of workers, and the extra threads.
    steal_planner(std::size_t workers, std::size_t extra, planning when);

    steal_orders orders;

    /// Whether reading all queues may be worth its cost, with this many workers idle.
    [[nodiscard]] bool may_pay(std::size_t idle) const noexcept {
        return when_ == planning::when_one_is_idle || balance::many_are_idle(idle, workers_);
    }

    /// Called by a hungry worker: makes a plan if that is worth its cost and no other worker is
    /// planning, and returns how many orders it gave. `queued(i)` is how many tasks worker i has in
    /// its queue, `wake(i)` ends its sleep if it sleeps.
    template <class Queued, class Wake>
    std::size_t try_plan(Queued queued, Wake wake) noexcept {
        if (!orders.try_begin_plan()) return 0;
        for (std::size_t each = 0; each != sizes_.size(); ++each) sizes_[each] = queued(each);
        make_moves();
        // A worker that has an order may have fallen asleep over it, if it came late.
        for (std::size_t each = 0; each != sizes_.size(); ++each) {
            if (promised_[each] != 0) wake(each);
        }
        std::size_t given = 0;
        for (const balance::move& each : moves_) {
            if (promised_[each.destination] != 0) continue; // one order at a time
            promised_[each.destination] = each.count;
            orders.give(each.destination, {each.source, each.count});
            if (orders.is_hungry(each.destination)) wake(each.destination);
            ++given;
        }
        orders.end_plan();
        return given;
    }

private:
    void count_orders_under_way() noexcept;
    void make_moves() noexcept;
    void make_hybrid_moves() noexcept;
    void make_exact_moves() noexcept;

    const std::size_t workers_;
    const planning when_;

    // Used by the worker that plans; allocated with their largest size.
    std::vector<std::size_t> sizes_;    // of the queues
    std::vector<std::size_t> promised_; // by orders under way
    std::vector<std::size_t> members_;  // the workers between which tasks are moved
    std::vector<std::size_t> before_;   // the queue sizes of the members
    std::vector<std::size_t> after_;
    std::vector<balance::move> moves_;
};

} // namespace weft::inline v0::detail
