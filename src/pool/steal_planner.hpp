// Plans for all workers of a pool at once, made by one that has nothing to do.
#pragma once

#include "balance/plan.hpp"
#include "pool/steal_orders.hpp"

#include <weft/pool.hpp>

#include <cstddef>
#include <vector>

namespace weft::inline v0::detail {

/// Reads the sizes of all queues, and gives each worker that should have more an order to fetch it.
/// Neither waits nor allocates. Queues are taken as if the hungry carried out the orders they have:
/// so what was just planned is not planned again. An order whose victim has nothing left counts for
/// nothing, and neither does that of a worker that has found something else, for that may take
/// long, or that waits on standby.
class steal_planner {
public:
    /// For this many workers, and those that stand in for them while they block.
    steal_planner(std::size_t workers, std::size_t extra, planning when);

    steal_orders orders;

    /// Whether a look at all queues may be worth it, with this many workers idle.
    [[nodiscard]] bool may_pay(std::size_t idle) const noexcept {
        return when_ == planning::when_one_is_idle || idle >= workers_ / 4;
    }

    /// By a hungry worker: plans if that pays and no other does, and returns how many orders it
    /// gave. `queued(i)` is how many tasks worker i has in its queue, `wake(i)` ends its sleep if
    /// it sleeps.
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

    // Of the worker that plans; as long as they will ever be.
    std::vector<std::size_t> sizes_;    // of the queues
    std::vector<std::size_t> promised_; // by orders under way
    std::vector<std::size_t> members_;  // those between whom tasks are moved
    std::vector<std::size_t> before_;   // theirs
    std::vector<std::size_t> after_;
    std::vector<balance::move> moves_;
};

} // namespace weft::inline v0::detail
