// What one run of a graph changes: its counts, its results, and what it has chosen.
#pragma once

#include "graph/completion_count.hpp"
#include "graph/graph_plan.hpp"

#include <weft/detail/graph/graph_core.hpp>
#include <weft/detail/pool/task.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/plain.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace weft::inline v0::detail {

class graph_run;
class run_state;

/// A node in one run, as a task that is queued. Nodes that are run without a queue do not touch it.
struct node_state : task {
    run_state* owner = nullptr;
    node_index index = 0;
    node_index more = 0; // as in active_node; written when it is queued
};

/// A node of a run, or none; or a range of the nodes with which the run begins.
struct active_node {
    run_state* run = nullptr;
    node_index index = 0;
    node_index more = 0; // how many nodes of the range follow it
    explicit operator bool() const noexcept { return run != nullptr; }
};

/// Nodes of a run that are ready, on a worker that has no thieves. The last to be added is taken
/// first, of a range its first node.
class ready_stack {
public:
    /// False without memory.
    [[nodiscard]] bool try_push(active_node ready) noexcept {
        if (size_ == nodes_.size() && !try_grow()) return false;
        nodes_[size_++] = ready;
        return true;
    }
    active_node pop() noexcept {
        if (size_ == 0) return {};
        active_node& last = nodes_[size_ - 1];
        if (last.more == 0) return nodes_[--size_];
        --last.more;
        return {last.run, last.index++};
    }
    /// The whole range.
    active_node pop_range() noexcept { return size_ == 0 ? active_node{} : nodes_[--size_]; }

private:
    [[nodiscard]] bool try_grow() noexcept;

    std::size_t size_ = 0;
    std::vector<active_node> nodes_;
};

/// The memory of a run. It is used again by later runs of the same plan; all counts are then as
/// they were at first (GR2). A run of a subgraph or module has one of its own, with the node it
/// belongs to as `parent`.
class run_state {
public:
    run_state() = default;
    /// For runs of this plan; throws std::bad_alloc.
    run_state(const graph_core& graph, graph_plan& plan) { prepare(graph, plan); }
    ~run_state();
    run_state(const run_state&) = delete;
    run_state& operator=(const run_state&) = delete;

    void prepare(const graph_core& graph, graph_plan& plan);
    /// A run begins.
    void begin(graph_run& whole, active_node parent) noexcept;
    /// The run has ended: drops its results, and gives the memory to the next run.
    void end() noexcept;

    [[nodiscard]] graph_plan& plan() const noexcept { return *plan_; }
    [[nodiscard]] const graph_core& graph() const noexcept { return *graph_; }
    [[nodiscard]] graph_run& whole() const noexcept { return *whole_; }
    [[nodiscard]] active_node parent() const noexcept { return parent_; }
    [[nodiscard]] node_state& state(node_index index) const noexcept { return states_[index]; }
    /// Of a node with several predecessors.
    [[nodiscard]] completion_count& missing(node_index index) const noexcept {
        return missing_[index];
    }
    /// Of the outermost run.
    [[nodiscard]] ready_stack& ready() noexcept { return ready_; }
    [[nodiscard]] std::byte* values() const noexcept { return values_; }
    /// The plan's arrays.
    [[nodiscard]] const graph_plan::node* nodes() const noexcept { return nodes_; }
    [[nodiscard]] const graph_plan::successor* successors() const noexcept { return successors_; }
    [[nodiscard]] const graph_plan::special_node* specials() const noexcept { return specials_; }
    [[nodiscard]] const std::uint32_t* input_slots() const noexcept { return input_slots_; }
    [[nodiscard]] bool has_branches() const noexcept { return has_branches_; }
    [[nodiscard]] bool has_priorities() const noexcept { return has_priorities_; }

    [[nodiscard]] bool is_simple() const noexcept { return !has_branches_ && !has_priorities_; }

    // A node that failed, or was skipped, stops its successors.

    [[nodiscard]] bool is_skipped(node_index index) const noexcept {
        return skipped_[index].load(sync::relaxed);
    }
    void skip_successors(const graph_plan::node& failed) noexcept;
    /// The node is about to end: the mark is not needed any more.
    void forget_skip(node_index index) noexcept { skipped_[index].store(false, sync::relaxed); }
    [[nodiscard]] bool has_failed() const noexcept { return failed_.load(sync::relaxed); }

    // The end of a run without branches

    /// Some sinks of a group have ended. True for the last sinks of the run.
    [[nodiscard]] bool end_sinks(std::uint32_t group, std::uint32_t ended, bool alone) noexcept;

    // Parts, of a graph with branches

    [[nodiscard]] activity_count& activity(std::uint32_t part) noexcept { return parts_[part]; }
    [[nodiscard]] activity_count& active_parts() noexcept { return active_parts_; }
    /// What a branch has chosen, or none; written when it ran, and read when its part has ended.
    [[nodiscard]] sync::plain<std::uint32_t>& chosen(std::uint32_t branch) noexcept {
        return chosen_[branch];
    }
    /// Arms the counts behind the target.
    void arm(const graph_plan::choice& followed) noexcept;

    /// A graph that is made while the run is under way, and its run.
    struct inner_graph;
    [[nodiscard]] inner_graph& inner(std::uint32_t index);

    inner_graph* belongs_to = nullptr; // then the memory is not given to other runs

private:
    void make_room(std::size_t nodes);
    void prepare_values();
    void destroy_values() noexcept;

    // Not changed while it runs:
    const graph_plan::node* nodes_ = nullptr;
    const graph_plan::successor* successors_ = nullptr;
    const graph_plan::special_node* specials_ = nullptr;
    const std::uint32_t* input_slots_ = nullptr;
    std::unique_ptr<completion_count[]> missing_;
    std::unique_ptr<node_state[]> states_;
    graph_run* whole_ = nullptr;
    bool has_branches_ = false;
    bool has_priorities_ = false;
    const graph_core* graph_ = nullptr;
    graph_plan* plan_ = nullptr;
    active_node parent_;
    std::unique_ptr<sync::atomic<bool>[]> skipped_;
    std::size_t capacity_ = 0;
    std::unique_ptr<completion_count[]> sink_groups_;
    std::size_t group_capacity_ = 0;
    alignas(64) completion_count missing_groups_;
    sync::atomic<bool> failed_{false};
    std::byte* values_ = nullptr;
    std::size_t values_alignment_ = 1;
    std::vector<graph_plan::slot> made_slots_;
    std::unique_ptr<activity_count[]> parts_;
    activity_count active_parts_;
    std::unique_ptr<sync::plain<std::uint32_t>[]> chosen_;
    std::vector<std::unique_ptr<inner_graph>> inner_;
    ready_stack ready_;
};

struct run_state::inner_graph {
    graph_core graph;
    graph_plan plan;
    run_state state;
};

} // namespace weft::inline v0::detail
