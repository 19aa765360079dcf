#include <weft/detail/resource/ticket.hpp>

#include "resource/lane.hpp"

#include <weft/detail/sync/memory.hpp>
#include <weft/detail/sync/parker.hpp>

#include <algorithm>
#include <functional>
#include <new>
#include <utility>

namespace weft::inline v0::detail {

/// The tickets that one thread must grow, first come, first served: a lane that is filled
/// continually does not delay the others.
struct growth {
    void add(ticket& suspended) noexcept {
        suspended.next.write(nullptr);
        if (first_ == nullptr) first_ = &suspended;
        else last_->next.write(&suspended);
        last_ = &suspended;
    }
    void run() noexcept {
        while (ticket* each = first_) {
            first_ = each->next.read();
            each->grow(*this, nullptr);
        }
    }

private:
    ticket* first_ = nullptr;
    ticket* last_ = nullptr; // if there is a first
};

std::size_t arrange(std::span<claim> claims) noexcept {
    const auto before = [](const claim& one, const claim& other) {
        if (one.word != other.word) return std::less<>{}(one.word, other.word);
        return one.weight > other.weight;
    };
    // Two claims are common. std::sort allocates nothing, as is required here.
    if (claims.size() == 2) {
        if (before(claims[1], claims[0])) std::swap(claims[0], claims[1]);
    } else {
        std::sort(claims.begin(), claims.end(), before); // NOLINT(modernize-use-ranges): clang 14
    }
    const auto same = [](const claim& one, const claim& other) { return one.word == other.word; };
    // NOLINTNEXTLINE(modernize-use-ranges): clang 14
    return static_cast<std::size_t>(std::unique(claims.begin(), claims.end(), same) -
                                    claims.begin());
}

void ticket::make_entries(std::span<const claim> claims) noexcept {
    queue_entry* entry = entries().data();
    for (const claim& each : claims) {
        ::new (entry) queue_entry;
        entry->word = each.word;
        entry->weight = each.weight;
        entry->owner.write(this);
        ++entry;
    }
}

void ticket::submit(lane& own) noexcept {
    if (own.try_push(*this)) return;
    growth later;
    grow(later, &own);
    later.run();
}

/// Enters the queues that it has not entered yet. `own` is the lane of the submitting thread, or
/// null for a ticket that was suspended or waited in a lane, and has one already. If it returns
/// without settling, the ticket may be freed.
void ticket::grow(growth& later, lane* own) noexcept {
    const std::span<queue_entry> all = entries();
    for (std::uint32_t index = grown_.read(); index < count_; ++index) {
        queue_entry& entry = all[index];
        if (index + 1 == count_) { // with the last one it settles
            entry.settle_alone();
            if (entry.word->try_enter(entry)) {
                entry.turn.write(true);
                break;
            }
            entry.state.store(0, sync::relaxed);
        }
        queue_entry* before = entry.word->enter(entry);
        if (before == nullptr) {
            entry.turn.write(true);
            continue;
        }
        if (own != nullptr && !before->is_settled()) {
            // Before another thread may continue this ticket. At a second such entry it changes
            // nothing.
            lane_.write(own);
            own->begin();
        }
        grown_.write(index + 1);
        const entry_state found = before->follow(entry);
        if (!found.settled()) return; // suspended: it belongs to another thread now
        if (found.passed()) {
            entry.turn.write(true);
            before->owner.read()->drop();
        }
    }
    settle(later);
}

/// All queues were entered.
void ticket::settle(growth& later) noexcept {
    lane* const busy = lane_.read();
    std::uint32_t granted = 0;
    for (queue_entry& entry : entries()) {
        if (!entry.is_settled()) {
            const entry_state before = entry.settle();
            // An entry that is passed already was granted, and counted, by the thread that gave it
            // the turn; then `turn` is false.
            const bool passed = before.passed();
            if (queue_entry* behind = before.follower()) {
                behind->turn.write(passed);
                later.add(*behind->owner.read());
                if (passed) entry.left.write(true);
            } else if (passed) {
                entry.left.write(entry.word->try_leave(entry));
            }
        }
        if (entry.turn.read() && grant_own(entry)) ++granted;
    }
    const bool submitting = busy == nullptr;
    // If all were granted here, no other thread counts.
    if (granted == count_) kind_->ready(*this, submitting);
    else count_down(granted + 1, submitting);

    if (busy != nullptr) { // S4: the ticket may be freed
        const lane::next waits = busy->next_or_idle();
        if (waits.free) sync::destroy(busy);
        if (waits.following != nullptr) {
            waits.following->lane_.write(busy);
            later.add(*waits.following);
        }
    }
}

/// An entry of this ticket has the turn: false if it waits for credits. Does not count.
bool ticket::grant_own(queue_entry& entry) noexcept {
    if (kind_->cancelled(*this)) {
        entry.skipped.write(true);
        entry.use = entry_use::skipped;
        pass(entry);
        return true;
    }
    if (entry.weight == 0) {
        entry.use = entry_use::has;
        return true;
    }
    if (!static_cast<limit_word*>(entry.word)->try_take(entry)) return false;
    entry.use = entry_use::has;
    pass(entry);
    return true;
}

/// S4: the last use of a ticket by the thread that grants.
void ticket::count_down(std::uint32_t granted, bool submitting) noexcept {
    // release for what came before, acquire for the last to have it all [TICKET-1]
    if (pending_.fetch_sub(granted, sync::acq_rel) == granted) kind_->ready(*this, submitting);
}

/// Passes the turn of an entry on. Returns the entry to be granted, or null: then there is none, or
/// another thread grants it.
queue_entry* ticket::pass_one(queue_entry& entry) noexcept {
    const bool looks_last = entry.is_only_settled();
    if (looks_last && entry.word->try_leave(entry)) {
        entry.left.write(true);
        return nullptr;
    }
    const entry_state before = entry.pass();
    if (!before.settled()) return nullptr; // the thread that settles it grants, and writes `left`
    queue_entry* behind = before.follower();
    // It may have settled between the look and now, and be the last all the same.
    entry.left.write(behind != nullptr || (!looks_last && entry.word->try_leave(entry)));
    return behind;
}

/// Passes the turn on, and continues as long as the entries behind are granted and pass it on at
/// once. They are counted here, `entry` is not.
void ticket::pass(queue_entry& entry) noexcept {
    queue_entry* behind = pass_one(entry);
    while (behind != nullptr) {
        queue_entry& granted = *behind;
        ticket& owner = *granted.owner.read();
        const bool skipped = owner.kind_->cancelled(owner);
        if (skipped) granted.skipped.write(true);
        else if (granted.weight != 0 && !static_cast<limit_word*>(granted.word)->try_take(granted))
            return;
        granted.use = skipped ? entry_use::skipped : entry_use::has;
        behind = skipped || granted.weight != 0 ? pass_one(granted) : nullptr;
        owner.count_down(1, false);
    }
}

void ticket::release() noexcept {
    std::uint32_t left = 0;
    for (queue_entry& entry : entries()) {
        if (!entry.skipped.read()) {
            if (entry.weight == 0) {
                pass(entry);
            } else if (queue_entry* waits =
                           static_cast<limit_word*>(entry.word)->give_back(entry.weight)) {
                ticket& owner = *waits->owner.read();
                waits->use = entry_use::has;
                pass(*waits);
                owner.count_down(1, false);
            }
        }
        left += entry.left.read() ? 1 : 0;
    }
    left_.write(left);
}

void ticket::forget() noexcept {
    const std::uint32_t ended = left_.read() + 1;
    // As drop(); but often no other thread holds it [TICKET-2]
    if (ended == count_ + 1 || holds_.fetch_sub(ended, sync::acq_rel) == ended) kind_->free(*this);
}

/// The follower of an entry has used it for the last time.
void ticket::drop() noexcept {
    // acquire and release: what each did with it comes before its freeing [TICKET-2]
    if (holds_.fetch_sub(1, sync::acq_rel) == 1) kind_->free(*this);
}

// A ticket without entries waits in the lane like any other, and is ready when all before it have
// entered their queues.
void wait_for_enqueued(lane& own) noexcept {
    static constexpr ticket::kind kind{
        .ready =
            [](ticket& self, bool /*submitting*/) noexcept {
                static_cast<sync::parker*>(self.subject)->unpark();
            },
        .cancelled = [](const ticket& /*self*/) noexcept { return false; },
        .free = [](ticket& /*self*/) noexcept {},
    };
    sync::parker reached;
    ticket last{kind, 0};
    last.subject = &reached;
    if (own.try_push(last)) reached.park();
}

} // namespace weft::inline v0::detail
