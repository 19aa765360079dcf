// What happens in the section of a stage: one thread at a time, and no user code.
#include "stage/stage_group_core.hpp"

#include <weft/detail/stage/stage_core.hpp>
#include <weft/detail/sync/model_constants.hpp>

#include <algorithm>
#include <utility>

namespace weft::inline v0::detail {

namespace {
constexpr std::size_t lanes = 128;
constexpr unsigned turns = 21; // of the levels: 16, 4 and 1
constexpr std::size_t level_of(const stage_node& node) noexcept {
    return static_cast<std::size_t>(node.level);
}
} // namespace

/// Places that pushes may have that owe room.
std::int64_t stage_core::room_for_owing() const noexcept {
    return room_.load(sync::relaxed) + static_cast<std::int64_t>(owing_.size());
}

void stage_core::serve(node_list& dropped) noexcept {
    while (stage_node* node = arrivals_.take_all()) {
        while (node != nullptr) {
            stage_node* after = node->next;
            if (node->pushed_by != nullptr) owing_.push_back(*node);
            place(*node);
            node = after;
        }
    }
    serve_unbegun();
    for (stage_node* node = returned_.take_all(); node != nullptr;) {
        stage_node* after = node->next;
        if (node->holds_lane) {
            key_lane& lane = lanes_[node->key % lanes];
            stage_node* head = lane.waiting.pop_front();
            lane.busy = head != nullptr;
            if (head != nullptr) {
                head->holds_lane = true;
                queue_[level_of(*head)].push_back(*head);
            }
        }
        program_->free(*node);
        node = after;
    }
    apply_limit();
    if (evictions_.load(sync::relaxed) != 0) evict(dropped);
    admit_owing();
    if (group_.has_pool_ended()) refuse_owing();
    kept_.store(queue_[0].size() + queue_[1].size() + queue_[2].size(), sync::relaxed);
}

/// What runs have given back goes to the front again, in its order. It has its room, and its lane.
void stage_core::serve_unbegun() noexcept {
    node_list reversed;
    for (stage_node* node = unbegun_.take_all(); node != nullptr;) {
        stage_node* after = node->next;
        reversed.push_front(*node);
        node = after;
    }
    while (stage_node* node = reversed.pop_front()) queue_[level_of(*node)].push_front(*node);
}

/// Items of a key that is busy wait in its lane. Whether it is busy is looked at again when the
/// item is taken: two of a key may be in the queue.
void stage_core::place(stage_node& node) noexcept {
    if (settings_.order == stage_order::submitted) node.level = priority::normal;
    if (settings_.keyed) {
        key_lane& lane = lanes_[node.key % lanes];
        if (lane.busy) return lane.waiting.push_back(node);
        lane.busy = true;
        node.holds_lane = true;
    }
    queue_[level_of(node)].push_back(node);
}

void stage_core::apply_limit() noexcept {
    const std::uint32_t capacity = capacity_.load(sync::relaxed);
    std::uint32_t wanted = capacity;
    if (control_ != nullptr) {
        control_->control.set_most(capacity);
        wanted = control_->control.limit();
    }
    const std::uint32_t before = limit_.load(sync::relaxed);
    if (wanted == before) return;
    room_.fetch_add(static_cast<std::int64_t>(wanted) - before, sync::relaxed);
    limit_.store(wanted, sync::relaxed);
}

void stage_core::admit_owing() noexcept {
    while (!owing_.empty() && room_for_owing() > 0) {
        stage_node* node = owing_.pop_front();
        waiting_push* push = std::exchange(node->pushed_by, nullptr);
        node->unwanted = !push->admitted(*push, false);
    }
}

/// No worker will give back room any more. Whoever ends the pool, and whoever pushes while it ends,
/// come through the section, so that the later of them sees both.
void stage_core::refuse_owing() noexcept {
    while (stage_node* node = owing_.pop_front()) {
        waiting_push* push = std::exchange(node->pushed_by, nullptr);
        node->unwanted = !push->admitted(*push, true);
    }
}

/// A node leaves the queue while it owes room: it needs none any more.
void stage_core::settle_owing(stage_node& leaving) noexcept {
    if (leaving.pushed_by == nullptr) return;
    owing_list rest;
    while (stage_node* node = owing_.pop_front()) {
        if (node != &leaving) rest.push_back(*node);
    }
    owing_ = std::move(rest);
    waiting_push* push = std::exchange(leaving.pushed_by, nullptr);
    leaving.unwanted = !push->admitted(*push, group_.has_pool_ended());
}

/// The least important first.
void stage_core::evict(node_list& dropped) noexcept {
    for (std::uint32_t left = evictions_.exchange(0, sync::relaxed); left != 0; --left) {
        if (room_for_owing() >= 0) return;
        stage_node* oldest = queue_[static_cast<std::size_t>(priority::low)].pop_front();
        if (oldest == nullptr) oldest = queue_[1].pop_front();
        if (oldest == nullptr) oldest = queue_[0].pop_front();
        for (std::size_t i = 0; oldest == nullptr && i < lanes_.size(); ++i) {
            oldest = lanes_[i].waiting.pop_front();
        }
        if (oldest == nullptr) return;
        settle_owing(*oldest);
        room_.fetch_add(1, sync::relaxed);
        dropped.push_back(*oldest);
    }
}

/// A level that has always items gets 16, 4 or 1 of 21 turns; the others' turns are its own if they
/// have none.
stage_node* stage_core::pop_next() noexcept {
    if (queue_[0].empty() && queue_[2].empty()) return queue_[1].pop_front();
    const unsigned turn = picks_++ % turns;
    const std::size_t first = turn < 16 ? 0 : turn < 20 ? 1 : 2;
    for (std::size_t i = 0; i < queue_.size(); ++i) {
        if (stage_node* node = queue_[(first + i) % queue_.size()].pop_front()) return node;
    }
    return nullptr;
}

bool stage_core::may_claim() const noexcept {
    // acquire, pairs with leave_budget() [STAGE-15]
    return active_.load(sync::acquire) < budget_.load(sync::relaxed) &&
           !paused_.load(sync::relaxed) &&
           // acquire, pairs with end_dispatch() [STAGE-22]
           (!one_dispatch_.load(sync::relaxed) || !dispatching_.load(sync::acquire));
}

/// How many items a run takes: what there is time for in a turn. If other workers may run the
/// stage, only a few, and only if they are short: what a run has taken waits for the items before
/// it.
std::size_t stage_core::amount() const noexcept {
    const std::uint64_t each = estimate_.load(sync::relaxed);
    if (settings_.pending_items) return 1;
    const std::size_t kept = kept_.load(sync::relaxed);
    const std::size_t batch = std::min<std::size_t>(settings_.batch, kept);
    if (each == 0) return std::max<std::size_t>(batch, 1); // nothing is known yet
    constexpr std::uint64_t turn = 20 * sync::tick_counter::in_microsecond;
    constexpr std::uint64_t shared_turn = 4 * sync::tick_counter::in_microsecond;
    const bool shared = budget_.load(sync::relaxed) > 1 && group_.concurrency() > 1;
    const std::size_t in_time = (shared ? shared_turn : turn) / each;
    const std::size_t most = shared ? constants::items_of_a_shared_run : constants::items_of_a_run;
    return std::max(std::clamp<std::size_t>(in_time, 1, most), batch);
}

void stage_core::take(node_list& items) noexcept {
    const std::size_t wanted = amount();
    for (std::size_t seen = kept_.load(sync::relaxed); seen != 0 && items.size() < wanted; --seen) {
        stage_node* node = pop_next();
        if (node == nullptr) break;
        if (node->pushed_by != nullptr) {
            if (!items.empty() && settings_.batch == 1 && !settings_.keyed) {
                // It has no room yet, and what is taken still has its own: not more than that.
                queue_[level_of(*node)].push_front(*node);
                break;
            }
            settle_owing(*node);
        }
        items.push_back(*node);
    }
    kept_.store(queue_[0].size() + queue_[1].size() + queue_[2].size(), sync::relaxed);
}

/// A run that was parked goes on; else a new one is claimed (ST1).
bool stage_core::claim(node_list& items) noexcept {
    parked_run* list = continuing_.load(sync::relaxed);
    if (list == nullptr) list = resumed_.take_all();
    if (list != nullptr) {
        continuing_.store(list->next, sync::relaxed);
        list->end_use();
        const bool surplus = active_.load(sync::relaxed) > budget_.load(sync::relaxed);
        const bool may_take = !surplus && !paused_.load(sync::relaxed);
        if (may_take && !settings_.ordered_dispatch) take(items);
        if (!items.empty()) return true;
        leave_budget();
        return false;
    }
    if (!may_claim()) return false;
    take(items);
    if (items.empty()) return false;
    active_.fetch_add(1, sync::relaxed);
    if (settings_.ordered_dispatch) dispatching_.store(true, sync::relaxed);
    return true;
}

} // namespace weft::inline v0::detail
