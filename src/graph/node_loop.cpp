#include "graph/node_loop.hpp"

#include "graph/admission.hpp"
#include "graph/graph_run.hpp"
#include "pool/finder.hpp"
#include "pool/pool_core.hpp"

#include <weft/detail/sync/clock.hpp>
#include <weft/error.hpp>

#include <chrono>
#include <memory>

namespace weft::inline v0::detail {
namespace {

/// Measures a node, if its graph is measured.
class measurement {
public:
    measurement(const graph_plan& plan, node_index index) noexcept
        : counter_{plan.counters != nullptr ? &plan.counters[index] : nullptr} {
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

void node_loop::run_from_queue(task& self, worker& caller) noexcept {
    auto& queued = static_cast<node_state&>(self);
    node_loop loop{&caller};
    loop.run_as_task(queued.owner->whole(), [&] { return active(queued); });
}

void node_loop::begin(run_state& run) noexcept {
    run_as_task(run.whole(), [&]() -> active_node {
        if (!run.plan().nodes.empty()) return begin_sources(run);
        finished_ = &run.whole();
        run.end();
        return {};
    });
}

void node_loop::run_admitted(admission& admitted) noexcept {
    const active_node current = active(*admitted.node);
    run_as_task(current.run->whole(), [&]() -> active_node {
        bool failed = must_skip(current);
        run_state* inner = nullptr;
        if (!failed) {
            try {
                inner = call_specially(current);
            } catch (...) {
                failed = true;
                current.run->whole().fail(*current.run, current.index, std::current_exception());
            }
        }
        // Before the inner run begins: its end may be that of the whole run, after which the
        // resources need not exist.
        admitted.release();
        return inner != nullptr ? begin_inner(current, *inner) : finish(current, failed);
    });
}

void node_loop::skip_admitted(admission& admitted) noexcept {
    const active_node current = active(*admitted.node);
    current.run->whole().abandon();
    static_cast<void>(must_skip(current));
    admitted.release();
    run(finish(current, true));
    if (finished_ != nullptr) finished_->finish();
}

/// The run may be completed only when nothing of it is on the stack.
template <class Begin>
void node_loop::run_as_task(graph_run& whole, Begin begin) noexcept {
    whole_ = &whole;
    {
        const worker::running now{*caller_, &whole.stop()};
        run(begin());
    }
    if (finished_ != nullptr) finished_->finish();
}

void node_loop::run(active_node next) noexcept {
    if (!next) next = take_queued();
    while (next) {
        next = step(next);
        if (!next) next = take_queued();
        if (!next || caller_ == nullptr || caller_->may_pick_directly() || !must_return()) continue;
        queue(next);
        if (!alone_) caller_->pool().sleep.notify();
        return;
    }
}

/// The next pick is one that looks for the oldest work. If there is none near, the pick is counted,
/// and the loop goes on.
bool node_loop::must_return() noexcept {
    using namespace places;
    const auto& pool = static_cast<const pool_core&>(caller_->pool());
    const bool has_work = has_urgent_work() ||
                          places::queue<priority::normal>::has_work(*caller_) ||
                          places::queue<priority::low>::has_work(*caller_) ||
                          arrivals<priority::normal>::has_work(pool) ||
                          arrivals<priority::low>::has_work(pool) || sources::has_work(pool);
    if (!has_work) static_cast<void>(caller_->is_oldest_due_now());
    return has_work;
}

/// The node that this worker has queued last, if that is what it would pick anyway. So nodes of a
/// run that come from the worker's own queue need not go through all that a pick does.
active_node node_loop::take_queued() noexcept {
    if (caller_ == nullptr) return unqueued_.pop();
    if (finished_ != nullptr || caller_->queues.normal.count() == 0 || has_urgent_work()) return {};
    task* youngest = caller_->queues.normal.owner_pop();
    if (youngest == nullptr) return {};
    if (youngest->run == &run_from_queue) {
        auto& queued = static_cast<node_state&>(*youngest);
        if (&queued.owner->whole() == whole_) {
            caller_->counts.tasks.count();
            return active(queued);
        }
    }
    caller_->keep(*youngest);
    if (!alone_) caller_->pool().sleep.notify(); // for a while it was in no queue
    return {};
}

bool node_loop::has_urgent_work() const noexcept {
    const auto& pool = static_cast<const pool_core&>(caller_->pool());
    return places::queue<priority::high>::has_work(*caller_) ||
           places::arrivals<priority::high>::has_work(pool);
}

inline active_node node_loop::step(active_node current) noexcept {
    run_state& run = *current.run;
    const graph_plan::node& node = run.nodes()[current.index];
    if (run.whole().needs_attention()) [[unlikely]]
        return step_specially(current);
    if (node.special != nullptr) [[unlikely]] {
        return node.special->ends_part ? step_to_choice(run, current.index)
                                       : step_specially(current);
    }
    try {
        node.call(node.body, nullptr);
    } catch (...) {
        return fail(current);
    }
    return go_on(run, current.index);
}

/// A branch that is the end of its part: if it goes back within the part, the loop goes on at once.
active_node node_loop::step_to_choice(run_state& run, node_index index) noexcept {
    const graph_plan::node& node = run.nodes()[index];
    const graph_plan::special_node& special = *node.special;
    node_call now{run.values(), run.input_slots() + special.first_input, special.output, nullptr,
                  0};
    try {
        node.call(node.body, &now);
    } catch (...) {
        return fail({&run, index});
    }
    if (now.choice < special.choice_count) {
        const graph_plan::choice& followed = special.first_choice[now.choice];
        if (followed.part == special.part && run.activity(special.part).is_alone()) {
            run.arm(followed);
            return {&run, followed.target};
        }
        run.chosen(special.branch).write(static_cast<std::uint32_t>(now.choice));
    }
    return end_thread(run, special.part);
}

active_node node_loop::step_specially(active_node current) noexcept {
    if (must_skip(current)) return finish(current, true);
    try {
        const run_state& run = *current.run;
        const graph_plan::special_node* special = run.nodes()[current.index].special;
        if (special != nullptr && special->needs != graph_plan::none) {
            admission::request(run.state(current.index),
                               run.graph().all_needs[special->needs].claims);
            return {}; // it is queued when it is admitted
        }
        if (run_state* inner = call_specially(current)) return begin_inner(current, *inner);
    } catch (...) {
        return fail(current);
    }
    return finish(current, false);
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

/// If the node is a graph of its own, which is to end before the node does: the run of that, which
/// the caller begins. From then on others may end it.
run_state* node_loop::call_specially(active_node current) {
    run_state& run = *current.run;
    const graph_plan& plan = run.plan();
    const graph_plan::node& node = plan.nodes[current.index];
    if (node.special == nullptr) {
        node.call(node.body, nullptr);
        return nullptr;
    }
    const graph_plan::special_node& special = *node.special;
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
    return begin_sources(inner);
}

active_node node_loop::begin_sources(run_state& run) noexcept {
    const graph_plan& plan = run.plan();
    ready_list ready;
    // NOLINTNEXTLINE(modernize-loop-convert): clang 14 does not compile the view of libstdc++ 12
    for (auto each = plan.sources.rbegin(); each != plan.sources.rend(); ++each) {
        ready.add(run.state(*each));
    }
    return keep_one(run, ready);
}

/// Returns one of them to go on with, and queues the others. If the graph has priorities, all are
/// queued, and the worker takes the most urgent of them, or something else.
active_node node_loop::keep_one(const run_state& run, ready_list& ready) noexcept {
    const active_node next = run.has_priorities() ? active_node{} : ready.pop();
    bool queued = false;
    while (const active_node each = ready.pop()) {
        queue(each);
        queued = true;
    }
    if (queued && caller_ != nullptr && !alone_) caller_->pool().sleep.notify();
    return next;
}

void node_loop::queue(active_node ready) noexcept {
    const run_state& run = *ready.run;
    if (caller_ == nullptr) {
        unqueued_.add(run.state(ready.index));
        return;
    }
    const priority level =
        run.has_priorities() ? run.plan().level_of(ready.index) : priority::normal;
    caller_->keep(run.state(ready.index), level);
}

/// Counts down the successors of a node that has ended.
///
/// Once the last successor is counted down, another thread may run it, end the run, and free the
/// graph: from then on only what the caller is entitled to is used, a node that is ready, a sink,
/// or the activity of a part.
inline active_node node_loop::go_on(run_state& run, node_index index) noexcept {
    const graph_plan::node& node = run.nodes()[index];
    const node_index* each = run.successors() + node.first_successor;
    const node_index* const end = run.successors() + node.successor_end;
    if (each == end) return end_thread(run, run.plan().groups[index]);
    const bool has_branches = run.has_branches();
    const bool has_priorities = run.has_priorities();
    const std::uint32_t part = has_branches ? run.plan().groups[index] : 0;
    active_node next;
    bool queued = false;
    do {
        node_count& successor = run.count(*each);
        if (successor.predecessors != 1) {
            if (!successor.missing.arrive(alone_)) continue;
            successor.missing.arm(successor.predecessors); // GR2
        }
        if (!next && !has_priorities) {
            next = {&run, *each};
            continue;
        }
        // It may run at once: the caller stays counted while it goes on to look at successors.
        if (has_branches) run.activity(part).add(1);
        queue({&run, *each});
        queued = true;
    } while (++each != end);
    if (queued && caller_ != nullptr && !alone_) caller_->pool().sleep.notify();
    if (next || !has_branches) return next;
    return end_thread(run, part);
}

active_node node_loop::fail(active_node current) noexcept {
    current.run->whole().fail(*current.run, current.index, std::current_exception());
    return finish(current, true);
}

active_node node_loop::finish(active_node current, bool failed) noexcept {
    run_state& run = *current.run;
    if (failed) run.skip_successors(run.nodes()[current.index]);
    return go_on(run, current.index);
}

/// A node has ended, and none of its successors is ready; in a graph without branches, it has none.
/// If that was the end of the run of a subgraph or module, the node that it belongs to ends as
/// well.
active_node node_loop::end_thread(run_state& run, std::uint32_t group) noexcept {
    bool ended = false;
    if (run.has_branches()) {
        if (const active_node next = follow_choices(run, group, ended)) return next;
    } else {
        ended = run.end_sink(group, alone_);
    }
    if (!ended) return {};
    const bool failed = run.has_failed();
    const active_node parent = run.parent();
    if (!parent) finished_ = &run.whole();
    run.end();
    return parent ? finish(parent, failed) : active_node{};
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
            plan.nodes[plan.branches[i]].special->first_choice[chosen];
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
