#include "graph/graph_run.hpp"

#include "graph/node_loop.hpp"

#include <utility>

namespace weft::inline v0::detail {
namespace {

/// The path to the node through the graphs that it is in, with what it has thrown.
std::string describe_failure(const run_state& run, node_index failed, const char* thrown) {
    std::string path = run.graph().name_of(run.plan().number_of(failed));
    for (active_node outer = run.parent(); outer; outer = outer.run->parent()) {
        path.insert(0, outer.run->graph().name_of(outer.run->plan().number_of(outer.index)) + '/');
    }
    std::string text = "weft::graph, node \"" + path + '"';
    if (thrown != nullptr) text.append(", which threw: ").append(thrown);
    return text;
}

} // namespace

graph_run::graph_run(pool_front& pool, std::shared_ptr<graph_core> graph, std::stop_token stop)
    : result_task{task_home{pool}, completion_word::made_dormant{}}, first_{*this},
      graph_{std::move(graph)}, stop_{std::move(stop)}, report_{pool.errors} {
    graph_plan& plan = graph_->plan();
    state_ = plan.spare_states.try_take();
    if (state_ == nullptr) state_ = new run_state{*graph_, plan};
    state_->begin(*this, {});
    graph_->add_user();
    if (stop_.stop_possible()) on_stop_.emplace(stop_, stop_notice{this});
}

graph_run& graph_run::make(pool_front& pool, std::shared_ptr<graph_core> graph,
                           std::stop_token stop) {
    struct guard {
        void* memory;
        ~guard() {
            if (memory != nullptr) free_task(memory, sizeof(graph_run), alignof(graph_run));
        }
    } unmade{allocate_task(sizeof(graph_run), alignof(graph_run))};
    auto* made = ::new (unmade.memory) graph_run{pool, std::move(graph), std::move(stop)};
    unmade.memory = nullptr;
    return *made;
}

void graph_run::start(const char* call) {
    struct guard {
        graph_run* unsent;
        ~guard() {
            if (unsent == nullptr) return;
            unsent->state_->end();
            unsent->graph_->remove_user();
            unsent->destroy();
        }
    } undo{this};
    worker* caller = worker::current();
    if (caller != nullptr && &caller->pool() == home().pool) caller->push(first_);
    else if (!home().pool->submit_from_outside(first_)) throw error{errc::stopped, call};
    undo.unsent = nullptr;
}

void graph_run::run_first(task& self, worker& caller) noexcept {
    const graph_run& whole = *static_cast<first_part&>(self).whole;
    node_loop{&caller}.begin(*whole.state_);
}

void graph_run::fail(const run_state& within, node_index failed,
                     const std::exception_ptr& cause) noexcept {
    attention_.store(true, sync::relaxed);
    if (failed_.exchange(true, sync::relaxed)) return;
    try {
        try {
            std::rethrow_exception(cause);
        } catch (const std::exception& known) {
            std::throw_with_nested(
                error{errc::node_failed, describe_failure(within, failed, known.what())});
        } catch (...) {
            std::throw_with_nested(
                error{errc::node_failed, describe_failure(within, failed, nullptr)});
        }
    } catch (...) {
        failure_ = std::current_exception(); // without memory: std::bad_alloc
    }
}

void graph_run::note_unrun(errc reason) noexcept {
    (reason == errc::cancelled ? cancelled_ : not_run_).store(true, sync::relaxed);
    attention_.store(true, sync::relaxed);
}

void graph_run::abandon() noexcept {
    abandoned_.store(true, sync::relaxed);
    note_unrun(errc::not_run);
}

/// The graph is given back first: when the future is ready, the graph may be changed.
void graph_run::finish() noexcept {
    static_cast<void>(word.claim_from_queue()); // no queue has it
    graph_->remove_user();
    graph_.reset();
    store_outcome();
    complete();
}

void graph_run::store_outcome() noexcept {
    const auto refuse_run = [this](errc reason) {
        result_task::fail(make_error(reason, "weft::graph::run", nullptr), report_);
    };
    if (failure_) result_task::fail(std::move(failure_), report_);
    else if (not_run_.load(sync::relaxed)) refuse_run(errc::not_run);
    else if (cancelled_.load(sync::relaxed)) refuse_run(errc::cancelled);
    else keep(nothing{}, report_);
}

void graph_run::destroy() noexcept {
    std::destroy_at(this);
    free_task(this, sizeof(graph_run), alignof(graph_run));
}

} // namespace weft::inline v0::detail
