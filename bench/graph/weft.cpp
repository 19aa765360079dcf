#include "graph/config.hpp"

#include <weft/graph.hpp>
#include <weft/pool.hpp>

namespace bench::graphs {
namespace {

struct stage {
    explicit stage(const request& request) : pool{request.threads} {}
    void before() {
        pool.run([] {});
    }
    void after() {}
    weft::pool pool;
};

template <class Body>
weft::graph build(const shape& described, Body body) {
    weft::graph made;
    std::vector<weft::graph_node<void>> nodes;
    nodes.reserve(described.nodes);
    for (std::size_t i = 0; i != described.nodes; ++i) nodes.push_back(made.add(body(i)));
    for (const auto& [before, after] : described.edges) nodes[before].before(nodes[after]);
    return made;
}

auto empty_body(std::size_t /*node*/) {
    return [] {};
}

struct prepared {
    std::shared_ptr<stage> on;
    weft::graph graph;
    void run() { graph.run(on->pool).get(); }
};

/// The graph is built and prepared, but not run.
struct building {
    shape described;
    void run() const { build(described, empty_body).prepare(); }
};

std::shared_ptr<prepared> checked(const std::shared_ptr<stage>& on, const shape& described) {
    order_check order{described};
    weft::graph checking =
        build(described, [&](std::size_t node) { return [&order, node] { order.visit(node); }; });
    checking.run(on->pool).get();
    order.check();
    auto made = std::make_shared<prepared>(prepared{on, build(described, empty_body)});
    made->graph.prepare();
    return made;
}

/// A body, and a branch that goes back to it.
std::shared_ptr<prepared> loop(const std::shared_ptr<stage>& on, std::size_t turns) {
    auto made = std::make_shared<prepared>(prepared{on, {}});
    auto left = std::make_shared<std::size_t>(0);
    const auto start = made->graph.add([left, turns] { *left = turns; });
    const auto body = made->graph.add([] {}).after(start);
    made->graph.branch("again?", [&count = *left] { return --count != 0 ? 0 : 1; })
        .after(body)
        .chooses(body);
    return made;
}

std::shared_ptr<prepared> inner_tasks(const std::shared_ptr<stage>& on, std::size_t tasks) {
    auto made = std::make_shared<prepared>(prepared{on, {}});
    made->graph.add([tasks](weft::subgraph& inner) {
        for (std::size_t i = 0; i != tasks; ++i) inner.add([] {});
    });
    return made;
}

std::vector<contestant> contestants(const request& request) {
    const auto on = std::make_shared<stage>(request);
    std::vector<contestant> made;
    for (const shape& each : shapes(request)) {
        made.push_back(timed_parts(on, each.name, "ns_per_node", each.nodes, checked(on, each)));
    }
    constexpr std::size_t parts = 100'000;
    made.push_back(timed_parts(on, "loop", "ns_per_turn", parts, loop(on, parts)));
    made.push_back(timed_parts(on, "subgraph", "ns_per_task", parts, inner_tasks(on, parts)));
    const auto built = std::make_shared<building>(building{wavefront(316)});
    made.push_back(timed_parts(on, "build", "ns_per_node", built->described.nodes, built));
    const auto one = checked(on, chain(1));
    made.push_back(timed_parts(on, "one", "ns_per_run", 1, one));
    return made;
}

const registration registered{{"graph", "weft", contestants}};

} // namespace
} // namespace bench::graphs
