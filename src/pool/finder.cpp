#include "pool/finder.hpp"

#include <weft/detail/sync/model_constants.hpp>
#include <weft/detail/sync/thread.hpp>

#include <algorithm>
#include <utility>

namespace weft::inline v0::detail {

// Places

/// They go into the queue youngest first: so the oldest of them comes out next.
template <>
finding places::arrivals<priority::normal>::take(finder& caller) noexcept {
    task* first = caller.pool_->arrivals[priority::normal].take_all();
    if (first == nullptr) return {};
    task* youngest = nullptr;
    for (task* each = first->next; each != nullptr;) {
        task* after = each->next;
        each->next = youngest;
        youngest = each;
        each = after;
    }
    const bool more = youngest != nullptr;
    while (youngest != nullptr) caller.self_->keep(*std::exchange(youngest, youngest->next));
    if (more) caller.pool_->sleep.notify(); // for a while they were in no queue
    return first;
}

/// They go behind those that are in the queue: within a priority no task is overtaken for ever.
/// Usually there are none, and checking that costs one load.
template <priority Level>
finding places::arrivals<Level>::take(finder& caller) noexcept {
    task* arrived = caller.pool_->arrivals[Level].take_all();
    if (arrived == nullptr) return {};
    task* first = nullptr;
    if (!queue<Level>::has_work(*caller.self_)) first = std::exchange(arrived, arrived->next);
    const bool more = arrived != nullptr;
    while (arrived != nullptr) {
        caller.self_->keep(*std::exchange(arrived, arrived->next), Level);
    }
    if (more) caller.pool_->sleep.notify(); // for a while they were in no queue
    return first;
}

template <priority Level>
finding places::queue<Level>::take(finder& caller, worker& owner) noexcept {
    // Usually there are no tasks of other priorities, which a load shows without a fence.
    if (Level != priority::normal && !has_work(owner)) return {};
    const finding found = take_one(owner);
    if (Level == priority::normal && found && &owner != caller.self_) {
        const std::size_t available = owner.queues.normal.count() + 1;
        const std::size_t wanted = caller.pool_->options.stealing->amount(available);
        caller.take_more(owner, std::max<std::size_t>(wanted, 1) - 1);
    }
    return found;
}

/// In a long queue the next ones were written by another CPU, or long ago: they come into the cache
/// while others run.
template <>
finding places::queue<priority::normal>::take_youngest(worker& owner) noexcept {
    constexpr std::int64_t ahead = 3;
    if (const task* later = owner.queues.normal.owner_look_ahead(ahead)) {
        sync::prefetch(later, block_cache::block_size);
    }
    return owner.queues.normal.owner_pop();
}

finding places::shared_children::take(finder& /*caller*/, worker& owner) noexcept {
    if (scoped_child* child = owner.scoped.steal()) return {*child, owner};
    owner.request_share();
    return {};
}

bool places::sources::has_work(const pool_core& pool) noexcept {
    return !pool.stopping() &&
           pool.sources.visit([](work_source& each) { return each.has_work(); });
}

finding places::sources::take(finder& caller) noexcept {
    return has_work(*caller.pool_) ? finding::source() : finding{};
}

// The steps

finding finder::find_near() noexcept {
    using namespace places;
    if (self_->is_oldest_due_now()) {
        pool_->fire_due(*self_);
        if (finding found = find_oldest()) return found;
    }
    if (finding found = find_with_priority<priority::high>()) return found;
    if (finding found = find_own()) return found;
    if (finding found = known<arrivals<priority::normal>>::take(*this)) return found;
    return known<sources>::take(*this);
}

finding finder::find_own() noexcept {
    using namespace places;
    return known<queue<priority::normal>>::take_youngest(*self_);
}

finding finder::find_left() noexcept {
    using namespace places;
    if (finding found = known<queue<priority::high>>::take(*this, *self_)) return found;
    if (finding found = find_own()) return found;
    return known<queue<priority::low>>::take(*this, *self_);
}

template <priority Level>
finding finder::find_with_priority() noexcept {
    using namespace places;
    if (finding found = known<arrivals<Level>>::take(*this)) return found;
    return known<queue<Level>>::take(*this, *self_);
}

finding finder::find_oldest() noexcept {
    using namespace places;
    constexpr unsigned kinds = 4;
    const unsigned turn = self_->oldest_turn();
    for (unsigned i = 0; i < kinds; ++i) {
        finding found;
        switch ((turn + i) % kinds) {
        case 0: found = known<arrivals<priority::normal>>::take(*this); break;
        case 1: found = known<sources>::take(*this); break;
        case 2: found = known<queue<priority::normal>>::take(*this, *self_); break;
        default: found = find_with_priority<priority::low>();
        }
        if (found) return found;
    }
    return {};
}

finding finder::search() noexcept {
    for (unsigned round = 0; round < constants::search_rounds; ++round) {
        if (finding found = find_near()) return found;
        if (finding found = find_by_plan(round)) return found;
        if (finding found = steal_at_random()) return found;
        if (finding found = find_with_priority<priority::low>()) return found;
        sync::pause();
    }
    return {};
}

// Stealing

finding finder::steal_at_random() noexcept {
    const auto& all = pool_->workers;
    if (all.size() < 2) return {};
    std::size_t victim = random_below(all.size() - 1);
    if (victim >= self_->index()) ++victim; // never the worker itself
    return steal(*all[victim]);
}

finding finder::steal(worker& victim) noexcept {
    self_->counts.steals_tried.count();
    finding found = places::of_worker::take(*this, victim);
    if (!found) found = steal_from_side(victim);
    if (found) self_->counts.steals_won.count();
    return found;
}

/// Children of a side stack that has shared none are asked for, as those of the worker are.
finding finder::steal_from_side(const worker& victim) noexcept {
    if (victim.stacks == nullptr) return {};
    worker* side = places::find_side(victim);
    if (side != nullptr) return places::of_worker::take(*this, *side);
    victim.stacks->find_active([](worker& each) {
        each.request_share();
        return false;
    });
    return {};
}

/// Into its own queue, the oldest first. Not for a stand-in: it would have to run them all before
/// it goes back to standby.
void finder::take_more(worker& victim, std::size_t wanted) noexcept {
    if (pool_->stand_ins.is_stand_in(self_->index())) return;
    std::size_t taken = 0;
    for (; taken < wanted; ++taken) {
        task* more = places::known<places::queue<priority::normal>>::take_one(victim);
        if (more == nullptr) break;
        self_->keep(*more);
    }
    if (taken > 0) pool_->sleep.notify(); // for a while they were in no queue
}

/// Orders are about tasks of normal priority; one of high priority goes before them. At most half
/// of what is in the queue now: the order may be old, and a victim must not be left with less than
/// the worker that takes from it.
finding finder::carry_out_order() noexcept {
    using namespace places;
    const steal_order order = pool_->planner->orders.owner_take(self_->index());
    if (!order) return {};
    worker& victim = *pool_->workers[order.victim()];
    self_->counts.steals_tried.count();
    finding found = known<queue<priority::high>>::take(*this, victim);
    if (!found) {
        const std::size_t half = balance::half_of(victim.queues.normal.count(), steal_order::most);
        const std::size_t wanted = std::min(order.count(), half);
        if (wanted > 0) found = known<queue<priority::normal>>::take_one(victim);
        if (!found) return {};
        self_->counts.orders_carried.count();
        take_more(victim, wanted - 1);
    }
    self_->counts.steals_won.count();
    return found;
}

/// Carries out the order that another worker has planned for this one, or plans itself.
finding finder::find_by_plan(unsigned round) noexcept {
    steal_planner* planner = pool_->planner.get();
    if (planner == nullptr) return {};
    if (finding found = carry_out_order()) return found;
    sleep_control& sleep = pool_->sleep;
    if (round % constants::rounds_between_plans != 0 || !planner->may_pay(sleep.idle())) return {};
    const auto& all = pool_->workers;
    const std::size_t given =
        planner->try_plan([&all](std::size_t each) { return all[each]->queues.normal.count(); },
                          [&sleep](std::size_t each) { sleep.wake(each); });
    if (given == 0) return {};
    self_->counts.orders_given.count(given);
    return carry_out_order();
}

void finder::set_hungry(bool hungry) noexcept {
    if (pool_->planner) pool_->planner->orders.owner_set_hungry(self_->index(), hungry);
}

std::size_t finder::random_below(std::size_t count) noexcept {
    random_state_ ^= random_state_ << 13;
    random_state_ ^= random_state_ >> 7;
    random_state_ ^= random_state_ << 17;
    return static_cast<std::size_t>(random_state_ % count);
}

} // namespace weft::inline v0::detail
