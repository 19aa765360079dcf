#include "graph/run_state.hpp"

#include "graph/node_loop.hpp"

#include <weft/detail/sync/check.hpp>
#include <weft/detail/sync/memory.hpp>

#include <algorithm>
#include <new>

namespace weft::inline v0::detail {

bool ready_stack::try_grow() noexcept {
    constexpr std::size_t least = 16;
    try {
        nodes_.resize(std::max(least, nodes_.size() * 2));
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

run_state::~run_state() { destroy_values(); }

/// Memory that is large enough is used again: in the next run, a subgraph has about as many nodes.
void run_state::prepare(const graph_core& graph, graph_plan& plan) {
    WEFT_CHECK(plan.is_built.read(), "a plan is built before it is used");
    graph_ = &graph;
    plan_ = &plan;
    nodes_ = plan.nodes.data();
    successors_ = plan.successors.data();
    input_slots_ = plan.input_slots.data();
    has_branches_ = plan.has_branches();
    has_priorities_ = plan.has_priorities;
    specials_ = plan.specials.data();
    const std::size_t count = plan.nodes.size();
    if (count > capacity_) make_room(count);
    for (std::size_t i = plan.source_count; i < count; ++i) {
        const std::uint32_t predecessors = plan.nodes[i].predecessors;
        if (predecessors > 1) missing_[i].arm(predecessors);
    }
    const std::uint32_t groups = plan.sink_groups();
    if (groups > group_capacity_) {
        group_capacity_ = 0;
        sink_groups_ = std::make_unique<completion_count[]>(groups);
        group_capacity_ = groups;
    }
    for (std::uint32_t i = 0; i < groups; ++i) sink_groups_[i].arm(plan.sinks_of(i));
    missing_groups_.arm(groups);
    if (!plan.parts.empty()) {
        parts_ = std::make_unique<activity_count[]>(plan.parts.size());
        chosen_ = std::make_unique<sync::plain<std::uint32_t>[]>(plan.branches.size());
        for (std::size_t i = 0; i < plan.branches.size(); ++i) chosen_[i].write(graph_plan::none);
    }
    if (inner_.size() < plan.inner_count) inner_.resize(plan.inner_count);
    if (!made_slots_.empty() || !plan.slots.empty()) prepare_values();
}

/// Each `node_state` is set up here once: the memory belongs to one run at a time.
void run_state::make_room(std::size_t nodes) {
    capacity_ = 0;
    states_ = std::make_unique<node_state[]>(nodes);
    missing_ = std::make_unique<completion_count[]>(nodes);
    skipped_ = std::make_unique<sync::atomic<bool>[]>(nodes);
    for (std::size_t i = 0; i < nodes; ++i) {
        states_[i].run = &node_loop::run_from_queue;
        states_[i].owner = this;
        states_[i].index = static_cast<node_index>(i);
    }
    capacity_ = nodes;
}

void run_state::prepare_values() {
    destroy_values();
    if (plan_->slots.empty()) return;
    made_slots_ = plan_->slots;
    values_alignment_ = plan_->values_alignment;
    try {
        values_ = static_cast<std::byte*>(sync::allocate(plan_->values_size, values_alignment_));
    } catch (...) {
        made_slots_.clear();
        throw;
    }
    for (const graph_plan::slot& each : made_slots_) each.kind->construct(values_ + each.offset);
}

void run_state::destroy_values() noexcept {
    for (const graph_plan::slot& each : made_slots_) each.kind->destroy(values_ + each.offset);
    made_slots_.clear();
    if (values_ != nullptr) sync::deallocate(values_, values_alignment_);
    values_ = nullptr;
}

void run_state::begin(graph_run& whole, active_node parent) noexcept {
    whole_ = &whole;
    parent_ = parent;
    failed_.store(false, sync::relaxed);
    if (!plan_->has_branches()) return;
    active_parts_.begin(plan_->parts_with_sources);
    for (std::size_t i = 0; i < plan_->parts.size(); ++i) parts_[i].begin(plan_->parts[i].sources);
}

void run_state::end() noexcept {
    for (const graph_plan::slot& each : made_slots_) each.kind->empty(values_ + each.offset);
    if (inner_graph* owner = belongs_to) { // its memory stays with the outer run
        owner->graph.clear();
        return;
    }
    if (!plan_->spare_states.try_give(*this)) delete this;
}

void run_state::skip_successors(const graph_plan::node& failed) noexcept {
    failed_.store(true, sync::relaxed);
    for (std::uint32_t i = failed.first_successor; i != failed.successor_end; ++i) {
        skipped_[plan_->successors[i].index()].store(true, sync::relaxed);
    }
}

bool run_state::end_sinks(std::uint32_t group, std::uint32_t ended, bool alone) noexcept {
    completion_count& own = sink_groups_[group];
    if (!own.arrive(alone, ended)) return false;
    own.arm(plan_->sinks_of(group));
    if (!missing_groups_.arrive(alone)) return false;
    missing_groups_.arm(plan_->sink_groups());
    return true;
}

void run_state::arm(const graph_plan::choice& followed) noexcept {
    for (std::uint32_t i = followed.first_join; i != followed.join_end; ++i) {
        const graph_plan::join& each = plan_->joins[i];
        missing_[each.target].arm(each.predecessors);
    }
}

run_state::inner_graph& run_state::inner(std::uint32_t index) {
    std::unique_ptr<inner_graph>& made = inner_[index];
    if (!made) {
        made = std::make_unique<inner_graph>();
        made->state.belongs_to = made.get();
    }
    made->graph.clear(); // what a builder has left that threw
    return *made;
}

} // namespace weft::inline v0::detail
