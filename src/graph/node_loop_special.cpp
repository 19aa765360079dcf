// Nodes that are more than a call, and runs in which nodes are not to be run.
#include "graph/admission.hpp"
#include "graph/graph_run.hpp"
#include "graph/node_loop.hpp"
#include "pool/pool_core.hpp"

#include <weft/detail/sync/clock.hpp>

#include <chrono>
#include <memory>

namespace weft::inline v0::detail {
namespace {

/// Measures a node, if its graph is measured.
class measurement {
public:
    measurement(const graph_plan& plan, node_index index) noexcept
        : counter_{plan.counters != nullptr ? &plan.counters[plan.number_of(index)] : nullptr} {
        if (counter_ != nullptr) begin_ = sync::clock::now();
    }
    ~measurement() {
        if (counter_ == nullptr) return;
        const std::chrono::nanoseconds taken = sync::clock::now() - begin_;
        counter_->runs.fetch_add(1, sync::relaxed);
        counter_->nanoseconds.fetch_add(static_cast<std::uint64_t>(taken.count()), sync::relaxed);
    }
    measurement(const measurement&) = delete;
    measurement& operator=(const measurement&) = delete;

private:
    node_counter* counter_;
    sync::clock::time_point begin_{};
};

} // namespace

active_node node_loop::step_specially(active_node current) noexcept {
    if (must_skip(current)) return finish(current, true);
    try {
        const run_state& run = *current.run;
        const graph_plan::node& node = run.nodes()[current.index];
        if (node.is_special() && run.specials()[node.special_place()].needs != graph_plan::none) {
            expect_helpers(run.whole());
            admission::request(
                run.state(current.index),
                run.graph().all_needs[run.specials()[node.special_place()].needs].claims);
            return {}; // it is queued when it is admitted
        }
        if (run_state* inner = call_specially(current)) return begin_inner(current, *inner);
    } catch (...) {
        return fail(current);
    }
    return finish(current, false);
}

/// The thread that admits a node ends it itself if the pool takes no more tasks, while its only
/// worker still runs others: from now on the worker is not alone in this run.
void node_loop::expect_helpers(graph_run& whole) noexcept {
    if (!alone_) return;
    whole.expect_helpers();
    alone_ = false;
    while (const active_node waiting = ready_->pop_range()) queue(waiting);
    ready_ = nullptr;
}

bool node_loop::must_skip(active_node current) noexcept {
    run_state& run = *current.run;
    graph_run& whole = run.whole();
    const bool ended =
        caller_ == nullptr || whole.is_abandoned() || whole.home().pool->cancelling();
    const bool stopped = whole.stop().stop_requested();
    const bool skipped = run.is_skipped(current.index);
    if (skipped) run.forget_skip(current.index);
    else if (ended) whole.note_unrun(errc::not_run);
    else if (stopped) whole.note_unrun(errc::cancelled);
    return ended || stopped || skipped;
}

/// Calls the node. If it is a subgraph or module, returns the inner run, which the caller begins,
/// and which ends before the node does. Once it has begun, other workers may end it.
run_state* node_loop::call_specially(active_node current) {
    run_state& run = *current.run;
    const graph_plan& plan = run.plan();
    const graph_plan::node& node = plan.nodes[current.index];
    if (!node.is_special()) {
        node.call(node.body, nullptr);
        return nullptr;
    }
    const graph_plan::special_node& special = plan.specials[node.special_place()];
    const measurement measured{plan, current.index};
    node_call now{run.values(), run.input_slots() + special.first_input, special.output, nullptr,
                  0};
    switch (special.role) {
    case node_role::task: node.call(node.body, &now); break;
    case node_role::branch:
        node.call(node.body, &now);
        if (now.choice < special.choice_count) {
            run.chosen(special.branch).write(static_cast<std::uint32_t>(now.choice));
        }
        break;
    case node_role::subgraph: {
        run_state::inner_graph& inner = run.inner(special.inner);
        struct guard { // a builder that throws leaves no nodes behind
            graph_core* unfinished;
            ~guard() {
                if (unfinished != nullptr) unfinished->clear();
            }
        } undo{&inner.graph};
        now.inner = &inner.graph;
        node.call(node.body, &now);
        if (inner.graph.nodes.empty()) break;
        inner.plan.build(inner.graph);
        inner.state.prepare(inner.graph, inner.plan);
        undo.unfinished = nullptr;
        return &inner.state;
    }
    case node_role::module: {
        graph_core& module = **static_cast<std::shared_ptr<graph_core>*>(node.body);
        if (module.nodes.empty()) break;
        graph_plan& inner = module.plan();
        run_state* state = inner.spare_states.try_take();
        if (state == nullptr) state = new run_state{module, inner};
        return state;
    }
    }
    return nullptr;
}

active_node node_loop::begin_inner(active_node current, run_state& inner) noexcept {
    inner.begin(current.run->whole(), current);
    return begin_run(inner);
}

} // namespace weft::inline v0::detail
