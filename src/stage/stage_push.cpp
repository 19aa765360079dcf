// Pushes into a stage, and what happens when it is full.
#include "stage/circle_search.hpp"
#include "stage/stage_group_core.hpp"

#include <weft/detail/stage/stage_core.hpp>
#include <weft/detail/sync/fence.hpp>
#include <weft/detail/sync/memory.hpp>
#include <weft/error.hpp>

#include <string>
#include <utility>

namespace weft::inline v0::detail {

bool stage_core::try_take_room() noexcept {
    std::int64_t now = room_.load(sync::relaxed);
    for (;;) {
        if (now <= 0) {
            // A run that pushes into its own stage: what it has begun needs no room any more.
            stage_run* run = stage_run::current();
            if (run == nullptr || run->begun == 0 || &run->owner != this) return false;
            give_room_of(*run);
            now = room_.load(sync::relaxed);
            continue;
        }
        if (room_.compare_exchange_weak(now, now - 1, sync::relaxed, sync::relaxed)) return true;
    }
}

bool stage_core::try_push(stage_node& node) noexcept {
    if (!try_take_room()) return false;
    enter(node);
    return true;
}

void stage_core::refuse(const char* call) {
    count_refused();
    throw error{errc::full, call};
}

bool stage_core::push_or_owe(stage_node& node, waiting_push& waiting) noexcept {
    if (try_push(node)) return true;
    node.pushed_by = &waiting;
    const bool had_room = room_.fetch_sub(1, sync::relaxed) > 0;
    if (had_room) node.pushed_by = nullptr;
    enter(node);
    // The push may come when room was given back already, to none: whoever is in the section last
    // sees both.
    if (!had_room) ask_for_service();
    return had_room;
}

/// With room it is admitted by whoever is in the section next.
void stage_core::push_held(stage_node& node, waiting_push& waiting) noexcept {
    node.pushed_by = &waiting;
    room_.fetch_sub(1, sync::relaxed);
    enter(node);
    ask_for_service();
}

void stage_core::push_over(stage_node& node) noexcept {
    room_.fetch_sub(1, sync::relaxed);
    enter(node);
    evictions_.fetch_add(1, sync::relaxed);
    ask_for_service();
}

void stage_core::push_from(stage_run& run, stage_node& node) {
    if (try_push(node)) return;
    // Whoever finds the run that waits may take it for stuck: it keeps no room back.
    give_room_of(run);
    parked_run& record = record_for(run);
    debt_slot* slot = record.announce(index_);
    // Of two runs whose pushes close a circle together, one sees what the other has announced:
    // pairs with push_from() of the other [STAGE-1]
    sync::fence(sync::seq_cst);
    try {
        const std::string circle = circle_search{run.owner, *this}.find();
        if (!circle.empty()) {
            throw error{errc::would_deadlock, "weft::stage::push: " + circle};
        }
    } catch (...) { // also without memory for the search
        record.withdraw(*slot);
        throw;
    }
    if (push_or_owe(node, *slot)) record.withdraw(*slot);
}

parked_run& stage_core::record_for(stage_run& run) {
    if (run.record != nullptr) return *run.record;
    stage_core& owner = run.owner;
    parked_run* each = owner.first_record();
    while (each != nullptr && !each->try_use()) each = each->next_made;
    if (each == nullptr) {
        each = sync::make<parked_run>();
        each->owner = &owner;
        static_cast<void>(each->try_use());
        parked_run* first = owner.records_.load(sync::relaxed);
        do {
            each->next_made = first;
            // release, pairs with first_record() [STAGE-4]
        } while (!owner.records_.compare_exchange_weak(first, each, sync::release, sync::relaxed));
    }
    run.record = each;
    return *each;
}

bool debt_slot::admit(waiting_push& self, bool /*ended*/) noexcept {
    auto& slot = static_cast<debt_slot&>(self);
    parked_run& run = *slot.run;
    const stage_group_core::visit visiting{run.owner->group()}; // it may be another one, and end
    if (&slot != &run.others) slot.word.fetch_sub(debt_word::one, sync::relaxed);
    if (run.end_debt()) run.owner->resume(run);
    return true;
}

void stage_core::resume(parked_run& run) noexcept {
    resumed_.push(&run);
    group_.mark(index_);
    group_.notify();
}

void stage_core::enter(stage_node& node) noexcept {
    entered_.fetch_add(1, sync::relaxed);
    node.entered = sync::tick_counter::now();
    // Whoever made it not empty marks it, or has marked it and the mark is still there (ST6).
    if (!arrivals_.push(&node)) return;
    group_.mark(index_);
    group_.notify();
}

void stage_core::drop_new(stage_node& node) noexcept {
    const stage_group_core::visit visiting{group_};
    entered_.fetch_add(1, sync::relaxed);
    program_->drop(*this, node, drop_reason::newest);
    note_ends(dropped_, 1);
    note_idle();
}

/// It has entered before, so it is not counted again; its place may be above the capacity.
void stage_core::give_back(stage_node& node) noexcept {
    const stage_group_core::visit visiting{group_};
    room_.fetch_sub(1, sync::relaxed);
    node.entered = sync::tick_counter::now(); // its first wait was counted
    node.pushed_by = nullptr;
    if (!arrivals_.push(&node)) return;
    group_.mark(index_);
    group_.notify();
}

void stage_core::require_open(const char* call) const {
    const bool closed = stage_run::current() == nullptr ? closed_.load(sync::relaxed) : false;
    if (closed || group_.has_pool_ended()) throw error{errc::stopped, call};
}

void stage_core::give_room(std::uint32_t count) noexcept {
    if (count == 0) return;
    const std::int64_t before = room_.fetch_add(count, sync::relaxed);
    if (before < 0) ask_for_service();
}

void stage_core::give_room_of(stage_run& run) noexcept {
    run.owner.give_room(std::exchange(run.begun, 0));
}

void stage_core::drop_all(node_list& nodes, drop_reason reason) noexcept {
    if (nodes.empty()) return;
    // What is pushed from there belongs to no item that a run could wait after.
    stage_run place{*this};
    place.may_wait = false;
    const stage_run_binding bound{place};
    std::uint32_t count = 0;
    while (stage_node* node = nodes.pop_front()) {
        program_->drop(*this, *node, reason);
        ++count;
    }
    note_ends(dropped_, count);
    note_idle();
}

} // namespace weft::inline v0::detail
