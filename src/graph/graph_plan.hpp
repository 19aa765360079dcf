// A graph as flat arrays, ready to be run.
#pragma once

#include "graph/completion_count.hpp"

#include <weft/detail/graph/graph_core.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/plain.hpp>
#include <weft/priority.hpp>

#include <algorithm>
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
/// Nodes have other numbers here than in the graph, unless it has branches: first come those that
/// begin with the run, then the others in the order in which one worker runs them. So a run reads
/// nodes and edges one after the other, however they were added.
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
    /// Of a node: it is nothing but a call, and its only successor waits for no other.
    static constexpr std::uint32_t straight = none - 1;
    /// With the place of a special node: it is the only branch of its part, and has no successors.
    static constexpr std::uint32_t ends_part = std::uint32_t{1} << 31;
    static constexpr std::uint32_t sinks_in_group = 64;

    struct choice {
        node_index target;
        std::uint32_t part;       // that the target is in
        std::uint32_t first_join; // in `joins`
        std::uint32_t join_end;
    };
    /// What only some nodes have.
    struct alignas(64) special_node {
        node_role role = node_role::task;
        priority level = priority::normal;
        std::uint32_t first_choice_place = 0; // in `choices`
        const choice* first_choice = nullptr; // its address, when all choices are known
        std::uint32_t choice_count = 0;
        std::uint32_t back_choice = none; // its number, if it goes back and no count is armed
        node_index back_target = 0;       // the node that is chosen by that
        std::uint32_t part = 0;           // of a branch
        std::uint32_t first_input = 0;    // in `input_slots`
        std::uint32_t output = node_call::no_slot;
        std::uint32_t branch = none; // its place in `branches`
        std::uint32_t needs = none;  // of the graph's `all_needs`
        std::uint32_t inner = none;  // its place among the nodes that make subgraphs
    };
    /// Half a cache line, for all that most nodes have.
    struct node {
        void (*call)(void* body, node_call* now);
        void* body;
        std::uint32_t first_successor; // of a sink, if the graph has no branches: its group
        std::uint32_t successor_end;   // of a sink the same
        std::uint32_t predecessors;
        std::uint32_t special; // its place in `specials`, perhaps with ends_part; none; straight

        [[nodiscard]] bool is_special() const noexcept { return special < straight; }
        [[nodiscard]] std::uint32_t special_place() const noexcept { return special & ~ends_part; }
        /// Whether it is straight or ends its part: then no counts decide what comes after it.
        [[nodiscard]] bool is_in_line() const noexcept {
            return special >= ends_part && special != none;
        }
    };
    /// An edge, and whether it is the only one to its node: then there is nothing to count.
    class successor {
    public:
        successor() = default;
        explicit successor(node_index index) noexcept : word_{index} {}
        [[nodiscard]] node_index index() const noexcept { return word_ & ~only; }
        [[nodiscard]] bool is_only_way() const noexcept { return (word_ & only) != 0; }
        void mark_only_way() noexcept { word_ |= only; }

    private:
        static constexpr std::uint32_t only = std::uint32_t{1} << 31;
        std::uint32_t word_ = 0;
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
        const node& some = nodes[index];
        return some.is_special() ? specials[some.special_place()].level : priority::normal;
    }
    /// The number of a node in the graph.
    [[nodiscard]] node_index number_of(node_index index) const noexcept {
        return numbers.empty() ? index : numbers[index];
    }
    [[nodiscard]] std::uint32_t sink_groups() const noexcept {
        return (sink_count + sinks_in_group - 1) / sinks_in_group;
    }
    [[nodiscard]] std::uint32_t sinks_of(std::uint32_t group) const noexcept {
        return std::min(sinks_in_group, sink_count - group * sinks_in_group);
    }

    std::vector<node> nodes;
    std::vector<successor> successors;
    std::vector<node_index> numbers; // in the graph, of each node; empty if they are the same
    // Of a graph without branches:
    std::uint32_t source_count = 0; // the nodes that it begins with come first
    std::uint32_t sink_count = 0;
    // Of any graph:
    std::vector<special_node> specials;
    std::vector<std::uint32_t> input_slots;
    std::vector<slot> slots;
    std::size_t values_size = 0;
    std::size_t values_alignment = 1;
    std::size_t inner_count = 0;
    bool has_priorities = false;
    sync::plain<bool> is_built{false}; // stands for all of it in model builds
    // Of a graph with branches:
    std::vector<std::uint32_t> part_of; // each node
    std::vector<node_index> sources;
    std::vector<node_index> branches; // part by part
    std::vector<part> parts;
    std::vector<choice> choices; // branch by branch
    std::vector<join> joins;
    std::uint32_t parts_with_sources = 0;

    std::unique_ptr<node_counter[]> counters; // or null, if nothing is measured
    spare_slots<run_state> spare_states;

private:
    class run_order;
    void add_nodes(const graph_core& graph);
    void count_edges();
    void renumber(std::vector<node_index> order);
    void add_specials(const graph_core& graph);
    void place_values(const graph_core& graph);
    void add_parts(const graph_core& graph);
    void add_choices(const graph_core& graph);
    void refuse_if_it_begins(const graph_core& graph, const graph_core::choice& made) const;
    void add_joins(choice& added, std::vector<std::uint32_t>& reached);
    void find_ends();
    void find_begins();
    void find_straight_nodes();
    special_node& special_of(node_index index);
    [[nodiscard]] node_index place_of(node_index number) const noexcept {
        return places_.empty() ? number : places_[number];
    }

    std::vector<graph_core::edge> edges_; // of the graph, and to each node that takes a result
    bool has_specials_ = false;           // but for those with needs or results
    std::vector<node_index> places_;      // here, of the graph's nodes; empty as `numbers`
};

} // namespace weft::inline v0::detail
