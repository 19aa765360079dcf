#include <weft/detail/pool/worker.hpp>

#include "pool/helping.hpp"
#include "pool/pool_core.hpp"

#include <weft/error.hpp>

#include <algorithm>
#include <new>
#include <utility>

namespace weft::inline v0::detail {

worker::worker(pool_core& pool, std::size_t index, bool thieves, scoped_child* children,
               worker* host)
    : scoped{children}, queues{thieves},
      join_parker{host != nullptr ? host->own_parker_ : own_parker_}, blocks{pool.blocks},
      large_blocks{pool.large_blocks}, pool_{&pool}, index_{index} {}

/// The stack may be larger than requested; the rest is not used, since the memory for scoped
/// children fits the requested size.
worker::thread_binding::thread_binding(worker& self, std::size_t stack_size) noexcept {
    const std::uintptr_t begin = sync::stack_position();
    const std::uintptr_t asked = begin - std::min<std::uintptr_t>(begin, stack_size);
    self.stack_limit_ = std::max(sync::stack_bottom(), asked) + stack_reserve;
    current_of_thread::set(&self);
}

// Not inlined: compilers see that the address of something short-lived is kept, and not its end.
[[gnu::noinline]] worker::running::running(worker& self, const std::stop_token* stop) noexcept
    : stop_{stop}, base_{self.scoped.owner_next()}, below_{self.top_}, self_{&self} {
    self.top_ = this;
}

bool worker::runs_task_of(const std::stop_token& stop) const noexcept {
    for (const running* each = top_; each != nullptr; each = each->below_) {
        if (each->stop_ != nullptr && *each->stop_ == stop) return true;
    }
    return false;
}

bool worker::run_source(work_source& source) noexcept {
    inside_ = &source;
    const bool ran = source.try_run();
    inside_ = nullptr;
    return ran;
}

// Tasks

void worker::keep(task& later, priority level) noexcept {
    try {
        queues[level].owner_push(&later);
    } catch (const std::bad_alloc&) {
        core().arrivals[level].push(&later); // no room to grow: it comes back from there
    }
}

void worker::refuse_stack(const char* call) { throw error{errc::stack_exhausted, call}; }

// Scoped children

void worker::prepare_shared(scoped_child& child) const noexcept {
    const running* parent = top_;
    while (parent != nullptr && &child < parent->base_) parent = parent->below_;
    child.stop = parent != nullptr ? parent->stop_ : nullptr;
    child.failed = false;
    ::new (&child.join) join_word;
    ::new (&child.thief_base) sync::plain<std::uint32_t>;
}

void worker::answer_alarm(scoped_child* pushed) {
    alarm_.store(stack_limit_, sync::relaxed);
    if (stack_is_low()) {
        scoped.owner_pop(pushed);
        require_stack("weft::fork_join");
    }
    scoped.owner_share([this](scoped_child& each) { prepare_shared(each); });
    notify_shared();
    // Sleepers ask once, before they sleep: a child must be shared for each of them, or it would
    // stay private while this worker is busy.
    if (scoped.shared_count() < core().sleep.wakeable()) request_share();
}

void worker::publish() noexcept {
    if (scoped.owner_has_private()) {
        scoped.owner_share_all([this](scoped_child& each) { prepare_shared(each); });
    }
    notify_shared();
}

/// Called after children were shared: wakes workers that could run them.
void worker::notify_shared() noexcept {
    core().sleep.notify(); // begins with the fence that the bell needs
    ring_bell();
}

void worker::ring_bell() noexcept {
    if (worker* waiting = share_bell.ring()) waiting->join_parker.unpark();
}

void worker::run_stolen(scoped_child& child, worker& victim) noexcept {
    join_word::finished end{};
    {
        const running now{*this, child.stop};
        child.thief = this;
        child.thief_base.write(scoped.owner_position());
        if (child.join.thief_begin()) victim.join_parker.unpark();
        counts.tasks.count();
        child.run(child, *this);
        end = child.join.thief_finish();
    }
    if (end.helped) scoped.owner_renew();
    // The victim outlives the child: its pool ends its workers together.
    if (end.wake) victim.join_parker.unpark();
}

namespace {

/// A stolen child that its owner waits for.
class awaited_child {
public:
    explicit awaited_child(scoped_child& stolen) noexcept : child_{&stolen} {}

    [[nodiscard]] bool done() const noexcept { return ended(); }
    [[nodiscard]] bool ended() const noexcept { return state() == join_word::state::done; }
    [[nodiscard]] bool still_runs() const noexcept { return state() == join_word::state::running; }
    [[nodiscard]] worker* runner() const noexcept { return still_runs() ? child_->thief : nullptr; }
    [[nodiscard]] std::uint32_t base() const noexcept { return child_->thief_base.read(); }
    /// What a child has submitted is not told from what its thief had queued before.
    [[nodiscard]] static bool has_task(const worker& /*runner*/) noexcept { return false; }
    [[nodiscard]] static task* take_task(worker& /*runner*/) noexcept { return nullptr; }
    [[nodiscard]] bool announce_help() const noexcept { return child_->join.owner_help(); }
    /// Without a known runner the owner may sleep only if there is none yet, since the thief wakes
    /// it when it begins; if it has begun by now, the owner would sleep instead of helping.
    [[nodiscard]] bool announce_sleep(bool runner_known) const noexcept {
        const join_word::state now = child_->join.owner_await();
        return now == join_word::state::shared ||
               (runner_known && now == join_word::state::running);
    }

private:
    [[nodiscard]] join_word::state state() const noexcept { return child_->join.owner_look(); }
    scoped_child* child_;
};

} // namespace

void worker::wait_for_stolen(scoped_child& child) noexcept {
    awaited_child stolen{child};
    helping{*this, stolen}.wait();
}

void worker::suppress_first(std::exception_ptr error) noexcept {
    try {
        suppressed.insert(suppressed.begin(), std::move(error));
    } catch (const std::bad_alloc&) { // NOLINT(bugprone-empty-catch): the header says so
    }
}

} // namespace weft::inline v0::detail
