// How runs, and parts of graphs with branches, begin and end.
#include "graph/graph_run.hpp"
#include "graph/node_loop.hpp"

#include <weft/error.hpp>

#include <exception>

namespace weft::inline v0::detail {

/// Returns the node or range with which the worker goes on.
active_node node_loop::begin_run(run_state& run) noexcept {
    const graph_plan& plan = run.plan();
    if (!run.has_branches() && !run.has_priorities()) return {&run, 0, plan.source_count - 1};
    ready_list ready;
    for (node_index i = plan.source_count; i != 0; --i) ready.add(run.state(i - 1));
    // NOLINTNEXTLINE(modernize-loop-convert): clang 14 does not compile the view of libstdc++ 12
    for (auto each = plan.sources.rbegin(); each != plan.sources.rend(); ++each) {
        ready.add(run.state(*each));
    }
    return keep_one(run, ready);
}

/// Returns one of these nodes to go on with, and queues the others. If the graph has priorities,
/// all are queued, and the worker takes the most urgent of them, or something else.
active_node node_loop::keep_one(const run_state& run, ready_list& ready) noexcept {
    const active_node next = run.has_priorities() ? active_node{} : ready.pop();
    bool queued = false;
    while (const active_node each = ready.pop()) {
        queue({each.run, each.index});
        queued = true;
    }
    if (queued && caller_ != nullptr && !alone_) caller_->pool().sleep.notify();
    return next;
}

/// If that was the run of a subgraph or module, the node that it belongs to ends as well.
active_node node_loop::end_run(run_state& run) noexcept {
    const bool failed = run.has_failed();
    const active_node parent = run.parent();
    if (!parent) finished_ = &run.whole();
    run.end();
    return parent ? finish(parent, failed) : active_node{};
}

/// The only branch of its part, the last node, has chosen. If it has chosen a node of the part, and
/// the part has ended, the loop goes on with that node at once.
active_node node_loop::follow_choice(run_state& run, const graph_plan::special_node& branch,
                                     std::size_t choice) noexcept {
    if (choice < branch.choice_count) {
        const graph_plan::choice& followed = branch.first_choice[choice];
        if (followed.part == branch.part && run.activity(branch.part).is_alone()) {
            run.arm(followed);
            return {&run, followed.target};
        }
        run.chosen(branch.branch).write(static_cast<std::uint32_t>(choice));
    }
    return end_thread(run, branch.part);
}

/// In a graph with branches a node has ended, and none of its successors is ready.
active_node node_loop::end_thread(run_state& run, std::uint32_t part) noexcept {
    bool ended = false;
    if (const active_node next = follow_choices(run, part, ended)) return next;
    return ended ? end_run(run) : active_node{};
}

/// If the whole part has ended, its branches' choices are followed; if there are none, and no other
/// part is active, the run has ended.
active_node node_loop::follow_choices(run_state& run, std::uint32_t part, bool& ended) noexcept {
    activity_count& own = run.activity(part);
    if (!own.is_last()) return {};
    const graph_plan& plan = run.plan();
    ready_list ready;
    bool stays = false;
    std::uint32_t entered = 0;
    for (std::uint32_t i = plan.parts[part].first_branch; i != plan.parts[part].branch_end; ++i) {
        const std::uint32_t chosen = run.chosen(i).read();
        if (chosen == graph_plan::none) continue;
        run.chosen(i).write(graph_plan::none);
        const graph_plan::choice& followed =
            plan.specials[plan.nodes[plan.branches[i]].special_place()].first_choice[chosen];
        const bool is_own = followed.part == part;
        if (is_own ? stays : !run.activity(followed.part).try_enter()) {
            refuse_choice(run, plan.branches[i]);
            continue;
        }
        if (is_own) stays = true;
        else ++entered;
        run.arm(followed);
        ready.add(run.state(followed.target));
    }
    if (!stays) own.leave();
    if (!stays && entered == 0) {
        ended = run.active_parts().is_last();
        return {};
    }
    const std::uint32_t more = stays ? entered : entered - 1;
    if (more > 0) run.active_parts().add(more);
    return keep_one(run, ready);
}

void node_loop::refuse_choice(run_state& run, node_index branch) noexcept {
    try {
        throw error{errc::invalid_argument, "weft::graph, it chooses a node of a part that runs"};
    } catch (...) {
        run.whole().fail(run, branch, std::current_exception());
    }
}

} // namespace weft::inline v0::detail
