// The plan of a graph with branches: its parts, and what each choice leads to.
#include "graph/graph_plan.hpp"
#include "graph/refusal.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace weft::inline v0::detail {
namespace {

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

void graph_plan::add_parts(const graph_core& graph) {
    sources.clear();
    branches.clear();
    parts.clear();
    choices.clear();
    joins.clear();
    parts_with_sources = 0;
    if (graph.choices.empty()) return;

    connection connected{nodes.size()};
    for (const graph_core::edge& each : edges_) connected.join(each.before, each.after);
    std::vector<std::uint32_t> part_of_root(nodes.size(), none);
    part_of.resize(nodes.size());
    for (node_index i = 0; i < nodes.size(); ++i) {
        std::uint32_t& number = part_of_root[connected.find(i)];
        if (number == none) {
            number = static_cast<std::uint32_t>(parts.size());
            parts.push_back({0, 0, 0});
        }
        part_of[i] = number;
    }
    for (const graph_core::choice& each : graph.choices) branches.push_back(each.branch);
    std::ranges::sort(branches, {},
                      [this](node_index each) { return std::pair{part_of[each], each}; });
    // NOLINTNEXTLINE(modernize-use-ranges): clang 14 does not compile the result of that
    branches.erase(std::unique(branches.begin(), branches.end()), branches.end());
    for (std::uint32_t i = 0; i < branches.size(); ++i) {
        special_of(branches[i]).branch = i;
        part& own = parts[part_of[branches[i]]];
        if (own.branch_end == 0) own.first_branch = i;
        own.branch_end = i + 1;
    }
    for (const node_index each : branches) {
        special_node& made = special_of(each);
        const part& own = parts[part_of[each]];
        made.part = part_of[each];
        const bool is_last = nodes[each].first_successor == nodes[each].successor_end;
        const bool is_only = own.branch_end - own.first_branch == 1;
        if (is_last && is_only && made.needs == none && made.level == priority::normal &&
            counters == nullptr) {
            nodes[each].special |= ends_part;
        }
    }
    add_choices(graph);
}

void graph_plan::add_choices(const graph_core& graph) {
    std::vector<bool> is_chosen(nodes.size());
    for (const graph_core::choice& each : graph.choices) is_chosen[each.target] = true;
    for (node_index i = 0; i < nodes.size(); ++i) {
        if (nodes[i].predecessors == 0 && !is_chosen[i]) ++parts[part_of[i]].sources;
    }
    for (const part& each : parts) parts_with_sources += each.sources != 0 ? 1 : 0;
    if (parts_with_sources == 0) refuse("no node begins: each waits for a branch to choose it");

    std::vector<std::uint32_t> order(graph.choices.size()); // branch by branch
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, {}, [&](std::uint32_t each) {
        return std::pair{specials[nodes[graph.choices[each].branch].special_place()].branch, each};
    });
    std::vector<std::uint32_t> reached(nodes.size(), 0);
    for (const std::uint32_t number : order) {
        const graph_core::choice& each = graph.choices[number];
        refuse_if_it_begins(graph, each);
        const auto place = static_cast<std::uint32_t>(choices.size());
        const auto first = static_cast<std::uint32_t>(joins.size());
        choice added{each.target, part_of[each.target], first, first};
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
    const std::uint32_t entered = part_of[made.target];
    if (parts[entered].sources == 0) return;
    if (entered == part_of[made.branch] && nodes[made.target].predecessors != 0) return;
    refuse("the branch " + quoted(graph, made.branch) + " chooses " + quoted(graph, made.target) +
           ", which is connected to a node that runs without being chosen");
}

/// `reached` counts the arrivals at each node from behind the target; it is zero before and after.
void graph_plan::add_joins(choice& added, std::vector<std::uint32_t>& reached) {
    std::vector<node_index> behind{added.target};
    for (std::size_t i = 0; i < behind.size(); ++i) {
        const node& each = nodes[behind[i]];
        for (std::uint32_t s = each.first_successor; s != each.successor_end; ++s) {
            const node_index next = successors[s].index();
            if (reached[next]++ == 0) behind.push_back(next);
        }
    }
    for (const node_index each : behind) {
        if (nodes[each].predecessors > 1 && each != added.target) {
            joins.push_back({each, reached[each]});
        }
        reached[each] = 0;
    }
    added.join_end = static_cast<std::uint32_t>(joins.size());
}

/// Where a graph with branches begins. Its choices now have their places.
void graph_plan::find_begins() {
    source_count = 0;
    sink_count = 0;
    sources.clear();
    std::vector<bool> is_chosen(nodes.size());
    for (const choice& each : choices) is_chosen[each.target] = true;
    for (node_index i = 0; i < nodes.size(); ++i) {
        if (nodes[i].predecessors == 0 && !is_chosen[i]) sources.push_back(i);
    }
    for (special_node& each : specials) {
        if (each.choice_count == 0) continue;
        each.first_choice = &choices[each.first_choice_place];
        for (std::uint32_t i = each.choice_count; i != 0; --i) {
            const choice& some = each.first_choice[i - 1];
            if (some.part != each.part || some.first_join != some.join_end) continue;
            each.back_choice = i - 1;
            each.back_target = some.target;
        }
    }
}

} // namespace weft::inline v0::detail
