#include "pool/thread_stacks.hpp"

#include "pool/pool_core.hpp"

#include "sync/stack_local.hpp"

#include <weft/detail/sync/clock.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <new>

namespace weft::inline v0::detail {

side_children::side_children(std::size_t stack_size)
    : size_{(stack_size / sizeof(sync::stack_mark) + 1) * sizeof(scoped_child)},
      memory_{::mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)} {
    if (memory_ == MAP_FAILED) throw std::bad_alloc{};
}
side_children::~side_children() { ::munmap(memory_, size_); }

namespace {

/// Threads have some stack however little was asked for; so have side stacks.
constexpr std::size_t least_stack = std::size_t{128} * 1024;

} // namespace

thread_stacks::side_stack::side_stack(thread_stacks& thread, std::size_t index, std::size_t size)
    : owner{&thread}, children{size},
      self{*thread.pool_, index, true, children.begin(), thread.host_},
      stack{size, &thread_stacks::live, this} {
    self.stacks = &thread;
    self.stack = &stack;
    self.set_stack_bottom(stack.bottom());
}

thread_stacks::thread_stacks(pool_core& pool, worker& host) : pool_{&pool}, host_{&host} {
    host.stacks = this;
    host.stack = &own_;
}
thread_stacks::~thread_stacks() = default;

bool thread_stacks::try_prepare() noexcept {
    if (free_ != nullptr) return true;
    const std::size_t made = made_.load(sync::relaxed);
    if (made == constants::side_stacks) return false;
    const std::size_t size = std::max(pool_->options.stack_size, least_stack);
    const std::size_t first = pool_->workers.size() + host_->index() * constants::side_stacks;
    try {
        sides_[made] = std::make_unique<side_stack>(*this, first + made, size);
    } catch (const std::bad_alloc&) {
        return false;
    }
    free_ = sides_[made].get();
    // release, pairs with count_made() [SIDE-1]
    made_.store(made + 1, sync::release);
    return true;
}

void thread_stacks::run_aside(stack_wait& wait, task& helped) noexcept {
    side_stack& side = *free_;
    free_ = side.free;
    side.next = &helped;
    side.active.store(true, sync::relaxed); // T5: what it shares is published later
    ++active_;
    leave_for(wait, side.self);
}

bool thread_stacks::try_continue(stack_wait& wait) noexcept {
    stack_wait* ended = find_ended();
    if (ended == nullptr) return false;
    remove(*ended);
    leave_for(wait, *ended->self_);
    return true;
}

bool thread_stacks::announce_sleep() noexcept {
    for (stack_wait* each = youngest_; each != nullptr; each = each->older_) {
        if (!each->announce_sleep()) return false;
    }
    return true;
}

void thread_stacks::sleep() noexcept {
    if (timed_ == 0) host_->join_parker.park();
    else host_->join_parker.park_until(sync::clock::now() + std::chrono::milliseconds{1});
}

void thread_stacks::finish() noexcept {
    class idle final : public stack_wait {
    public:
        explicit idle(thread_stacks& all) noexcept : stack_wait{*all.host_}, all_{&all} {}
        [[nodiscard]] bool ended() const noexcept override { return !all_->any_active(); }
        [[nodiscard]] bool announce_sleep() noexcept override { return true; }

    private:
        thread_stacks* all_;
    } until_none_is_active{*this};
    while (any_active()) {
        stack_wait& next = *youngest_; // T1: a side stack that does not run is there
        remove(next);
        leave_for(until_none_is_active, *next.self_);
    }
}

void thread_stacks::live(void* side) noexcept {
    auto& own = *static_cast<side_stack*>(side);
    for (;;) {
        own.self.counts.tasks.count();
        own.next->run(*own.next, own.self);
        own.owner->end(own);
    }
}

/// The stack is free as soon as it is left; returns when it has the next task.
void thread_stacks::end(side_stack& side) noexcept {
    const bool left = side.self.queues.normal.count() + side.self.queues.high.count() +
                          side.self.queues.low.count() !=
                      0;
    if (left) any_left_ = true; // T5
    else side.active.store(false, sync::relaxed);
    --active_;
    side.free = free_;
    free_ = &side;
    stack_wait* next = find_ended();
    if (next == nullptr) next = youngest_; // T2
    remove(*next);
    next->self_->become_current();
    sync::fiber::switch_to(side.stack, *next->self_->stack);
}

void thread_stacks::collect_left() noexcept {
    const std::size_t made = made_.load(sync::relaxed);
    for (std::size_t each = 0; each != made; ++each) {
        worker& side = sides_[each]->self;
        for (const priority level : {priority::high, priority::normal, priority::low}) {
            while (side.queues[level].count() != 0) {
                task* left = side.queues[level].steal(); // the oldest first; a thief may be faster
                if (left != nullptr) host_->keep(*left, level);
            }
        }
        sides_[each]->active.store(false, sync::relaxed);
    }
    any_left_ = false;
    pool_->sleep.notify(); // T5
}

/// What the stack has forked is private to it: others could not take it while it is left.
void thread_stacks::leave_for(stack_wait& wait, worker& next) noexcept {
    if (wait.self_->scoped.owner_has_private()) wait.self_->publish();
    const sync::left_stack_words own;
    wait.older_ = youngest_;
    youngest_ = &wait;
    next.become_current();
    sync::fiber::switch_to(*wait.self_->stack, *next.stack);
}

stack_wait* thread_stacks::find_ended() const noexcept {
    for (stack_wait* each = youngest_; each != nullptr; each = each->older_) {
        if (each->ended()) return each;
    }
    return nullptr;
}

void thread_stacks::remove(stack_wait& wait) noexcept {
    stack_wait** place = &youngest_;
    while (*place != &wait) place = &(*place)->older_;
    *place = wait.older_;
}

} // namespace weft::inline v0::detail
