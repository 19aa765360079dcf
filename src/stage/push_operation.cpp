#include <weft/detail/stage/push_operation.hpp>

#include "stage/stage_group_core.hpp"

#include <weft/detail/pool/worker.hpp>
#include <weft/detail/resource/completion_task.hpp>
#include <weft/detail/sync/memory.hpp>

#include <memory>
#include <utility>

namespace weft::inline v0::detail {

bool held_push::try_begin(completion_node& waiter) noexcept {
    waiter_ = &waiter;
    state expected = state::idle;
    holders_.store(2, sync::relaxed);
    // release, pairs with cancel(): the waiter [HELD-1]
    if (state_.compare_exchange_strong(expected, state::waiting, sync::release, sync::relaxed)) {
        return true;
    }
    holders_.store(1, sync::relaxed);
    return false;
}

void held_push::pass() noexcept { state_.store(state::admitted, sync::relaxed); }

void held_push::cancel() noexcept {
    state now = state_.load(sync::relaxed);
    while (now == state::idle || now == state::waiting) {
        // acquire, pairs with try_begin() [HELD-2]
        if (!state_.compare_exchange_weak(now, state::cancelled, sync::acquire, sync::relaxed)) {
            continue;
        }
        if (now == state::waiting) waiter_->notify(*waiter_);
        return;
    }
}

bool held_push::is_cancelled() const noexcept {
    return state_.load(sync::relaxed) == state::cancelled;
}

bool held_push::is_stopped() const noexcept { return state_.load(sync::relaxed) == state::stopped; }

bool held_push::admit(waiting_push& self, bool ended) noexcept {
    auto& push = static_cast<held_push&>(self);
    state expected = state::waiting;
    const state next = ended ? state::stopped : state::admitted;
    const bool wanted =
        push.state_.compare_exchange_strong(expected, next, sync::relaxed, sync::relaxed);
    completion_node* waiter = push.waiter_;
    push.drop();
    if (wanted) waiter->notify(*waiter);
    return wanted;
}

void held_push::drop() noexcept {
    // release and acquire: what each did with it comes before its freeing [HELD-3]
    if (holders_.fetch_sub(1, sync::acq_rel) == 1) sync::destroy(this);
}

namespace {

/// A push that completes a future.
struct future_push final : waiting_push {
    completion_task<void>* task;
    explicit future_push(completion_task<void>& ready) noexcept : task{&ready} {
        admitted = &admit;
    }
    static bool admit(waiting_push& self, bool ended) noexcept {
        auto& push = static_cast<future_push&>(self);
        if (ended) push.task->fail_with(make_error(errc::stopped, "weft::stage", nullptr));
        else push.task->fulfil();
        sync::destroy(&push);
        return true;
    }
};

} // namespace

future<void> push_later(stage_core& core, stage_node& node) {
    auto* task = completion_task<void>::make(*core.group().pool());
    static_cast<void>(task->try_give_future());
    future<void> ready{*task};
    struct ending {
        void operator()(completion_task<void>* unused) const noexcept {
            unused->break_off_quietly();
        }
    };
    std::unique_ptr<completion_task<void>, ending> unused{task};
    auto* push = sync::make<future_push>(*task);
    static_cast<void>(unused.release());
    if (core.push_or_owe(node, *push)) future_push::admit(*push, false);
    return ready;
}

bool is_on_worker(const stage_core& core) noexcept {
    const worker* caller = worker::current();
    return caller != nullptr && &caller->pool() == core.group().pool();
}

} // namespace weft::inline v0::detail
