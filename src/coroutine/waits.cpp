#include <weft/detail/coroutine/waits.hpp>

#include <weft/detail/resource/resource_task.hpp>

#include <memory>
#include <new>

namespace weft::inline v0::detail {

stoppable_wait::stoppable_wait(chain& waiting) noexcept : waiting_{&waiting} {
    notify = [](completion_node& node) noexcept {
        auto& self = static_cast<stoppable_wait&>(node);
        chain& resumed = *self.waiting_; // CW4
        switch (self.word.end()) {
        case suspension::verdict::resume: resumed.queue(); break;
        case suspension::verdict::nothing: break;
        case suspension::verdict::unwanted:
            if (self.word.end_lets_go()) self.free();
        }
    };
}

/// In a block that is aligned as nodes are.
stoppable_wait& stoppable_wait::make(chain& waiting) {
    void* memory = allocate_resource_task(sizeof(stoppable_wait), alignof(stoppable_wait));
    return *::new (memory) stoppable_wait{waiting};
}

bool stoppable_wait::begin(joinable_task& awaited) noexcept {
    if (!awaited.word.try_add(*this)) return false;
    link_.emplace(waiting_->stop(), stopper{*this});
    return word.try_suspend();
}

void stoppable_wait::free() noexcept {
    std::destroy_at(this);
    free_resource_task(this, sizeof(stoppable_wait), alignof(stoppable_wait));
}

void stoppable_wait::leave() noexcept {
    if (!word.stopped() || word.waiter_lets_go()) free();
}

void stoppable_wait::operator()() noexcept {
    chain& resumed = *waiting_;
    if (word.stop()) resumed.queue();
}

} // namespace weft::inline v0::detail
