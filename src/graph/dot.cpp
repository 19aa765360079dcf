#include "graph/dot.hpp"

#include "graph/graph_plan.hpp"

#include <initializer_list>
#include <map>
#include <memory>
#include <string_view>

namespace weft::inline v0::detail {
namespace {

std::string escaped(std::string_view text) {
    std::string result;
    for (const char each : text) {
        if (each == '"' || each == '\\') result += '\\';
        result += each;
    }
    return result;
}

/// "3 x 12.5 us"
std::string measured(const node_counter& counted) {
    const std::uint64_t runs = counted.runs.load(sync::relaxed);
    if (runs == 0) return "not run";
    const std::uint64_t tenths = counted.nanoseconds.load(sync::relaxed) / (runs * 100);
    return std::to_string(runs) + " x " + std::to_string(tenths / 10) + '.' +
           std::to_string(tenths % 10) + " us";
}

/// Names of nodes are their numbers, behind those of the modules that they are in: "n4_0".
class drawing {
public:
    std::string draw(const graph_core& graph) {
        text_ = "digraph {\n  node [shape=box, style=rounded]\n";
        draw_nodes(graph, "n", "  ");
        draw_edges(graph, "n", "  ");
        return text_ + "}\n";
    }

private:
    void draw_nodes(const graph_core& graph, const std::string& prefix, const std::string& indent) {
        const graph_plan* plan = graph.known_plan();
        for (node_index i = 0; i < graph.nodes.size(); ++i) {
            const graph_core::node& node = graph.nodes[i];
            const std::string id = prefix + std::to_string(i);
            std::string label = escaped(graph.name_of(i));
            if (plan != nullptr && plan->counters != nullptr) {
                label += "\\n" + measured(plan->counters[i]);
            }
            put({indent, id, " [label=\"", label, "\"", shape_of(node), "]\n"});
            if (node.kind->role == node_role::module) draw_module(graph, i, id, indent);
        }
    }
    void put(std::initializer_list<std::string_view> pieces) {
        for (const std::string_view each : pieces) text_ += each;
    }
    static const char* shape_of(const graph_core::node& node) {
        switch (node.kind->role) {
        case node_role::branch: return ", shape=diamond, style=solid";
        case node_role::subgraph: return ", peripheries=2";
        case node_role::module: return ", shape=folder, style=solid";
        case node_role::task: break;
        }
        return node.has_needs ? ", style=\"rounded,bold\"" : "";
    }
    void draw_module(const graph_core& graph, node_index index, const std::string& id,
                     const std::string& indent) {
        const auto& inner = **static_cast<std::shared_ptr<graph_core>*>(graph.nodes[index].body);
        put({indent, "subgraph cluster_", id, " {\n", indent, "  label=\"",
             escaped(graph.name_of(index)), "\"\n"});
        draw_nodes(inner, id + '_', indent + "  ");
        draw_edges(inner, id + '_', indent + "  ");
        put({indent, "}\n"});
    }
    void draw_edges(const graph_core& graph, const std::string& prefix, const std::string& indent) {
        for (const graph_core::edge& each : graph.edges) {
            put({indent, prefix, std::to_string(each.before), " -> ", prefix,
                 std::to_string(each.after), "\n"});
        }
        std::map<node_index, std::uint32_t> counts; // of the choices of each branch so far
        for (const graph_core::choice& each : graph.choices) {
            const std::uint32_t number = counts[each.branch]++;
            put({indent, prefix, std::to_string(each.branch), " -> ", prefix,
                 std::to_string(each.target), " [style=dashed, label=\"", std::to_string(number),
                 "\"]\n"});
        }
    }

    std::string text_;
};

} // namespace

std::string dot_of(const graph_core& graph) { return drawing{}.draw(graph); }

} // namespace weft::inline v0::detail
