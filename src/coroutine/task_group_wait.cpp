#include <weft/detail/coroutine/task_group_wait.hpp>

#include <weft/detail/pool/error_handler.hpp>

#include <utility>

namespace weft::inline v0::detail {

branch::branch(branch_group& whole, std::size_t position, frame_head& root) noexcept
    : task{.run = [](task& self,
                     worker& caller) noexcept { static_cast<branch&>(self).chain::run(caller); }},
      chain{whole.waiter().owner->home(), whole.context(), root}, group_{&whole}, root_{&root},
      index_{position} {}

branch::~branch() {
    if (root_ == nullptr) return;
    if (root_->self.done()) root_->self.destroy();
    else destroy_frame(*root_);
}

void branch::finish(frame_head& root) noexcept { group_->ended(index_, root.failure != nullptr); }

void branch::finish_unrun(errc reason, const failure_collection& cause) noexcept {
    root_ = nullptr;
    unrun_ = make_error(reason, "weft::task", cause.first());
    group_->ended(index_, true);
}

chain::context branch_group::context() const noexcept {
    const chain& own = *waiter_->owner;
    return {{}, own.name(), own.level(), own.holds()};
}

void branch_group::prepare(std::size_t count, const char* call) {
    require_unstopped(*waiter_->owner, call);
    if (count > 0) stop_.emplace();
}

bool branch_group::begin(std::optional<branch>* branches, std::size_t count) noexcept {
    chain& own = *waiter_->owner;
    own.set_leaf(*waiter_);
    pending_.store(count + 1, sync::relaxed); // published with the branches
    for (std::size_t i = 0; i < count; ++i) branches[i]->exchange_stop(stop_->get_token());
    for (std::size_t i = count; i > 0; --i) branches[i - 1]->queue();
    if (own.stop().stop_possible()) stop_link_.emplace(own.stop(), stopper{*this});
    return !arrive();
}

void branch_group::ended(std::size_t index, bool failed) noexcept {
    if (mode_ == mode::any || failed) {
        // BG3. Relaxed: the arrival publishes it.
        std::size_t expected = none;
        if (first_.compare_exchange_strong(expected, index, sync::relaxed, sync::relaxed)) {
            stop_->request_stop();
        }
    }
    chain& resumed = *waiter_->owner;
    if (arrive()) resumed.queue(); // BG1
}

} // namespace weft::inline v0::detail
