// One run of a graph, as a task that can be waited for.
#pragma once

#include "graph/run_state.hpp"

#include <weft/detail/graph/graph_core.hpp>
#include <weft/detail/pool/error_handler.hpp>
#include <weft/error.hpp>
#include <weft/future.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace weft::inline v0::detail {

/// The task behind the future of a run. No worker runs it: the thread that ends the last node
/// completes it.
class graph_run final : public result_task<void> {
public:
    /// Throws std::bad_alloc.
    static graph_run& make(pool_front& pool, std::shared_ptr<graph_core> graph,
                           std::stop_token stop);
    /// Queues the run; if that is not possible, destroys it and throws `stopped` or std::bad_alloc.
    void start(const char* call);
    /// Called when the last node has ended.
    void finish() noexcept;

    /// Tells whether nodes must look for a reason not to run.
    class watch {
    public:
        explicit watch(const graph_run& whole) noexcept
            : attention_{&whole.attention_}, pool_{whole.home().pool} {}
        [[nodiscard]] bool needs_attention() const noexcept {
            if (attention_->load(sync::relaxed)) [[unlikely]]
                return true; // the pool may be gone
            if (pool_->cancelling()) [[unlikely]]
                return true;
            return false;
        }

    private:
        const sync::atomic<bool>* attention_;
        const pool_front* pool_;
    };
    /// What is ready and not queued, on a worker without thieves.
    [[nodiscard]] ready_stack& ready() const noexcept { return state_->ready(); }
    /// Threads that are no workers of the pool may end nodes, also if it has one worker only.
    void expect_helpers() noexcept { has_helpers_.store(true, sync::relaxed); }
    [[nodiscard]] bool has_helpers() const noexcept { return has_helpers_.load(sync::relaxed); }
    [[nodiscard]] const std::stop_token& stop() const noexcept { return stop_; }

    /// A node failed. The first failure becomes that of the run.
    void fail(const run_state& within, node_index failed, const std::exception_ptr& cause) noexcept;
    /// A node was not run for this reason.
    void note_unrun(errc reason) noexcept;
    /// The pool takes no more tasks: what is left is not run.
    void abandon() noexcept;
    [[nodiscard]] bool is_abandoned() const noexcept { return abandoned_.load(sync::relaxed); }

private:
    struct first_part : task {
        graph_run* whole;
        explicit first_part(graph_run& owner) noexcept : task{.run = &run_first}, whole{&owner} {}
    };
    struct stop_notice {
        graph_run* whole;
        void operator()() const noexcept { whole->attention_.store(true, sync::relaxed); }
    };
    graph_run(pool_front& pool, std::shared_ptr<graph_core> graph, std::stop_token stop);
    static void run_first(task& self, worker& caller) noexcept;
    void store_outcome() noexcept;
    void execute(worker& /*caller*/) noexcept override {}
    void destroy() noexcept override;

    first_part first_;
    std::shared_ptr<graph_core> graph_; // until the run has ended
    run_state* state_;                  // the same
    const std::stop_token stop_;
    const std::shared_ptr<const error_handler> report_; // the pool may be gone at the end
    // Relaxed: the counts order what nodes do and their successors see.
    sync::atomic<bool> attention_{false};
    sync::atomic<bool> abandoned_{false};
    sync::atomic<bool> cancelled_{false};
    sync::atomic<bool> not_run_{false};
    sync::atomic<bool> failed_{false};
    sync::atomic<bool> has_helpers_{false};
    std::exception_ptr failure_; // written by the first to fail, read at the end
    std::optional<std::stop_callback<stop_notice>> on_stop_;
};

} // namespace weft::inline v0::detail
