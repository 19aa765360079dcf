#include <weft/detail/coroutine/waits.hpp>

#include <weft/detail/coroutine/frame.hpp>

#include <cstddef>
#include <memory>
#include <new>

namespace weft::inline v0::detail {

stoppable_wait::stoppable_wait(chain& waiting, void* memory) noexcept
    : waiting_{&waiting}, memory_{memory} {
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

namespace {

/// Nodes are aligned to cache lines, and blocks are not; with room for that, it fits a block.
constexpr std::size_t wait_memory =
    sizeof(stoppable_wait) + alignof(stoppable_wait) - block_cache::block_alignment;
#ifndef WEFT_MODEL
static_assert(wait_memory <= block_cache::block_size);
#endif

} // namespace

stoppable_wait& stoppable_wait::make(chain& waiting) {
    void* memory = allocate_frame(wait_memory);
    void* aligned = memory;
    std::size_t space = wait_memory;
    std::align(alignof(stoppable_wait), sizeof(stoppable_wait), aligned, space);
    return *::new (aligned) stoppable_wait{waiting, memory};
}

bool stoppable_wait::begin(joinable_task& awaited) noexcept {
    if (!awaited.word.try_add(*this)) return false;
    link_.emplace(waiting_->stop(), stopper{*this});
    return word.try_suspend();
}

void stoppable_wait::free() noexcept {
    void* memory = memory_;
    std::destroy_at(this);
    free_frame(memory, wait_memory);
}

void stoppable_wait::leave() noexcept {
    if (!word.stopped() || word.waiter_lets_go()) free();
}

void stoppable_wait::operator()() noexcept {
    chain& resumed = *waiting_;
    if (word.stop()) resumed.queue();
}

} // namespace weft::inline v0::detail
