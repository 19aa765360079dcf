// How contracts are found and run.
#include "contract/contract_core.hpp"

#include "sync/asymmetric_fence.hpp"

#include <weft/detail/sync/thread.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <limits>

namespace weft::inline v0::detail {

std::size_t contract_core::execute(std::size_t most) {
    return has_work() ? execute_in(seats_.take(), most) : 0;
}

/// Leaves the seat afterwards.
std::size_t contract_core::execute_in(contract_seat& seat, std::size_t most) noexcept {
    if (!seat.known) begin_seat(seat);
    std::size_t done = 0;
    while (done < most) {
        const std::size_t some = execute_next(seat, most - done);
        if (some == 0) {
            quiet_.notify_all(); // the last mark may have gone
            break;
        }
        done += some;
    }
    seat_list::leave(seat);
    // Who goes away tells another, which give_back() may have left out. A worker that has found nothing
    // does not go away: it looks again before it sleeps.
    if ((done >= most || !attached_.load(sync::relaxed)) && has_work()) tell();
    return done;
}

bool contract_core::try_run() noexcept {
    if (!has_work()) return false;
    contract_seat* seat = seats_.try_take();
    return seat != nullptr && execute_in(*seat, turn_contracts) != 0;
}

bool contract_core::execute_or_wait(const sync::clock::time_point* deadline) {
    for (;;) {
        if (execute(1) != 0) return true;
        const auto ended = [this] { return gate_.closed() && size() == 0; };
        if (ended()) return false;
        bool in_time = true;
        if (something_to_free()) { // soon, if nobody else is quicker
            sync::yield();
            in_time = deadline == nullptr || sync::clock::now() < *deadline;
        } else {
            in_time = due_.wait([&] { return has_work() || ended(); }, deadline);
        }
        if (!in_time) {
            if (execute(1) != 0) return true;
            if (has_work()) tell(); // it may have been told itself
            return false;
        }
    }
}

/// Classes in turn: the most urgent that has something due and some credit left. When none has, all
/// get new credit.
std::size_t contract_core::execute_next(contract_seat& seat, std::size_t most) noexcept {
    for (int round = 0; round < 2; ++round) {
        for (unsigned of = 0; of < contract_classes; ++of) {
            if (seat.credit[of] == 0 || trees_[of].empty()) continue;
            const std::size_t done = execute_class(seat, of, most);
            if (done == 0) continue;
            --seat.credit[of];
            return done;
        }
        seat.credit = weights;
    }
    return free_long_batch(seat) ? execute_next(seat, most) : 0;
}

std::size_t contract_core::execute_class(contract_seat& seat, unsigned of,
                                         std::size_t most) noexcept {
    if (const std::size_t done = go_on_visiting(seat, of, most)) return done;
    if (const std::size_t done = execute_stretch(seat, of, most)) return done;
    next_stretch(seat, of);
    if (const std::size_t done = execute_stretch(seat, of, most)) return done;
    return execute_sparse(seat, of, most);
}

std::size_t contract_core::execute_stretch(contract_seat& seat, unsigned of,
                                           std::size_t most) noexcept {
    contract_seat::cursor& at = seat.cursors[of];
    for (;;) {
        const std::size_t block = trees_[of].find(at.next, at.end);
        if (block == signal_tree::none) {
            at.next = at.end;
            return 0;
        }
        at.next = block + 1;
        if (!begin_visit(seat, of, block)) continue;
        if (const std::size_t done = go_on_visiting(seat, of, most)) return done;
    }
}

/// Where little is due, the way from one stretch to the next would be long: the marks are followed.
std::size_t contract_core::execute_sparse(contract_seat& seat, unsigned of,
                                          std::size_t most) noexcept {
    std::size_t& from = seat.cursors[of].sparse;
    bool wrapped = false;
    const std::size_t start = from;
    for (;;) {
        const std::size_t block = trees_[of].find(from, wrapped ? start : signal_tree::none);
        if (block == signal_tree::none) {
            if (wrapped) return 0;
            wrapped = true;
            from = 0;
            continue;
        }
        from = block + 1;
        if (!begin_visit(seat, of, block)) continue;
        if (const std::size_t done = go_on_visiting(seat, of, most)) return done;
    }
}

/// What is due in the block now may be run in this visit, and no more.
bool contract_core::begin_visit(contract_seat& seat, unsigned of, std::size_t block) noexcept {
    contract_block& in = *store_.at(block).block;
    const std::uint32_t available = in.available(of);
    if (available == 0) {
        trees_[of].retire(block, [&in, of] { return in.available(of) != 0; });
        return false;
    }
    contract_seat::cursor& at = seat.cursors[of];
    at.word = block;
    at.left = static_cast<unsigned>(std::popcount(available));
    return true;
}

std::size_t contract_core::go_on_visiting(contract_seat& seat, unsigned of,
                                          std::size_t most) noexcept {
    contract_seat::cursor& at = seat.cursors[of];
    if (at.left == 0) return 0;
    const auto wanted = static_cast<unsigned>(
        std::min({std::size_t{at.left}, most, std::size_t{batch_size(seat)}}));
    contract_block& in = *store_.at(at.word).block;
    seat.batch.owner_begin();
    const std::uint32_t items = in.claim(in.members(of), wanted);
    if (items == 0) {
        seat.batch.owner_end();
        at.left = 0;
        return 0;
    }
    at.left -= static_cast<unsigned>(std::popcount(items));
    return run_batch(seat, at.word, items);
}

/// As many as take a few microseconds; one if nobody could free the others.
unsigned contract_core::batch_size(const contract_seat& seat) noexcept {
    if (!sync::heavy_fence_works()) return 1;
    if (seat.nanoseconds == 0) return static_cast<unsigned>(width);
    return std::max(batch_nanoseconds / seat.nanoseconds, 1U);
}

/// How many were run or released: what was claimed may have been answered already.
std::size_t contract_core::run_batch(contract_seat& seat, std::size_t block,
                                     std::uint32_t items) noexcept {
    using std::chrono::duration_cast;
    using std::chrono::nanoseconds;
    constexpr unsigned seldom = 8; // how often quick contracts are timed
    constexpr unsigned noticeable = 100;
    const auto count = static_cast<unsigned>(std::popcount(items));
    const bool timed = ++seat.batches % seldom == 0 || seat.nanoseconds > noticeable;
    const auto start = timed ? sync::clock::now() : sync::clock::time_point{};

    running now{store_.at(block), block, items};
    const std::size_t done = run_items(seat, now);

    if (timed) {
        const auto taken = duration_cast<nanoseconds>(sync::clock::now() - start).count() / count;
        const auto each =
            static_cast<unsigned>(std::min<std::int64_t>(taken, std::numeric_limits<int>::max()));
        seat.nanoseconds = static_cast<unsigned>((std::uint64_t{seat.nanoseconds} + each) / 2);
    }
    return done;
}

std::size_t contract_core::run_items(contract_seat& seat, running& now) noexcept {
    contract_block& in = *now.at.block;
    contract_token token{in, now.again};
    const std::uint32_t closing = in.closing();
    const std::uint32_t wanted = in.take_wanted(now.items); // K3: after the look at closing
    std::uint32_t own = now.items;
    bool shared = (own & (own - 1)) != 0;
    if (shared) seat.batch.owner_publish(static_cast<std::uint32_t>(now.block), own, wanted);
    else seat.batch.owner_single();
    std::uint32_t ran = 0;
    for (std::uint32_t left = own;;) {
        const std::uint32_t bit = left & (~left + 1);
        token.bit_ = bit;
        // Not if another run has answered already.
        if ((wanted & bit) != 0 && !cancelling_.load(sync::relaxed)) [[likely]] {
            run_work(now.at.records[std::countr_zero(bit)], token);
            ran |= bit;
        }
        if ((closing & bit) != 0) [[unlikely]]
            end_contract(now, bit, token); // K4
        left &= left - 1;
        if (left == 0) {
            if (shared && !seat.batch.owner_close()) own = bit;
            break;
        }
        const auto next = seat.batch.owner_advance(left, {now.again, now.gone});
        if (next == shared_batch::step::on) [[likely]]
            continue;
        // The others were freed.
        own = next == shared_batch::step::stop ? bit : left & (~left + 1);
        if (next == shared_batch::step::stop) break;
        left = own;
        shared = false;
    }
    own &= ~now.gone;
    give_back(now.block, own, own & now.again, own & now.again);
    seat.batch.owner_end();
    quiet_.notify_all();
    return static_cast<std::size_t>(std::popcount(ran | now.gone));
}

void contract_core::run_work(contract_record& record, contract_token& token) noexcept {
    try {
        record.run(record.storage.data(), token);
    } catch (...) {
        report(record, std::current_exception());
    }
}

void contract_core::end_contract(running& now, std::uint32_t bit, contract_token& token) noexcept {
    const auto place = static_cast<std::uint32_t>(std::countr_zero(bit));
    contract_record& record = now.at.records[place];
    contract_extras* extras = record.extras();
    if (extras != nullptr && extras->on_release) {
        try {
            extras->on_release(token);
        } catch (...) {
            report(record, std::current_exception());
        }
    }
    record.destroy(record.storage.data());
    delete extras;
    record.set_extras(nullptr);
    now.gone |= bit;
    // After this the place may be used again at once.
    if (now.at.block->end_life(bit)) {
        store_.give_back(static_cast<std::uint32_t>(now.block * width) + place);
    }
    alive_.fetch_sub(1, sync::release); // pairs with stop() [GROUP-2]
}

// The order of visits

contract_core::share contract_core::share_of(std::size_t seat) const noexcept {
    const std::size_t blocks = store_.blocks();
    const std::size_t seats = std::max<std::size_t>(seats_.used(), 1);
    const std::size_t each = (blocks + seats - 1) / seats;
    const std::size_t first = std::min(blocks, each * seat);
    return {first, std::min(blocks, first + each)};
}

/// A new seat is as far as the others: its share was theirs.
void contract_core::begin_seat(contract_seat& seat) noexcept {
    seat.known = true;
    for (unsigned of = 0; of < contract_classes; ++of) {
        std::uint64_t rounds = 0;
        static_cast<void>(seats_.find([&](contract_seat& each) {
            const std::size_t stretches = share_of(each.index).stretches();
            if (&each != &seat && stretches != 0) {
                rounds = std::max(rounds, each.tickets[of].load(sync::relaxed) / stretches);
            }
            return false;
        }));
        seat.tickets[of].store(rounds * share_of(seat.index).stretches(), sync::relaxed);
    }
}

/// The seat whose share is furthest behind, if it is by more than a round; else the own.
contract_seat& contract_core::most_behind(contract_seat& seat, unsigned of) noexcept {
    constexpr std::uint64_t long_ago = 16;
    const auto rounds = [this, of](const contract_seat& each) -> std::uint64_t {
        const std::size_t stretches = share_of(each.index).stretches();
        if (stretches == 0) return std::numeric_limits<std::uint64_t>::max();
        return each.tickets[of].load(sync::relaxed) / stretches;
    };
    const std::uint64_t own = rounds(seat);
    contract_seat* found = &seat;
    std::uint64_t least = own;
    static_cast<void>(seats_.find([&](contract_seat& each) {
        const std::uint64_t here = rounds(each);
        if (own != std::numeric_limits<std::uint64_t>::max() && here + long_ago < own) {
            // New, or its share was another: it is not behind, it begins.
            each.tickets[of].store((own - 1) * share_of(each.index).stretches(), sync::relaxed);
        } else if (here < least && here + 1 < own) {
            least = here;
            found = &each;
        }
        return false;
    }));
    return *found;
}

void contract_core::next_stretch(contract_seat& seat, unsigned of) noexcept {
    constexpr unsigned seldom = 8;
    constexpr unsigned very_seldom = 32;
    contract_seat::cursor& at = seat.cursors[of];
    contract_seat* in = &seat;
    if (seats_.used() > 1 && ++at.stretches % seldom == 0) {
        if (at.stretches % very_seldom == 0) static_cast<void>(free_long_batch(seat));
        in = &most_behind(seat, of);
        if (in != &seat) --at.stretches; // and once more, until it is not
    }
    const share whole = share_of(in->index);
    const std::size_t stretches = whole.stretches();
    if (stretches == 0) {
        at.next = at.end = 0;
        return;
    }
    const std::uint64_t ticket = in->tickets[of].fetch_add(1, sync::relaxed);
    at.next = whole.first + static_cast<std::size_t>(ticket % stretches) * stretch;
    at.end = std::min(whole.end, at.next + stretch);
}

// Batches whose owner takes long

/// Whether others could run contracts of a batch if they were freed.
bool contract_core::is_worth_freeing(const shared_batch::view& seen) const noexcept {
    const contract_word now = store_.at(seen.where).block->look();
    return seen.worth_freeing(now.pending() & now.running()) != 0;
}

bool contract_core::something_to_free() const noexcept {
    if (!sync::heavy_fence_works()) return false;
    const auto worth = [this](const shared_batch::view& seen) { return is_worth_freeing(seen); };
    return seats_.find([&worth](contract_seat& each) { return each.batch.may_have(worth); }) !=
           nullptr;
}

/// Frees a batch that has not moved for a while. True if something is due by that.
bool contract_core::free_long_batch(contract_seat& seat) noexcept {
    constexpr auto patience = std::chrono::microseconds{20};
    std::optional<shared_batch::view> seen;
    contract_seat* const slow = seats_.find([&](contract_seat& each) {
        const auto here = each.batch.look();
        if (!here || !is_worth_freeing(*here)) return false;
        const bool known = here->key() == seat.watched;
        if (!seen || known) seen = here;
        return known;
    });
    if (slow == nullptr) {
        if (seen) {
            seat.watched = seen->key();
            seat.watched_since = sync::clock::now();
        }
        return false;
    }
    if (sync::clock::now() - seat.watched_since < patience) return false;
    seat.watched = 0;
    seat.batch.owner_begin(); // who waits sees that they are here (shared_batch, B4)
    const auto freed = slow->batch.try_free(*seen);
    if (freed) {
        const std::uint32_t done = freed->done & ~freed->of_done.gone;
        const std::uint32_t again = done & freed->of_done.again;
        give_back(freed->where, done | freed->not_begun, again | freed->not_begun,
                  again | (freed->not_begun & freed->note));
    }
    seat.batch.owner_end();
    return freed.has_value();
}

} // namespace weft::inline v0::detail
