#include <weft/graph.hpp>

#include "graph/dot.hpp"
#include "graph/graph_plan.hpp"
#include "graph/graph_run.hpp"

#include <weft/detail/resource/resource_task.hpp>

#include <utility>

namespace weft::inline v0 {
namespace {

/// Runs, and graphs that have it as a part, share a graph that cannot be changed.
void require_unshared(const detail::graph_core& graph, const char* call) {
    if (graph.is_shared()) {
        throw error{errc::invalid_argument,
                    std::string{call} + ", the graph runs, or is part of another graph"};
    }
}

} // namespace

void any_graph_node::reopen(const any_graph_node& other, const char* call) const {
    if (graph_ != other.graph_) throw error{errc::invalid_argument, call};
    require_unshared(*graph_, call);
    graph_->drop_plan();
}

void any_graph_node::add_choice(const any_graph_node& target) const {
    reopen(target, "weft::graph_branch::chooses");
    graph_->choices.push_back({index_, target.index_});
}

void any_graph_node::set_priority(weft::priority level) const {
    reopen(*this, "weft::graph_node::priority");
    graph_->nodes[index_].level = level;
}

void graph_builder::reopen() {
    require_unshared(*core_, "weft::graph::add");
    core_->drop_plan();
}

void graph_builder::refuse_node() {
    throw error{errc::invalid_argument, "weft::graph::add, with a node of another graph"};
}

graph_node<void> graph_builder::add(std::string_view name, const graph& module) {
    if (&module.core() == core_) throw error{errc::would_deadlock, "weft::graph::add"};
    require_open();
    const detail::node_index added = core_->add<std::shared_ptr<detail::graph_core>>(
        detail::module_body::kind, name, module.owned_);
    module.owned_->add_user();
    return {*core_, added};
}

graph::graph() : graph_builder{nullptr}, owned_{std::make_shared<detail::graph_core>()} {
    core_ = owned_.get();
}
graph::~graph() = default;

void graph::prepare() { static_cast<void>(owned_->plan()); }

namespace {

future<void> start_run(pool* target, const std::shared_ptr<detail::graph_core>& graph,
                       const run_options& options) {
    constexpr const char* call = "weft::graph::run";
    detail::graph_run& made =
        detail::graph_run::make(detail::pool_for(target, call), graph, options.stop);
    made.start(call);
    return future<void>{made};
}

} // namespace

future<void> graph::run(pool& target, const run_options& options) {
    return start_run(&target, owned_, options);
}
future<void> graph::run(const run_options& options) { return start_run(nullptr, owned_, options); }

void graph::measure() {
    require_unshared(*owned_, "weft::graph::measure");
    owned_->drop_plan();
    owned_->is_measured = true;
}

std::vector<node_statistics> graph::statistics() const {
    std::vector<node_statistics> all;
    const detail::graph_plan* plan = owned_->known_plan();
    if (plan == nullptr || plan->counters == nullptr) return all;
    for (detail::node_index i = 0; i < owned_->nodes.size(); ++i) {
        const detail::node_counter& counted = plan->counters[i];
        all.push_back({owned_->name_of(i), counted.runs.load(sync::relaxed),
                       std::chrono::nanoseconds{counted.nanoseconds.load(sync::relaxed)}});
    }
    return all;
}

std::string graph::to_dot() const { return detail::dot_of(*owned_); }

} // namespace weft::inline v0
