#include "graph/graph_plan.hpp"

#include "graph/refusal.hpp"
#include "graph/run_state.hpp"

#include <weft/error.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace weft::inline v0::detail {
namespace {

/// The readers of a result come before the node that takes it.
void add_takers(const graph_core& graph, std::vector<graph_core::edge>& edges) {
    constexpr std::uint32_t none = graph_plan::none;
    std::vector<std::uint32_t> taker(graph.nodes.size(), none);
    const auto visit = [&graph](auto use) {
        for (node_index reader = 0; reader < graph.nodes.size(); ++reader) {
            const graph_core::node& node = graph.nodes[reader];
            for (std::uint32_t i = 0; i < node.input_count; ++i) {
                use(reader, graph.inputs[node.first_input + i]);
            }
        }
    };
    visit([&](node_index reader, const graph_core::input& each) {
        if (!each.taken) return;
        if (taker[each.source] != none) {
            refuse(quoted(graph, taker[each.source]) + " and " + quoted(graph, reader) +
                   " both take the result of " + quoted(graph, each.source));
        }
        taker[each.source] = reader;
    });
    visit([&](node_index reader, const graph_core::input& each) {
        const std::uint32_t last = taker[each.source];
        if (last != none && !each.taken) edges.push_back({reader, last});
    });
}

} // namespace

graph_plan::~graph_plan() {
    while (run_state* spare = spare_states.try_take()) delete spare;
}

/// The order in which one worker runs the nodes: one that a node has made ready first is run at
/// once, of the others the last one first. What is left in the end is on a cycle, or behind one.
class graph_plan::run_order {
public:
    explicit run_order(graph_plan& plan) : plan_{&plan}, left_(plan.nodes.size()) {
        for (std::size_t i = 0; i < left_.size(); ++i) left_[i] = plan.nodes[i].predecessors;
        order_.reserve(left_.size());
        for (node_index i = 0; i < left_.size(); ++i) {
            if (left_[i] == 0) order_.push_back(i);
            if (left_[i] == 1) left_[i] = only_one;
        }
        const std::size_t begun = order_.size();
        for (std::size_t i = 0; i < begun; ++i) follow(order_[i]);
    }
    [[nodiscard]] bool is_complete() const noexcept { return order_.size() == left_.size(); }
    [[nodiscard]] bool changes_numbers() const noexcept { return !std::ranges::is_sorted(order_); }
    [[nodiscard]] std::vector<node_index> take() noexcept { return std::move(order_); }
    [[noreturn]] void refuse_cycle(const graph_core& graph) const;

private:
    // What `left_` has for a node with one predecessor in all, and when that has its place.
    static constexpr std::uint32_t only_one = 0x8000'0001;
    static constexpr std::uint32_t none_of_one = 0x8000'0000;

    void follow(node_index first);
    [[nodiscard]] bool is_left(node_index index) const noexcept {
        return left_[index] != 0 && left_[index] != none_of_one;
    }

    graph_plan* plan_;
    std::vector<std::uint32_t> left_; // how many predecessors do not yet have a place
    std::vector<node_index> ready_;
    std::vector<node_index> order_;
};

void graph_plan::run_order::follow(node_index first) {
    ready_.push_back(first);
    while (!ready_.empty()) {
        node_index current = ready_.back();
        ready_.pop_back();
        if (current != first) order_.push_back(current);
        for (bool goes_on = true; goes_on;) {
            goes_on = false;
            const node& ended = plan_->nodes[current];
            for (std::uint32_t s = ended.first_successor; s != ended.successor_end; ++s) {
                successor& each = plan_->successors[s];
                const std::uint32_t left = --left_[each.index()];
                if (left == none_of_one) each.mark_only_way();
                else if (left != 0) continue;
                if (goes_on) {
                    ready_.push_back(each.index());
                    continue;
                }
                goes_on = true;
                current = each.index();
            }
            if (goes_on) order_.push_back(current);
        }
    }
}

void graph_plan::run_order::refuse_cycle(const graph_core& graph) const {
    std::vector<std::uint32_t> before(left_.size(), none);
    for (const graph_core::edge& each : plan_->edges_) {
        if (is_left(each.before) && is_left(each.after)) before[each.after] = each.before;
    }
    node_index current = 0;
    while (!is_left(current)) ++current;
    std::vector<bool> seen(left_.size());
    for (; !seen[current]; current = before[current]) seen[current] = true;
    std::string text = quoted(graph, current); // then round the cycle, against its edges
    for (node_index each = before[current]; each != current; each = before[each]) {
        text.insert(0, quoted(graph, each) + " -> ");
    }
    text.insert(0, quoted(graph, current) + " -> ");
    throw error{errc::would_deadlock, "weft::graph, a cycle: " + text};
}

void graph_plan::build(const graph_core& graph) {
    const std::size_t count = graph.nodes.size();
    edges_.assign(graph.edges.begin(), graph.edges.end());
    const bool takes =
        std::ranges::any_of(graph.inputs, [](const graph_core::input& each) { return each.taken; });
    if (takes) add_takers(graph, edges_);

    if (graph.is_measured) counters = std::make_unique<node_counter[]>(count);
    add_nodes(graph);
    numbers.clear();
    places_.clear();
    successors.resize(edges_.size());
    if (!edges_.empty()) {
        count_edges();
        run_order order{*this};
        if (!order.is_complete()) order.refuse_cycle(graph);
        if (graph.choices.empty() && order.changes_numbers()) renumber(order.take());
    }
    if (has_specials_) add_specials(graph);
    for (std::uint32_t i = 0; i < graph.all_needs.size(); ++i) {
        special_of(place_of(graph.all_needs[i].owner)).needs = i;
    }
    place_values(graph);
    add_parts(graph);
    if (has_branches()) find_begins();
    else if (!edges_.empty()) find_ends();
    if (!edges_.empty() && !has_priorities) find_straight_nodes();
    edges_.clear();
    is_built.write(true);
}

/// Takes over the nodes as if there were no edges: each is a source and a sink.
void graph_plan::add_nodes(const graph_core& graph) {
    const auto count = static_cast<std::uint32_t>(graph.nodes.size());
    specials.clear();
    inner_count = 0;
    has_priorities = false;
    has_specials_ = counters != nullptr;
    source_count = sink_count = count;
    nodes.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        const graph_core::node& added = graph.nodes[i];
        const std::uint32_t group = i / sinks_in_group;
        nodes[i] = {added.kind->call, added.body, group, group, 0, none};
        has_specials_ |= added.kind->role != node_role::task || added.level != priority::normal;
    }
}

/// Sorts the edges by their first node, by counting.
void graph_plan::count_edges() {
    for (node& each : nodes) each.successor_end = 0;
    for (const graph_core::edge& each : edges_) {
        ++nodes[each.before].successor_end;
        ++nodes[each.after].predecessors;
    }
    std::uint32_t begin = 0;
    for (node& each : nodes) {
        const std::uint32_t own = each.successor_end;
        each.first_successor = begin;
        each.successor_end = begin; // the end of those that are placed
        begin += own;
    }
    for (const graph_core::edge& each : edges_) {
        successors[nodes[each.before].successor_end++] = successor{each.after};
    }
}

void graph_plan::renumber(std::vector<node_index> order) {
    places_.resize(order.size());
    for (node_index i = 0; i < order.size(); ++i) places_[order[i]] = i;
    std::vector<node> nodes_in_order(nodes.size());
    std::vector<successor> successors_in_order;
    successors_in_order.reserve(successors.size());
    for (node_index i = 0; i < order.size(); ++i) {
        node& moved = nodes_in_order[i] = nodes[order[i]];
        const auto begin = static_cast<std::uint32_t>(successors_in_order.size());
        for (std::uint32_t s = moved.first_successor; s != moved.successor_end; ++s) {
            successor edge{places_[successors[s].index()]};
            if (successors[s].is_only_way()) edge.mark_only_way();
            successors_in_order.push_back(edge);
        }
        moved.first_successor = begin;
        moved.successor_end = static_cast<std::uint32_t>(successors_in_order.size());
    }
    nodes = std::move(nodes_in_order);
    successors = std::move(successors_in_order);
    numbers = std::move(order);
}

graph_plan::special_node& graph_plan::special_of(node_index index) {
    node& some = nodes[index];
    if (some.special == none) {
        some.special = static_cast<std::uint32_t>(specials.size());
        specials.emplace_back();
    }
    return specials[some.special_place()];
}

void graph_plan::add_specials(const graph_core& graph) {
    for (node_index i = 0; i < nodes.size(); ++i) {
        const graph_core::node& added = graph.nodes[i];
        const bool is_plain = added.kind->role == node_role::task &&
                              added.level == priority::normal && counters == nullptr;
        if (is_plain) continue;
        special_node& made = special_of(place_of(i));
        made.role = added.kind->role;
        made.level = added.level;
        has_priorities = has_priorities || added.level != priority::normal;
        if (made.role == node_role::subgraph)
            made.inner = static_cast<std::uint32_t>(inner_count++);
    }
}

/// A result that no node reads is not kept.
void graph_plan::place_values(const graph_core& graph) {
    slots.clear();
    input_slots.clear();
    values_size = 0;
    values_alignment = 1;
    if (graph.inputs.empty()) return;
    for (const graph_core::input& each : graph.inputs) {
        special_node& source = special_of(place_of(each.source));
        if (source.output == node_call::no_slot) {
            const value_kind& kind = *graph.nodes[each.source].kind->value;
            const std::size_t offset =
                (values_size + kind.alignment - 1) / kind.alignment * kind.alignment;
            values_size = offset + kind.size;
            values_alignment = std::max(values_alignment, kind.alignment);
            if (values_size >= node_call::no_slot) refuse("the results take more than 4 GiB");
            source.output = static_cast<std::uint32_t>(offset);
            slots.push_back({&kind, source.output});
        }
        input_slots.push_back(source.output);
    }
    for (node_index i = 0; i < nodes.size(); ++i) {
        const graph_core::node& reader = graph.nodes[i];
        if (reader.input_count > 0) special_of(place_of(i)).first_input = reader.first_input;
    }
}

void graph_plan::find_straight_nodes() {
    for (node& each : nodes) {
        if (each.special == none && each.successor_end - each.first_successor == 1 &&
            successors[each.first_successor].is_only_way()) {
            each.special = straight;
        }
    }
}

/// Where a graph without branches begins and ends.
void graph_plan::find_ends() {
    source_count = 0;
    sink_count = 0;
    for (node& each : nodes) {
        if (each.predecessors == 0) ++source_count;
        if (each.first_successor != each.successor_end) continue;
        each.first_successor = each.successor_end = sink_count++ / sinks_in_group;
    }
}

} // namespace weft::inline v0::detail
