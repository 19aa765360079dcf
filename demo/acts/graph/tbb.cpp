// oneTBB's flow graph: nodes that pass on a message without content when all before them have.
#include "acts/graph/acts.hpp"
#include "acts/graph/runs.hpp"

#include <tbb/flow_graph.h>
#include <tbb/task_arena.h>

#include <deque>

namespace weft::demo::graph {
namespace {

class flow {
public:
    explicit flow(frame& played) {
        for (std::size_t number = 0; number != played.nodes().size(); ++number) {
            nodes_.emplace_back(graph_, [&played, number](const message& done) {
                played.run_node(number);
                return done;
            });
            const std::vector<std::size_t>& before = played.nodes()[number].before;
            for (const std::size_t each : before) make_edge(nodes_[each], nodes_.back());
            if (before.empty()) make_edge(start_, nodes_.back());
        }
    }
    void run() {
        start_.try_put(message{});
        graph_.wait_for_all();
    }

private:
    using message = tbb::flow::continue_msg;
    tbb::flow::graph graph_;
    tbb::flow::broadcast_node<message> start_{graph_};
    std::deque<tbb::flow::continue_node<message>> nodes_;
};

} // namespace

outcome with_tbb(const settings& settings) {
    frame played;
    tbb::task_arena arena{static_cast<int>(settings.threads)};
    return arena.execute([&] { // a flow graph belongs to the arena in which it is made
        flow built{played};
        return measure(settings, for_all_runs, played, [&] { built.run(); });
    });
}

} // namespace weft::demo::graph
