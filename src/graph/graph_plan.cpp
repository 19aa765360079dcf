#include "graph/graph_plan.hpp"

#include "graph/run_state.hpp"

#include <weft/error.hpp>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace weft::inline v0::detail {
namespace {

std::string quoted(const graph_core& graph, node_index index) {
    return '"' + graph.name_of(index) + '"';
}

[[noreturn]] void refuse(const std::string& reason) {
    throw error{errc::invalid_argument, "weft::graph, " + reason};
}

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

/// Sets of nodes that edges connect.
class connection {
public:
    explicit connection(std::size_t nodes) : above_(nodes) {
        std::iota(above_.begin(), above_.end(), 0U);
    }
    node_index find(node_index each) {
        while (above_[each] != each) each = above_[each] = above_[above_[each]];
        return each;
    }
    void join(node_index one, node_index other) { above_[find(one)] = find(other); }

private:
    std::vector<node_index> above_;
};

} // namespace

graph_plan::~graph_plan() {
    while (run_state* spare = spare_states.try_take()) delete spare;
}

void graph_plan::build(const graph_core& graph) {
    const std::size_t count = graph.nodes.size();
    edges_.assign(graph.edges.begin(), graph.edges.end());
    const bool takes =
        std::ranges::any_of(graph.inputs, [](const graph_core::input& each) { return each.taken; });
    if (takes) add_takers(graph, edges_);

    if (graph.is_measured) counters = std::make_unique<node_counter[]>(count);
    nodes.resize(count);
    groups.resize(count);
    special_places_.clear();
    specials.clear();
    for (std::size_t i = 0; i < count; ++i) {
        const graph_core::node& added = graph.nodes[i];
        nodes[i] = {added.kind->call, added.body, 0, 0, nullptr};
    }
    count_edges(graph);
    add_specials(graph);
    place_values(graph);
    add_parts(graph);
    find_ends();
    connect_specials();
    edges_.clear();
    is_built.write(true);
}

/// Sorts the edges by their first node, by counting.
void graph_plan::count_edges(const graph_core& graph) {
    predecessors.assign(nodes.size(), 0);
    successors.resize(edges_.size());
    if (edges_.empty()) return;
    for (const graph_core::edge& each : edges_) {
        ++nodes[each.before].successor_end;
        ++predecessors[each.after];
    }
    std::uint32_t begin = 0;
    for (node& each : nodes) {
        const std::uint32_t own = each.successor_end;
        each.first_successor = begin;
        each.successor_end = begin; // the end of those that are placed
        begin += own;
    }
    for (const graph_core::edge& each : edges_) {
        successors[nodes[each.before].successor_end++] = each.after;
    }
    refuse_cycles(graph);
}

/// Takes away nodes without predecessors until there are none; what is left is on a cycle, or
/// behind one.
void graph_plan::refuse_cycles(const graph_core& graph) const {
    std::vector<std::uint32_t> left = predecessors;
    std::vector<node_index> free;
    free.reserve(nodes.size());
    for (node_index i = 0; i < nodes.size(); ++i) {
        if (left[i] == 0) free.push_back(i);
    }
    for (std::size_t i = 0; i < free.size(); ++i) {
        const node& taken = nodes[free[i]];
        for (std::uint32_t s = taken.first_successor; s != taken.successor_end; ++s) {
            if (--left[successors[s]] == 0) free.push_back(successors[s]);
        }
    }
    if (free.size() == nodes.size()) return;

    std::vector<std::uint32_t> before(nodes.size(), none);
    for (const graph_core::edge& each : edges_) {
        if (left[each.before] != 0 && left[each.after] != 0) before[each.after] = each.before;
    }
    const auto first = std::ranges::find_if(left, [](std::uint32_t some) { return some != 0; });
    auto current = static_cast<node_index>(first - left.begin());
    std::vector<bool> seen(nodes.size());
    for (; !seen[current]; current = before[current]) seen[current] = true;
    std::string text = quoted(graph, current); // and round, against the edges
    for (node_index each = before[current]; each != current; each = before[each]) {
        text.insert(0, quoted(graph, each) + " -> ");
    }
    text.insert(0, quoted(graph, current) + " -> ");
    throw error{errc::would_deadlock, "weft::graph, a cycle: " + text};
}

graph_plan::special_node& graph_plan::special_of(node_index index) {
    if (special_places_.empty()) special_places_.assign(nodes.size(), none);
    std::uint32_t& place = special_places_[index];
    if (place == none) {
        place = static_cast<std::uint32_t>(specials.size());
        specials.emplace_back();
    }
    return specials[place];
}

/// When all of them have their places.
void graph_plan::connect_specials() {
    if (specials.empty()) return;
    for (node_index i = 0; i < nodes.size(); ++i) {
        if (special_places_[i] != none) nodes[i].special = &specials[special_places_[i]];
    }
    for (special_node& each : specials) {
        if (each.choice_count != 0) each.first_choice = &choices[each.first_choice_place];
    }
}

void graph_plan::add_specials(const graph_core& graph) {
    inner_count = 0;
    has_priorities = false;
    for (node_index i = 0; i < nodes.size(); ++i) {
        const graph_core::node& added = graph.nodes[i];
        const bool is_plain = added.kind->role == node_role::task &&
                              added.level == priority::normal && counters == nullptr;
        if (is_plain) continue;
        special_node& made = special_of(i);
        made.role = added.kind->role;
        made.level = added.level;
        has_priorities = has_priorities || added.level != priority::normal;
        if (made.role == node_role::subgraph)
            made.inner = static_cast<std::uint32_t>(inner_count++);
    }
    for (std::uint32_t i = 0; i < graph.all_needs.size(); ++i) {
        special_of(graph.all_needs[i].owner).needs = i;
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
        special_node& source = special_of(each.source);
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
        if (reader.input_count > 0) special_of(i).first_input = reader.first_input;
    }
}

void graph_plan::add_parts(const graph_core& graph) {
    branches.clear();
    parts.clear();
    choices.clear();
    joins.clear();
    parts_with_sources = 0;
    if (graph.choices.empty()) return;

    connection connected{nodes.size()};
    for (const graph_core::edge& each : edges_) connected.join(each.before, each.after);
    std::vector<std::uint32_t> part_of_root(nodes.size(), none);
    for (node_index i = 0; i < nodes.size(); ++i) {
        std::uint32_t& number = part_of_root[connected.find(i)];
        if (number == none) {
            number = static_cast<std::uint32_t>(parts.size());
            parts.push_back({0, 0, 0});
        }
        groups[i] = number;
    }
    for (const graph_core::choice& each : graph.choices) branches.push_back(each.branch);
    std::ranges::sort(branches, {},
                      [this](node_index each) { return std::pair{groups[each], each}; });
    // NOLINTNEXTLINE(modernize-use-ranges): clang 14 does not compile the result of that
    branches.erase(std::unique(branches.begin(), branches.end()), branches.end());
    for (std::uint32_t i = 0; i < branches.size(); ++i) {
        special_of(branches[i]).branch = i;
        part& own = parts[groups[branches[i]]];
        if (own.branch_end == 0) own.first_branch = i;
        own.branch_end = i + 1;
    }
    for (const node_index each : branches) {
        const node& made = nodes[each];
        const part& own = parts[groups[each]];
        special_of(each).part = groups[each];
        special_of(each).ends_part =
            made.first_successor == made.successor_end && own.branch_end - own.first_branch == 1 &&
            special_of(each).needs == none && special_of(each).level == priority::normal &&
            counters == nullptr;
    }
    add_choices(graph);
}

void graph_plan::add_choices(const graph_core& graph) {
    std::vector<bool> is_chosen(nodes.size());
    for (const graph_core::choice& each : graph.choices) is_chosen[each.target] = true;
    for (node_index i = 0; i < nodes.size(); ++i) {
        if (predecessors[i] == 0 && !is_chosen[i]) ++parts[groups[i]].sources;
    }
    for (const part& each : parts) parts_with_sources += each.sources != 0 ? 1 : 0;
    if (parts_with_sources == 0) refuse("no node begins: each waits for a branch to choose it");

    std::vector<std::uint32_t> order(graph.choices.size()); // branch by branch
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, {}, [&](std::uint32_t each) {
        return std::pair{specials[special_places_[graph.choices[each].branch]].branch, each};
    });
    std::vector<std::uint32_t> reached(nodes.size(), 0);
    for (const std::uint32_t number : order) {
        const graph_core::choice& each = graph.choices[number];
        refuse_if_it_begins(graph, each);
        const auto place = static_cast<std::uint32_t>(choices.size());
        const auto first = static_cast<std::uint32_t>(joins.size());
        choice added{each.target, groups[each.target], first, first};
        add_joins(added, reached);
        choices.push_back(added);
        special_node& branch = special_of(each.branch);
        if (branch.choice_count++ == 0) branch.first_choice_place = place;
    }
}

/// Only a branch of the same part may choose a node of a part that begins by itself, and not one of
/// the nodes with which it begins.
void graph_plan::refuse_if_it_begins(const graph_core& graph,
                                     const graph_core::choice& made) const {
    const std::uint32_t entered = groups[made.target];
    if (parts[entered].sources == 0) return;
    if (entered == groups[made.branch] && predecessors[made.target] != 0) return;
    refuse("the branch " + quoted(graph, made.branch) + " chooses " + quoted(graph, made.target) +
           ", which is connected to a node that runs without being chosen");
}

/// `reached` counts the arrivals at each node from behind the target; it is zero before and after.
void graph_plan::add_joins(choice& added, std::vector<std::uint32_t>& reached) {
    std::vector<node_index> behind{added.target};
    for (std::size_t i = 0; i < behind.size(); ++i) {
        const node& each = nodes[behind[i]];
        for (std::uint32_t s = each.first_successor; s != each.successor_end; ++s) {
            if (reached[successors[s]]++ == 0) behind.push_back(successors[s]);
        }
    }
    for (const node_index each : behind) {
        if (predecessors[each] > 1 && each != added.target) joins.push_back({each, reached[each]});
        reached[each] = 0;
    }
    added.join_end = static_cast<std::uint32_t>(joins.size());
}

void graph_plan::find_ends() {
    sources.clear();
    sink_groups.clear();
    std::vector<bool> is_chosen(has_branches() ? nodes.size() : 0);
    for (const choice& each : choices) is_chosen[each.target] = true;
    for (node_index i = 0; i < nodes.size(); ++i) {
        const node& each = nodes[i];
        if (predecessors[i] == 0 && !(has_branches() && is_chosen[i])) sources.push_back(i);
        if (each.first_successor != each.successor_end || has_branches()) continue;
        if (sink_groups.empty() || sink_groups.back() == sinks_in_group) sink_groups.push_back(0);
        groups[i] = static_cast<std::uint32_t>(sink_groups.size() - 1);
        ++sink_groups.back();
    }
}

} // namespace weft::inline v0::detail
