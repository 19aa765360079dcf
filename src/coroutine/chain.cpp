#include <weft/detail/coroutine/chain.hpp>

#include "sync/stack_local.hpp"

#include <weft/detail/pool/error_handler.hpp>

#include <utility>

namespace weft::inline v0::detail {

void destroy_frame(frame_head& unbegun) noexcept {
    using unfinished = sync::stack_local<sync::stack_word::unbegun_frames, frame_head**>;
    if (frame_head** youngest = unfinished::get()) { // further down this stack
        unbegun.parent = std::exchange(*youngest, &unbegun);
        return;
    }
    frame_head* youngest = &unbegun;
    unbegun.parent = nullptr;
    unfinished::set(&youngest);
    while (youngest != nullptr) {
        const std::coroutine_handle<> each = std::exchange(youngest, youngest->parent)->self;
        each.destroy();
    }
    unfinished::set(nullptr);
}

chain::chain(const task_home& home, context given, frame_head& root) noexcept
    : home_{home}, stop_{std::move(given.stop)}, name_{given.name}, leaf_{&root}, step{nullptr},
      level_{given.level}, parent_holds_{given.holds} {
    root.owner = this;
    root.parent = nullptr;
}

bool chain::try_queue() noexcept {
    if (worker* caller = home_.current_worker()) {
        caller->keep(node(), level_);
        if (caller->has_siblings()) caller->pool().sleep.notify();
        return true;
    }
    return home_.identity.use_if_alive(
        [this] { return home_.pool->submit_from_outside(node(), level_); });
}

void chain::queue() noexcept {
    if (!try_queue()) end_unrun(errc::not_run);
}

/// The inbox is looked into when the worker has no tasks of its own, and from time to time.
void chain::queue_behind() noexcept {
    if (!home_.pool->submit_from_outside(node(), level_)) queue();
}

bool chain::try_move(pool_front& other) noexcept {
    const task_home before = std::exchange(home_, task_home{other});
    if (other.submit_from_outside(node(), level_)) return true;
    home_ = before;
    return false;
}

void chain::run(worker& caller) noexcept {
    const bool cancelling = home_.pool->cancelling();
    const bool stopped = !std::exchange(begun_, true) && stop_.stop_requested();
    if (cancelling || stopped) {
        end_unrun(cancelling ? errc::not_run : errc::cancelled);
        return;
    }
    chain_step now{leaf_};
    step = &now;
    {
        const worker::running marked{caller, &stop_};
        while (now.next != nullptr) std::exchange(now.next, nullptr)->self.resume();
    }
    if (now.ended) finish(*leaf_); // else another thread may have it (CO2)
}

/// The end of a chain may end others that wait for it, and theirs: in a loop, since such a sequence
/// may be longer than the stack.
void chain::end_unrun(errc reason) noexcept {
    using unfinished = sync::stack_local<sync::stack_word::ended_chains, chain**>;
    reason_ = reason;
    if (chain** youngest = unfinished::get()) { // further down this stack
        later = std::exchange(*youngest, this);
        return;
    }
    chain* youngest = this;
    later = nullptr;
    unfinished::set(&youngest);
    while (youngest != nullptr) {
        chain& each = *std::exchange(youngest, youngest->later);
        each.unwind(each.reason_);
    }
    unfinished::set(nullptr);
}

void chain::unwind(errc reason) noexcept {
    const failure_collection causes;
    for (frame_head* each = leaf_; each != nullptr;) {
        frame_head* parent = each->parent;
        each->self.destroy();
        each = parent;
    }
    finish_unrun(reason, causes);
}

} // namespace weft::inline v0::detail
