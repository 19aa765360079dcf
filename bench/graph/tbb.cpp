// oneTBB's flow graph: nodes that pass on a message without content when all before them have.
#include "graph/config.hpp"
#include "runner/tbb_stage.hpp"

#include <tbb/flow_graph.h>

#include <deque>
#include <memory>

namespace bench::graphs {
namespace {

using message = tbb::flow::continue_msg;
using node = tbb::flow::continue_node<message>;

struct flow {
    tbb::flow::graph graph;
    tbb::flow::broadcast_node<message> start{graph};
    std::deque<node> nodes;
};

template <class Body>
std::unique_ptr<flow> build(const shape& described, Body body) {
    auto made = std::make_unique<flow>();
    for (std::size_t i = 0; i != described.nodes; ++i)
        made->nodes.emplace_back(made->graph, body(i));
    std::vector<bool> follows(described.nodes);
    for (const auto& [before, after] : described.edges) {
        tbb::flow::make_edge(made->nodes[before], made->nodes[after]);
        follows[after] = true;
    }
    for (std::size_t i = 0; i != described.nodes; ++i) {
        if (!follows[i]) tbb::flow::make_edge(made->start, made->nodes[i]);
    }
    return made;
}

auto empty_body(std::size_t /*node*/) {
    return [](const message& done) { return done; };
}

void run_once(tbb_stage& on, flow& some) {
    on.run([&] {
        some.start.try_put(message{});
        some.graph.wait_for_all();
    });
}

struct prepared {
    std::shared_ptr<tbb_stage> on;
    std::unique_ptr<flow> graph;
    void run() const { run_once(*on, *graph); }
};

struct building {
    std::shared_ptr<tbb_stage> on;
    shape described;
    void run() const {
        on->run([&] { build(described, empty_body); });
    }
};

/// A flow graph belongs to the arena in which it is constructed.
std::shared_ptr<prepared> checked(const std::shared_ptr<tbb_stage>& on, const shape& described) {
    on->before();
    order_check order{described};
    const auto body = [&](std::size_t number) {
        return [&order, number](const message& done) {
            order.visit(number);
            return done;
        };
    };
    const auto checking = on->run([&] { return build(described, body); });
    run_once(*on, *checking);
    order.check();
    auto made = std::make_shared<prepared>(
        prepared{on, on->run([&] { return build(described, empty_body); })});
    on->after();
    return made;
}

std::vector<contestant> contestants(const request& request) {
    const auto on = std::make_shared<tbb_stage>(request);
    std::vector<contestant> made;
    for (const shape& each : shapes(request)) {
        made.push_back(timed_parts(on, each.name, "ns_per_node", each.nodes, checked(on, each)));
    }
    const auto built = std::make_shared<building>(building{on, wavefront(316)});
    made.push_back(timed_parts(on, "build", "ns_per_node", built->described.nodes, built));
    const auto one = checked(on, chain(1));
    made.push_back(timed_parts(on, "one", "ns_per_run", 1, one));
    return made;
}

const registration registered{{"graph", "tbb", contestants}};

} // namespace
} // namespace bench::graphs
