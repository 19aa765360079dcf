#include <weft/detail/coroutine/lease_wait.hpp>

#include "sync/stack_local.hpp"

#include <weft/detail/resource/resource_task.hpp>

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

namespace weft::inline v0::detail {

bool look_free(std::span<const claim> claims) noexcept {
    // NOLINTNEXTLINE(modernize-use-ranges): clang 14
    return std::all_of(claims.begin(), claims.end(), [](const claim& each) {
        return each.weight == 0 ? each.word->idle()
                                : static_cast<limit_word*>(each.word)->may_take(each.weight);
    });
}

const ticket::kind lease_ticket::kind{
    .ready = &lease_ticket::granted,
    .cancelled =
        [](const ticket& self) noexcept {
            return static_cast<const lease_ticket*>(self.subject)->word.stopped();
        },
    .free =
        [](ticket& self) noexcept {
            const auto layout = resource_task_memory::layout<lease_ticket>(self.entries().size());
            free_resource_task(&self, layout.size, layout.alignment);
        },
};

lease_ticket& lease_ticket::make(chain& waiting, std::span<const claim> claims) {
    const auto layout = resource_task_memory::layout<lease_ticket>(claims.size());
    lane& own = own_lane();
    registry_cell& cell = reserve_cell();
    void* memory = nullptr;
    try {
        memory = allocate_resource_task(layout.size, layout.alignment);
    } catch (...) {
        give_cell_back(cell);
        throw;
    }
    auto* entered = ::new (memory) ticket{kind, claims.size()};
    entered->make_entries(claims);
    entered->name = waiting.name();
    entered->registration = &cell;
    auto* made =
        ::new (static_cast<std::byte*>(memory) + layout.offset) lease_ticket{waiting, *entered};
    made->own_lane_ = &own;
    entered->subject = made;
    cell.object.store(entered, sync::relaxed);
    return *made;
}

bool lease_ticket::enter() noexcept {
    ticket_->submit(*own_lane_);
    return at_once_;
}

bool lease_ticket::begin_wait() noexcept {
    if (waiting_->stop().stop_possible()) link_.emplace(waiting_->stop(), stopper{*this});
    return word.try_suspend();
}

/// `submitting`: inside `enter`, by the coroutine's own thread.
void lease_ticket::granted(ticket& self, bool submitting) noexcept {
    auto& own = *static_cast<lease_ticket*>(self.subject);
    if (submitting) {
        own.at_once_ = true;
        return;
    }
    chain& resumed = *own.waiting_; // CW4
    switch (own.word.end()) {
    case suspension::verdict::resume: resumed.queue(); break;
    case suspension::verdict::nothing: break;
    case suspension::verdict::unwanted: own.pass_on();
    }
}

void lease_ticket::operator()() noexcept {
    chain& resumed = *waiting_;
    if (word.stop()) resumed.queue();
}

void lease_ticket::release() noexcept {
    give_cell_back(*static_cast<registry_cell*>(ticket_->registration));
    ticket_->release();
    free();
}

/// It was stopped, and has had all its turns. To pass them on may do the same to others: they are
/// ended one after the other, not recursively.
void lease_ticket::pass_on() noexcept {
    using unfinished = sync::stack_local<sync::stack_word::passed_leases, lease_ticket**>;
    if (lease_ticket** youngest = unfinished::get()) { // further down this stack
        next_ = std::exchange(*youngest, this);
        return;
    }
    lease_ticket* youngest = this;
    next_ = nullptr;
    unfinished::set(&youngest);
    while (youngest != nullptr) {
        lease_ticket& each = *std::exchange(youngest, youngest->next_);
        give_cell_back(*static_cast<registry_cell*>(each.ticket_->registration));
        each.ticket_->release();
        if (each.word.end_lets_go()) each.free();
    }
    unfinished::set(nullptr);
}

void lease_ticket::leave() noexcept {
    if (word.waiter_lets_go()) free();
}

void lease_ticket::free() noexcept {
    ticket& own = *ticket_;
    std::destroy_at(this);
    own.forget();
}

} // namespace weft::inline v0::detail
