// How the nodes of a graph are run: one after the other, without a queue where that is possible.
#pragma once

#include "graph/graph_run.hpp"
#include "graph/run_state.hpp"

#include <weft/detail/graph/graph_core.hpp>
#include <weft/detail/pool/task.hpp>
#include <weft/detail/pool/worker.hpp>

#include <cstdint>

namespace weft::inline v0::detail {

struct admission;

/// Runs a node, counts down its successors, and goes on with one that is ready; the others are
/// queued, where thieves find them. So a chain needs no queue, and no stack that grows with it. If
/// the worker has no thieves, the others wait on a stack instead (`ready_stack`).
///
/// Each node counts as a pick of the worker's (`worker::picks`). When the next pick is one that
/// looks for the oldest work, and there is other work, the node is queued, and the loop returns: a
/// long chain keeps no other work waiting longer than as many tasks would. Nodes on the stack are
/// taken when nothing is queued. Before the loop leaves nodes on the stack, it queues one of them,
/// which will begin a loop that takes the rest.
///
/// The nodes with which a run begins are queued as ranges. The worker that picks a range queues the
/// upper half of it, again and again; of the last eight nodes it queues seven one by one, and runs
/// the first. So each node can be stolen, and one steal takes many.
///
/// The ends of sinks are counted together, when the loop goes on with something else than a node
/// of the same run. This delays no one: the run cannot end before its other nodes.
///
/// What must not go wrong while other workers run nodes of the same run:
///
/// - A worker counts down the last successor, and is delayed. Others run that node and end the
///   run, and the graph is destroyed: the worker must not look at it again (`count_down`;
///   graph_shapes.a_graph_may_be_destroyed_as_soon_as_its_run_has_ended).
/// - The next run begins in the same memory while an arrival of this one returns
///   (completion_count.the_next_run_may_begin_while_an_arrival_returns).
/// - A node is queued, stolen and run before the worker that queued it goes on: what it needs
///   of the node is read before (`count_down`, `queue`).
/// - Two threads of control end a part at once, and one of them is to follow its choices; another
///   branch chooses a node of a part that is just being left (`follow_choices`;
///   completion_count.the_last_thread_of_control_decides_what_comes_next).
/// - Resources admit a node while the thread that asked for them is still on its way out
///   (`step_specially` uses nothing afterwards), or when the pool takes no more tasks. Then the
///   thread that gave them back ends the node itself (`skip_admitted`), perhaps while the pool's
///   only worker still runs others: from the first request on, that worker counts as if it had
///   thieves (`expect_helpers`;
///   graph_resource.a_pool_that_ends_runs_the_nodes_that_do_not_wait).
///
/// Without a worker, which is when the pool of the run takes no more tasks, nothing is run; nodes
/// are only counted down.
class node_loop {
public:
    explicit node_loop(worker* caller) noexcept
        : caller_{caller}, alone_{caller != nullptr && !caller->has_siblings()} {}

    /// Runs a node that was queued.
    static void run_from_queue(task& self, worker& caller) noexcept;
    /// Begins a run.
    void begin(run_state& run) noexcept;
    /// Runs a node that its resources have admitted.
    void run_admitted(admission& admitted) noexcept;
    /// Ends a node that its resources have admitted, without a worker.
    void skip_admitted(admission& admitted) noexcept;

private:
    /// Nodes that have become ready, linked.
    class ready_list {
    public:
        void add(node_state& ready, node_index more = 0) noexcept {
            ready.more = more;
            ready.next = first_;
            first_ = &ready;
        }
        active_node pop() noexcept {
            auto* taken = static_cast<node_state*>(first_);
            if (taken == nullptr) return {};
            first_ = taken->next;
            return active(*taken);
        }

    private:
        task* first_ = nullptr;
    };
    /// Sinks of one group that have ended and are not counted yet.
    struct ended_sinks {
        run_state* run = nullptr;
        std::uint32_t group = 0;
        std::uint32_t count = 0;
    };
    static active_node active(const node_state& queued) noexcept {
        return {queued.owner, queued.index, queued.more};
    }

    template <class Begin>
    void run_as_task(graph_run& whole, Begin begin) noexcept;
    void run(active_node next) noexcept;
    [[nodiscard]] active_node find_next(active_node next) noexcept;
    [[nodiscard]] bool must_return(active_node next) noexcept;
    [[nodiscard]] active_node divide(active_node range) noexcept;
    [[nodiscard]] active_node take_ready() noexcept;
    [[nodiscard]] active_node take_queued() noexcept;
    [[nodiscard]] bool has_urgent_work() const noexcept;
    void add_ready(active_node ready) noexcept;
    void queue(active_node ready) noexcept;
    void notify() noexcept;

    // One node after the other
    [[nodiscard]] active_node step(active_node current) noexcept;
    [[nodiscard]] active_node run_line(run_state& run, graph_run::watch watch,
                                       node_index index) noexcept;
    template <bool Simple>
    [[nodiscard]] active_node count_down(run_state& run, node_index index) noexcept;
    [[nodiscard]] active_node fail(active_node current) noexcept;
    [[nodiscard]] active_node finish(active_node current, bool failed) noexcept;

    // The ends of runs and of their parts
    [[nodiscard]] active_node begin_run(run_state& run) noexcept;
    void end_sink(run_state& run, std::uint32_t group) noexcept;
    [[nodiscard]] active_node count_sinks() noexcept;
    [[nodiscard]] active_node end_run(run_state& run) noexcept;
    [[nodiscard]] active_node follow_choice(run_state& run, const graph_plan::special_node& branch,
                                            std::size_t choice) noexcept;
    [[nodiscard]] active_node end_thread(run_state& run, std::uint32_t part) noexcept;
    [[nodiscard]] active_node follow_choices(run_state& run, std::uint32_t part,
                                             bool& ended) noexcept;
    static void refuse_choice(run_state& run, node_index branch) noexcept;
    [[nodiscard]] active_node keep_one(const run_state& run, ready_list& ready) noexcept;

    // Nodes that are more than a call
    [[nodiscard]] active_node step_specially(active_node current) noexcept;
    void expect_helpers(graph_run& whole) noexcept;
    [[nodiscard]] bool must_skip(active_node current) noexcept;
    [[nodiscard]] static run_state* call_specially(active_node current);
    [[nodiscard]] active_node begin_inner(active_node current, run_state& inner) noexcept;

    worker* const caller_;
    bool alone_;                       // no other thread ends nodes of the run
    const graph_run* whole_ = nullptr; // what it runs nodes of
    ready_stack* ready_ = nullptr;     // of a worker without thieves
    ready_list unqueued_;              // without a worker
    ended_sinks ended_;
    graph_run* finished_ = nullptr; // its last node has ended
};

} // namespace weft::inline v0::detail
