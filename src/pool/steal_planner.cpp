#include "pool/steal_planner.hpp"

#include <algorithm>

namespace weft::inline v0::detail {

steal_planner::steal_planner(std::size_t workers, std::size_t extra, planning when)
    : orders{workers + extra}, workers_{workers}, when_{when}, sizes_(workers + extra),
      promised_(workers + extra) {
    members_.reserve(sizes_.size());
    before_.reserve(sizes_.size());
    after_.reserve(sizes_.size());
    moves_.reserve(sizes_.size());
}

void steal_planner::count_orders_under_way() noexcept {
    std::ranges::fill(promised_, 0);
    for (std::size_t each = 0; each != sizes_.size(); ++each) {
        const steal_order order = orders.look(each);
        if (!order || !orders.is_hungry(each)) continue;
        std::size_t& victim_size = sizes_[order.victim()];
        promised_[each] = std::min(order.count(), victim_size);
        victim_size -= promised_[each];
    }
}

void steal_planner::make_moves() noexcept {
    count_orders_under_way();
    moves_.clear();
    members_.clear();
    before_.clear();
    if (when_ == planning::when_one_is_idle) make_exact_moves();
    else make_hybrid_moves();
    for (balance::move& each : moves_) {
        each.source = members_[each.source];
        each.destination = members_[each.destination];
    }
}

/// Plans for the workers that have tasks and those that are hungry. A worker that runs a task
/// counts it in addition to its queue, and keeps it: there are more tasks than members, so that the
/// smallest quota is one.
void steal_planner::make_hybrid_moves() noexcept {
    std::size_t idle = 0;
    std::size_t queued = 0;
    for (std::size_t each = 0; each != sizes_.size(); ++each) {
        const bool hungry = orders.is_hungry(each);
        const std::size_t has = sizes_[each] + promised_[each];
        queued += sizes_[each];
        if (!hungry && has == 0) continue;
        if (has == 0) ++idle;
        members_.push_back(each);
        before_.push_back(has + (hungry ? 0 : 1));
    }
    if (!balance::worth_a_plan(idle, workers_, queued)) return;
    after_.assign(before_.begin(), before_.end());
    balance::balance_least(after_);
    balance::moves_between(before_, after_, moves_);
}

/// Plans for all workers that are not on standby, by the sizes of their queues, as the paper does
/// with the lists of its cores.
void steal_planner::make_exact_moves() noexcept {
    for (std::size_t each = 0; each != sizes_.size(); ++each) {
        const std::size_t has = sizes_[each] + promised_[each];
        if (each >= workers_ && has == 0 && !orders.is_hungry(each)) continue;
        members_.push_back(each);
        before_.push_back(has);
    }
    if (!balance::needs_balance(before_)) return;
    after_.assign(before_.begin(), before_.end());
    balance::multi_steal(after_);
    balance::moves_between(before_, after_, moves_);
}

} // namespace weft::inline v0::detail
