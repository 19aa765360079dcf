#include <weft/detail/resource/ticket.hpp>

#include "resource/lane.hpp"

#include <weft/detail/sync/memory.hpp>
#include <weft/detail/sync/parker.hpp>

#include <algorithm>
#include <functional>
#include <new>
#include <utility>

namespace weft::inline v0::detail {

/// The tickets that one thread is to let grow, one after the other, in the order in which they came: a lane that is
/// filled without pause holds up none of the others.
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
    // A few are the rule; and nothing is to be allocated.
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
    queue_entry* place = entries().data();
    for (const claim& each : claims) {
        ::new (place) queue_entry;
        place->word = each.word;
        place->weight = each.weight;
        place->owner.write(this);
        ++place;
    }
}

void ticket::submit(lane& own) noexcept {
    if (own.try_push(*this)) return;
    growth later;
    grow(later, &own);
    later.run();
}

/// Enters the queues that it is not in yet. `own` is the lane of the submitting thread, null for a ticket
/// that was suspended or waited in a lane: it has one already. After a return without settling it may be
/// gone.
void ticket::grow(growth& later, lane* own) noexcept {
    const std::span<queue_entry> all = entries();
    for (std::uint32_t at = grown_.read(); at < count_; ++at) {
        queue_entry& mine = all[at];
        if (at + 1 == count_) { // with the last one it settles
            mine.settle_alone();
            if (mine.word->try_enter(mine)) {
                mine.turn.write(true);
                break;
            }
            mine.state.store(0, sync::relaxed);
        }
        queue_entry* before = mine.word->enter(mine);
        if (before == nullptr) {
            mine.turn.write(true);
            continue;
        }
        if (own != nullptr && !before->is_settled()) {
            lane_.write(own); // before anybody else may continue this ticket
            own->begin();
            own = nullptr;
        }
        grown_.write(at + 1);
        const entry_state found = before->follow(mine);
        if (!found.settled()) return; // suspended: it is another's now
        if (found.passed()) {
            mine.turn.write(true);
            before->owner.read()->drop();
        }
    }
    settle(later);
}

/// All queues were entered.
void ticket::settle(growth& later) noexcept {
    lane* const busy = lane_.read();
    std::uint32_t granted = 0;
    for (queue_entry& mine : entries()) {
        bool given_on = false;
        if (!mine.is_settled()) {
            const entry_state before = mine.settle();
            given_on = before.passed(); // then who gave it on has counted it
            if (queue_entry* behind = before.follower()) {
                behind->turn.write(given_on);
                later.add(*behind->owner.read());
                if (given_on) mine.left.write(true);
            } else if (given_on) {
                mine.left.write(mine.word->try_leave(mine));
            }
        }
        if (!given_on && mine.turn.read() && grant_own(mine)) ++granted;
    }
    const bool submitting = busy == nullptr;
    // If all were granted here, nobody else counts.
    if (granted == count_) kind_->ready(*this, submitting);
    else count_down(granted + 1, submitting);

    if (busy != nullptr) { // S4: the ticket may be gone
        const lane::next waits = busy->next_or_idle();
        if (waits.free) sync::destroy(busy);
        if (waits.following != nullptr) {
            waits.following->lane_.write(busy);
            later.add(*waits.following);
        }
    }
}

/// An entry of this ticket has the turn: false if it waits for credits. Does not count.
bool ticket::grant_own(queue_entry& mine) noexcept {
    if (kind_->cancelled(*this)) {
        mine.skipped.write(true);
        mine.use = entry_use::gave_on;
        pass(mine);
        return true;
    }
    if (mine.weight == 0) {
        mine.use = entry_use::has;
        return true;
    }
    if (!static_cast<limit_word*>(mine.word)->try_take(mine)) return false;
    mine.use = entry_use::has;
    pass(mine);
    return true;
}

/// S4: the last use of a ticket by who grants.
void ticket::count_down(std::uint32_t granted, bool submitting) noexcept {
    // release for what came before, acquire for the last to have it all [TICKET-1]
    if (pending_.fetch_sub(granted, sync::acq_rel) == granted) kind_->ready(*this, submitting);
}

/// Gives the turn of an entry on. The entry that it is to be granted to, or null: then there is none, or
/// somebody else sees to it.
queue_entry* ticket::give_on(queue_entry& from) noexcept {
    const bool looks_last = from.is_only_settled();
    if (looks_last && from.word->try_leave(from)) {
        from.left.write(true);
        return nullptr;
    }
    const entry_state before = from.pass();
    if (!before.settled()) return nullptr; // who settles it sees to it, and writes `left`
    queue_entry* behind = before.follower();
    // It may have settled between the look and now, and be the last all the same.
    from.left.write(behind != nullptr || (!looks_last && from.word->try_leave(from)));
    return behind;
}

/// Gives the turn on, and goes on as long as entries are granted that give it on at once. Those behind
/// `from` are counted here.
void ticket::pass(queue_entry& from) noexcept {
    queue_entry* behind = give_on(from);
    while (behind != nullptr) {
        queue_entry& now = *behind;
        ticket& its = *now.owner.read();
        const bool skipped = its.kind_->cancelled(its);
        if (skipped) now.skipped.write(true);
        else if (now.weight != 0 && !static_cast<limit_word*>(now.word)->try_take(now)) return;
        now.use = skipped ? entry_use::gave_on : entry_use::has;
        behind = skipped || now.weight != 0 ? give_on(now) : nullptr;
        its.count_down(1, false);
    }
}

void ticket::release() noexcept {
    std::uint32_t left = 0;
    for (queue_entry& mine : entries()) {
        if (!mine.skipped.read()) {
            if (mine.weight == 0) {
                pass(mine);
            } else if (queue_entry* waits =
                           static_cast<limit_word*>(mine.word)->give_back(mine.weight)) {
                ticket& its = *waits->owner.read();
                waits->use = entry_use::has;
                pass(*waits);
                its.count_down(1, false);
            }
        }
        left += mine.left.read() ? 1 : 0;
    }
    left_.write(left);
}

void ticket::forget() noexcept {
    const std::uint32_t mine = left_.read() + 1;
    // As drop(); but often nobody else holds it [TICKET-2]
    if (mine == count_ + 1 || holds_.fetch_sub(mine, sync::acq_rel) == mine) kind_->free(*this);
}

/// The follower of an entry has used it for the last time.
void ticket::drop() noexcept {
    // acquire and release: what each did with it comes before its freeing [TICKET-2]
    if (holds_.fetch_sub(1, sync::acq_rel) == 1) kind_->free(*this);
}

// A ticket without entries waits in the lane like any other, and is ready when its turn comes.
void wait_for_enqueued(lane& own) noexcept {
    static constexpr ticket::kind kind{
        .ready =
            [](ticket& self, bool /*submitting*/) noexcept {
                static_cast<sync::parker*>(self.subject)->unpark();
            },
        .cancelled = [](const ticket& /*self*/) noexcept { return false; },
        .free = [](ticket& /*self*/) noexcept {},
    };
    sync::parker until;
    ticket last{kind, 0};
    last.subject = &until;
    if (own.try_push(last)) until.park();
}

} // namespace weft::inline v0::detail
