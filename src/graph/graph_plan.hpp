// A graph as flat arrays, ready to be run.
#pragma once

#include "graph/completion_count.hpp"

#include <weft/detail/graph/graph_core.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/plain.hpp>
#include <weft/priority.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace weft::inline v0::detail {

class run_state;

/// How often a node ran, and for how long. Several runs may be under way at once.
struct node_counter {
    sync::atomic<std::uint64_t> runs{0};
    sync::atomic<std::uint64_t> nanoseconds{0};
};

/// Built once from a graph; then read by all its runs.
///
/// Nodes that ordinary edges connect are a *part* of the graph. A graph without branches is one
/// part for this purpose: it is run once, and has ended when all its sinks have. They are counted
/// in groups, so that workers that end sinks do not all write to one word.
///
/// In a graph with branches a part is run when a branch has chosen one of its nodes: that node and
/// everything behind it. For each choice the plan lists how many predecessors are to be waited for
/// there, which are fewer than the node has if the others are not behind the chosen node. When all
/// of a part has ended, the choices that its branches have made are followed.
class graph_plan {
public:
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::uint32_t sinks_in_group = 64;

    struct choice {
        node_index target;
        std::uint32_t part;       // that the target is in
        std::uint32_t first_join; // in `joins`
        std::uint32_t join_end;
    };
    /// What only some nodes have.
    struct special_node {
        node_role role = node_role::task;
        priority level = priority::normal;
        bool ends_part = false;               // the only branch of its part, without successors
        std::uint32_t first_choice_place = 0; // in `choices`
        const choice* first_choice = nullptr; // the same
        std::uint32_t choice_count = 0;
        std::uint32_t part = 0;        // of a branch
        std::uint32_t first_input = 0; // in `input_slots`
        std::uint32_t output = node_call::no_slot;
        std::uint32_t branch = none; // its place in `branches`
        std::uint32_t needs = none;  // of the graph's `all_needs`
        std::uint32_t inner = none;  // its place among the nodes that make subgraphs
    };
    struct node {
        void (*call)(void* body, node_call* now);
        void* body;
        std::uint32_t first_successor;
        std::uint32_t successor_end;
        const special_node* special; // or null
    };
    /// A node behind a chosen one, and how many of its predecessors are behind it too.
    struct join {
        node_index target;
        std::uint32_t predecessors;
    };
    struct part {
        std::uint32_t sources;      // that begin with the run
        std::uint32_t first_branch; // in `branches`
        std::uint32_t branch_end;
    };
    struct slot {
        const value_kind* kind;
        std::uint32_t offset;
    };

    graph_plan() = default;
    ~graph_plan();
    graph_plan(const graph_plan&) = delete;
    graph_plan& operator=(const graph_plan&) = delete;

    /// Throws `would_deadlock`, with the cycle, if ordinary edges form one; `invalid_argument` if
    /// two nodes take one result, or a branch chooses a node that begins in any case.
    void build(const graph_core& graph);

    [[nodiscard]] bool has_branches() const noexcept { return !branches.empty(); }
    [[nodiscard]] priority level_of(node_index index) const noexcept {
        const special_node* special = nodes[index].special;
        return special == nullptr ? priority::normal : special->level;
    }

    std::vector<node> nodes;
    std::vector<node_index> successors;
    std::vector<std::uint32_t> predecessors; // how many each node has
    std::vector<std::uint32_t> groups; // the part of each; without branches: of a sink, its group
    std::vector<node_index> sources;
    std::vector<std::uint32_t> sink_groups; // how many sinks each has
    std::vector<special_node> specials;
    std::vector<std::uint32_t> input_slots;
    std::vector<slot> slots;
    std::size_t values_size = 0;
    std::size_t values_alignment = 1;
    std::size_t inner_count = 0;
    bool has_priorities = false;
    sync::plain<bool> is_built{false}; // stands for all of it in model builds
    // Of a graph with branches:
    std::vector<node_index> branches; // part by part
    std::vector<part> parts;
    std::vector<choice> choices; // branch by branch
    std::vector<join> joins;
    std::uint32_t parts_with_sources = 0;

    std::unique_ptr<node_counter[]> counters; // or null, if nothing is measured
    spare_slots<run_state> spare_states;

private:
    void count_edges(const graph_core& graph);
    void refuse_cycles(const graph_core& graph) const;
    void add_specials(const graph_core& graph);
    void place_values(const graph_core& graph);
    void add_parts(const graph_core& graph);
    void add_choices(const graph_core& graph);
    void refuse_if_it_begins(const graph_core& graph, const graph_core::choice& made) const;
    void add_joins(choice& added, std::vector<std::uint32_t>& reached);
    void find_ends();
    void connect_specials();
    special_node& special_of(node_index index);

    std::vector<graph_core::edge> edges_; // of the graph, and to each node that takes a result
    std::vector<std::uint32_t> special_places_; // of each node in `specials`, or none
};

} // namespace weft::inline v0::detail
