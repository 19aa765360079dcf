#include "graph/node_loop.hpp"

#include "graph/admission.hpp"
#include "pool/finder.hpp"
#include "pool/pool_core.hpp"

#include <weft/detail/sync/memory.hpp>

#include <exception>
#include <utility>

namespace weft::inline v0::detail {

void node_loop::run_from_queue(task& self, worker& caller) noexcept {
    const auto& queued = static_cast<node_state&>(self);
    node_loop loop{&caller};
    loop.run_as_task(queued.owner->whole(), [&] { return active(queued); });
}

void node_loop::begin(run_state& run) noexcept {
    run_as_task(run.whole(), [&]() -> active_node {
        if (!run.plan().nodes.empty()) return begin_run(run);
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
    if (alone_ && !whole.has_helpers()) ready_ = &whole.ready();
    else alone_ = false;
    {
        const worker::running now{*caller_, &whole.stop()};
        run(begin());
    }
    if (finished_ != nullptr) finished_->finish();
}

void node_loop::run(active_node next) noexcept {
    next = find_next(next);
    while (next) {
        next = find_next(step(next));
        if (!next || caller_ == nullptr || caller_->may_pick_directly() || !must_return(next)) {
            continue;
        }
        queue(next);
        while (ended_.run != nullptr) {
            if (const active_node behind = count_sinks()) queue(behind);
        }
        notify();
        return;
    }
}

/// Returns `next`, or if that is none, another node that is ready. Before the loop leaves a run, it
/// counts those sinks of the run that have ended.
active_node node_loop::find_next(active_node next) noexcept {
    if (!next) next = take_ready();
    while (ended_.run != nullptr && next.run != ended_.run) {
        const active_node waiting = next;
        next = count_sinks();
        if (!next) {
            next = waiting ? waiting : take_ready();
        } else if (waiting) {
            add_ready(waiting);
            notify();
        }
    }
    return next.more == 0 ? next : divide(next);
}

/// The next pick is one that looks for the oldest work. Returns whether there is other work; if
/// not, the pick is counted, and the loop goes on. In a graph with branches, what waits on the
/// stack is other work: a loop of nodes may go on until it has run.
bool node_loop::must_return(active_node next) noexcept {
    using namespace places;
    auto& pool = static_cast<pool_core&>(caller_->pool());
    const bool fired = pool.fire_due(*caller_); // as the finder does at such a pick
    const bool has_work = fired || has_urgent_work() ||
                          places::queue<priority::normal>::has_work(*caller_) ||
                          places::queue<priority::low>::has_work(*caller_) ||
                          arrivals<priority::normal>::has_work(pool) ||
                          arrivals<priority::low>::has_work(pool) || sources::has_work(pool);
    if (ready_ != nullptr && next.run->has_branches()) {
        if (const active_node waiting = ready_->pop()) {
            queue(waiting);
            return true;
        }
    }
    if (!has_work) static_cast<void>(caller_->is_oldest_due_now());
    return has_work;
}

/// Queues all of a range but the first node, so that half of it can be stolen at once.
active_node node_loop::divide(active_node range) noexcept {
    if (ready_ != nullptr) {
        add_ready({range.run, range.index + 1, range.more - 1});
        return {range.run, range.index};
    }
    constexpr node_index few = 7; // then one by one: a notification for each half costs more
    for (; range.more > few; range.more /= 2) {
        const node_index upper = range.more - range.more / 2;
        queue({range.run, range.index + range.more / 2 + 1, upper - 1});
    }
    for (; range.more != 0; --range.more) queue({range.run, range.index + range.more});
    notify();
    return range;
}

/// A node of this run that the worker would pick anyway: this is cheaper than to return, and to let
/// the worker pick it.
inline active_node node_loop::take_ready() noexcept {
    if (caller_ == nullptr) return unqueued_.pop();
    if (finished_ != nullptr) return {};
    const bool has_tasks = caller_->queues.normal.count() != 0;
    if (ready_ == nullptr) return has_tasks && !has_urgent_work() ? take_queued() : active_node{};
    if (!has_urgent_work()) return has_tasks ? take_queued() : ready_->pop();
    if (const active_node later = ready_->pop()) queue(later);
    return {};
}

/// The youngest task, if it is a node of this run.
active_node node_loop::take_queued() noexcept {
    task* youngest = caller_->queues.normal.owner_pop();
    if (youngest == nullptr) return {};
    if (youngest->run == &run_from_queue) {
        const auto& queued = static_cast<node_state&>(*youngest);
        if (&queued.owner->whole() == whole_) {
            caller_->counts.tasks.count();
            return active(queued);
        }
    }
    if (ready_ != nullptr) {
        if (const active_node later = ready_->pop()) queue(later);
    }
    caller_->keep(*youngest);
    notify(); // for a while it was in no queue
    return {};
}

bool node_loop::has_urgent_work() const noexcept {
    const auto& pool = static_cast<const pool_core&>(caller_->pool());
    return places::queue<priority::high>::has_work(*caller_) ||
           places::arrivals<priority::high>::has_work(pool);
}

/// A node that this loop may come back to; if the worker has thieves, they find it.
inline void node_loop::add_ready(active_node ready) noexcept {
    if (ready_ != nullptr && !ready.run->has_priorities() && ready_->try_push(ready)) return;
    queue(ready);
}

void node_loop::queue(active_node ready) noexcept {
    const run_state& run = *ready.run;
    node_state& state = run.state(ready.index);
    if (caller_ == nullptr) {
        unqueued_.add(state, ready.more);
        return;
    }
    state.more = ready.more;
    const priority level =
        run.has_priorities() ? run.plan().level_of(ready.index) : priority::normal;
    caller_->keep(state, level);
}

inline void node_loop::notify() noexcept {
    if (caller_ != nullptr && !alone_) caller_->pool().sleep.notify();
}

/// Runs a node, and those behind it as long as one of them is ready.
active_node node_loop::step(active_node current) noexcept {
    run_state& run = *current.run;
    const graph_run::watch watch{run.whole()};
    const graph_plan::node* const nodes = run.nodes();
    const bool is_simple = run.is_simple();
    for (node_index index = current.index;;) {
        const graph_plan::node& node = nodes[index];
        active_node next;
        if (node.is_in_line()) {
            next = run_line(run, watch, index);
        } else {
            if (node.is_special() || watch.needs_attention()) [[unlikely]]
                return step_specially({&run, index});
            try {
                node.call(node.body, nullptr);
            } catch (...) {
                return fail({&run, index});
            }
            next = is_simple ? count_down<true>(run, index) : count_down<false>(run, index);
            // The run goes on if this loop has sinks of it that are not counted, or is alone.
            if (!next && (alone_ || ended_.run == &run)) next = take_ready();
        }
        if (next.run != &run || next.more != 0) return next;
        if (caller_ == nullptr || !caller_->may_pick_directly()) return next;
        index = next.index;
    }
}

/// Runs a node that is in line, and those behind it as long as they are in line too.
///
/// The CPU would wait for the number of each node to be loaded before it could load the next one.
/// So the number is guessed: most nodes follow the one before in memory, and most turns of a loop
/// begin where the last one did.
active_node node_loop::run_line(run_state& run, graph_run::watch watch, node_index index) noexcept {
    const graph_plan::node* const nodes = run.nodes();
    const graph_plan::successor* const successors = run.successors();
    const graph_plan::special_node* const specials = run.specials();
    const graph_plan::node* node = nodes + index;
    const graph_plan::node* turn = node;
    node_call now{run.values(), nullptr, node_call::no_slot, nullptr, 0};
    const unsigned picks = caller_ == nullptr ? 0 : caller_->direct_picks();
    unsigned left = picks;
    const auto current = [&]() -> active_node {
        return {&run, static_cast<node_index>(node - nodes)};
    };
    active_node next;
    try {
        for (;; --left) {
            if (watch.needs_attention()) [[unlikely]] {
                next = step_specially(current());
                break;
            }
            const graph_plan::node* behind = nullptr;
            if (node->special == graph_plan::straight) {
                node->call(node->body, nullptr);
                behind = nodes + successors[node->first_successor].index();
                behind = sync::guessed(behind, node + 1);
            } else {
                const graph_plan::special_node& branch = specials[node->special_place()];
                now.inputs = run.input_slots() + branch.first_input;
                node->call(node->body, &now);
                if (now.choice != branch.back_choice || !run.activity(branch.part).is_alone()) {
                    next = follow_choice(run, branch, now.choice);
                    break;
                }
                turn = behind = sync::guessed(nodes + branch.back_target, turn);
            }
            node = behind;
            if (left == 0 || !node->is_in_line()) {
                next = current();
                break;
            }
        }
    } catch (...) {
        next = fail(current());
    }
    if (caller_ != nullptr) caller_->count_direct_picks(picks - left);
    return next;
}

/// Counts down the successors of a node that has ended. `Simple`: the graph has no branches and no
/// priorities.
///
/// Once the last successor is counted down, another thread may run it, end the run, and free the
/// graph: from then on only what the caller is entitled to is used, a node that is ready, a sink,
/// or the activity of a part.
template <bool Simple>
[[gnu::always_inline]] inline active_node node_loop::count_down(run_state& run,
                                                                node_index index) noexcept {
    const graph_plan::node& node = run.nodes()[index];
    const bool has_branches = !Simple && run.has_branches();
    const bool has_priorities = !Simple && run.has_priorities();
    const graph_plan::successor* const successors = run.successors();
    const std::uint32_t end = node.successor_end;
    std::uint32_t each = node.first_successor;
    if (each == end && !has_branches) {
        end_sink(run, each);
        return {};
    }
    active_node next;
    bool queued = false;
    for (; each != end; ++each) {
        const node_index behind = successors[each].index();
        if (!successors[each].is_only_way()) {
            completion_count& missing = run.missing(behind);
            if (!missing.arrive(alone_)) continue;
            missing.arm(run.nodes()[behind].predecessors); // GR2
        }
        if (!next && !has_priorities) {
            next = {&run, behind};
            continue;
        }
        // Others may run it at once. The caller stays counted, since it still looks at successors.
        if (has_branches) run.activity(run.plan().part_of[index]).add(1);
        add_ready({&run, behind});
        queued = true;
    }
    if (queued) notify();
    if (next || !has_branches) return next;
    return end_thread(run, run.plan().part_of[index]);
}

active_node node_loop::fail(active_node current) noexcept {
    current.run->whole().fail(*current.run, current.index, std::current_exception());
    return finish(current, true);
}

active_node node_loop::finish(active_node current, bool failed) noexcept {
    run_state& run = *current.run;
    if (failed) run.skip_successors(run.nodes()[current.index]);
    return count_down<false>(run, current.index);
}

/// Notes a sink, to be counted later. Those noted before are of the same run.
inline void node_loop::end_sink(run_state& run, std::uint32_t group) noexcept {
    if (ended_.run == nullptr || ended_.group != group) {
        // The run does not end with those, since this sink is not counted yet.
        static_cast<void>(count_sinks());
        ended_ = {&run, group, 0};
    }
    ++ended_.count;
}

active_node node_loop::count_sinks() noexcept {
    const ended_sinks counted = std::exchange(ended_, {});
    if (counted.run == nullptr) return {};
    if (!counted.run->end_sinks(counted.group, counted.count, alone_)) return {};
    return end_run(*counted.run);
}

} // namespace weft::inline v0::detail
