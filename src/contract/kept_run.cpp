// How a group runs one contract a call, from a batch that is kept between calls.
#include "contract/batch_timer.hpp"
#include "contract/block_runner.hpp"
#include "contract/contract_core.hpp"
#include "contract/kept_batch.hpp"

#include <algorithm>
#include <bit>

namespace weft::inline v0::detail {

bool contract_core::execute_one() {
    contract_seat* seat = seats_.try_take_resting();
    if (seat != nullptr && is_next(*seat) && run_kept(*seat)) {
        const bool is_over = seat->kept.read().items == 0;
        seat_list::leave(*seat);
        if (is_over && has_work()) notify(); // as execute_from() does
        return true;
    }
    if (seat == nullptr) {
        if (!has_work()) return false;
        seat = &seats_.take();
    }
    const selection_bias fair;
    return execute_from(*seat, 1, fair, keeping::the_rest) != 0;
}

/// Whether the batch of the seat goes on: another thread has not given it back meanwhile, and no
/// higher priority has its turn.
bool contract_core::is_next(const contract_seat& seat) const noexcept {
    const kept_batch& kept = seat.kept.read();
    if (kept.items == 0) return false;
    for (unsigned each = 0; each < kept.priority_class; ++each) {
        if (seat.credit[each] != 0 && !table_.due[each].empty()) return false;
    }
    return true;
}

/// While several priorities have something due, no more than there is credit for: each run costs
/// one then.
unsigned contract_core::most_to_keep(const contract_seat& seat,
                                     unsigned priority_class) const noexcept {
    for (unsigned each = 0; each < priority_classes; ++each) {
        if (each != priority_class && !table_.due[each].empty()) {
            return std::max(seat.credit[priority_class], 1U);
        }
    }
    return width;
}

/// Runs the first of several that were claimed; the seat keeps the others.
std::size_t contract_core::begin_kept(contract_seat& seat, std::size_t block_index,
                                      unsigned priority_class, std::uint32_t items) noexcept {
    contract_block& block = table_.store.block(block_index);
    kept_batch& kept = seat.kept.modify();
    kept = {.block = block_index, .priority_class = priority_class, .items = items, .left = items};
    kept.closing = block.closing();
    kept.wanted = block.take_wanted(items); // K3: after the look at closing
    unsigned& credit = seat.credit[priority_class];
    const auto further = static_cast<unsigned>(std::popcount(items)) - 1;
    if (credit > 1) credit -= std::min(credit - 1, further); // the visit itself costs one
    seat.batch.owner_publish(static_cast<std::uint32_t>(block_index), items, kept.wanted);
    batch_timer timer{seat};
    const bool ran = run_kept(seat);
    timer.stop(1);
    return ran ? 1 : 0;
}

/// Runs the next of the batch whose run is still due; false if there was none.
bool contract_core::run_kept(contract_seat& seat) noexcept {
    kept_batch& kept = seat.kept.modify();
    block_runner runner{*this, kept.block, kept.again};
    if (kept.left != kept.items) seat.batch.owner_resume(kept.left);
    for (;;) {
        const std::uint32_t bit = kept.next();
        bool ran = false;
        if ((kept.wanted & bit) != 0 && !runner.is_cancelling()) [[likely]] {
            runner.run(bit);
            ran = true;
        }
        if ((kept.closing & bit) != 0) [[unlikely]] { // K4
            runner.release(bit);
            kept.gone |= bit;
            ran = true;
        }
        kept.again = runner.again();
        kept.left &= ~bit;
        if (kept.left == 0) {
            end_kept(seat, runner, seat.batch.owner_close() ? kept.items : bit);
            return ran;
        }
        if (seat.batch.owner_rest(kept.left, {kept.again, kept.gone}) != shared_batch::step::next) {
            end_kept(seat, runner, bit); // the others were freed
            return ran;
        }
        if (ran) return true;
        seat.batch.owner_resume(kept.left);
    }
}

/// Gives back what is still the owner's, as run_batch() does.
void contract_core::end_kept(contract_seat& seat, block_runner& runner,
                             std::uint32_t own) noexcept {
    kept_batch& kept = seat.kept.modify();
    own &= ~kept.gone;
    const std::uint32_t again = own & kept.again;
    runner.give_back(own, again, again);
    seat.batch.owner_end();
    kept.items = 0;
    quiet_.notify_all();
}

/// Gives back a batch at rest, with what was not begun.
void contract_core::give_back_kept(contract_seat& seat) noexcept {
    kept_batch& kept = seat.kept.modify();
    static_cast<void>(seat.batch.owner_close()); // nothing was freed (shared_batch, B5)
    const std::uint32_t done = kept.done() & ~kept.gone;
    const std::uint32_t again = done & kept.again;
    contract_seat::cursor& cursor = seat.cursors[kept.priority_class];
    if (cursor.block == kept.block) cursor.left += static_cast<unsigned>(std::popcount(kept.left));
    give_back(kept.block, done | kept.left, again | kept.left, again | (kept.left & kept.wanted));
    seat.batch.owner_end();
    kept.items = 0;
}

/// Gives back the batch that a thread has left in its seat. True if there was one.
bool contract_core::take_over(contract_seat& seat) noexcept {
    if (!seat.batch.is_resting() || !seat_list::try_borrow(seat)) return false;
    const bool has_one = seat.kept.read().items != 0;
    if (has_one) give_back_kept(seat);
    seat_list::leave(seat);
    return has_one;
}

bool contract_core::take_over_any() noexcept {
    return seats_.find([this](contract_seat& each) { return take_over(each); }) != nullptr;
}

} // namespace weft::inline v0::detail
