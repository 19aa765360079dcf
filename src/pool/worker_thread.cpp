#include "pool/worker_thread.hpp"

#include <weft/detail/sync/thread.hpp>

namespace weft::inline v0::detail {

void worker_thread::run() {
    const pool_options& options = pool_->options;
    {
        const worker::thread_binding bound{*self_, options.stack_size};
        pool_->placement.begin(self_->index());
        sync::wake_on_time(); // for timers
        if (options.on_start) options.on_start(self_->index());
        work();
    } // before the hook: what it submitted to this worker would never be run
    if (options.on_end) options.on_end(self_->index());
}

void worker_thread::work() noexcept {
    while (finding found = search_or_sleep()) {
        pool_->sleep.end_search([this] { return pool_->needs_worker(); });
        for (; found; found = find_next()) run(found);
        pool_->sleep.begin_search();
    }
}

/// Returns nothing when the pool is over.
finding worker_thread::search_or_sleep() noexcept {
    while (!pool_->over()) {
        const bool surplus = is_surplus(); // the block that it stood in for has ended
        finder_.set_hungry(!surplus);
        if (finding found = surplus ? finder_.find_left() : finder_.search()) {
            finder_.set_hungry(false);
            return found;
        }
        if (pool_->fire_last(*self_)) continue;
        if (surplus) wait_on_standby();
        else sleep();
    }
    return {};
}

void worker_thread::wait_on_standby() noexcept {
    pool_->sleep.stay_away([this] { return pool_->needs_worker(); });
    pool_->stand_ins.wait(self_->index(), [this] { return pool_->look_for_end(); });
    pool_->sleep.come_back();
}

void worker_thread::sleep() noexcept {
    for (const auto& each : pool_->workers) {
        if (each.get() == self_) continue;
        each->request_share();
        if (each->stacks == nullptr) continue;
        each->stacks->find_active([](worker& side) {
            side.request_share();
            return false;
        });
    }
    self_->counts.parks.count();
    pool_->placement.leave(self_->index());
    const auto stays_awake = [this] { return pool_->has_work() || pool_->look_for_end(); };
    const auto next_alarm = [this] { return pool_->next_alarm(); };
    if (pool_->sleep.sleep(self_->index(), stays_awake, next_alarm)) self_->counts.wakes.count();
    if (pool_->over()) return;
    pool_->fire_due(*self_); // at once, and not only at a pick
    pool_->placement.settle(self_->index());
}

/// After a task. A stand-in that is no longer needed leaves all but its own tasks to others.
finding worker_thread::find_next() noexcept {
    return is_surplus() ? finder_.find_left() : finder_.find_near();
}

bool worker_thread::is_surplus() const noexcept {
    return pool_->stand_ins.is_surplus(self_->index());
}

void worker_thread::run(finding found) noexcept {
    switch (found.kind()) {
    case finding::work::nothing: break;
    case finding::work::task:
        self_->counts.tasks.count();
        found.next().run(found.next(), *self_);
        break;
    case finding::work::child:
        self_->run_stolen(found.child(), pool_->worker_at(found.victim()));
        break;
    case finding::work::source: run_source();
    }
    if (self_->stacks != nullptr) self_->stacks->settle();
}

void worker_thread::run_source() noexcept {
    const bool ran = pool_->sources.visit(
        next_source_, [this](work_source& each) { return self_->run_source(each); });
    if (!ran) sync::pause(); // another thread is about to add it, or has just taken it
}

} // namespace weft::inline v0::detail
