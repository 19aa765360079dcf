#include "contract/visit_order.hpp"

#include <algorithm>
#include <limits>

namespace weft::inline v0::detail {

namespace {

constexpr std::uint64_t no_rounds = std::numeric_limits<std::uint64_t>::max();

} // namespace

visit_order::block_range visit_order::range_of(const contract_seat& seat) const noexcept {
    const std::size_t blocks = table_.store.blocks();
    const std::size_t seats = std::max<std::size_t>(seats_.used(), 1);
    const std::size_t each = (blocks + seats - 1) / seats;
    const std::size_t first = std::min(blocks, each * seat.index);
    return {first, std::min(blocks, first + each)};
}

/// How often the range of a seat has been visited in full; `no_rounds` if it has no blocks.
std::uint64_t visit_order::rounds_of(const contract_seat& seat,
                                     unsigned priority_class) const noexcept {
    const std::size_t stretches = range_of(seat).stretches();
    if (stretches == 0) return no_rounds;
    return seat.stretch_counts[priority_class].load(sync::relaxed) / stretches;
}

/// A new seat starts at the round of the others, since its blocks were theirs.
void visit_order::prepare(contract_seat& seat) noexcept {
    seat.prepared = true;
    for (unsigned priority_class = 0; priority_class < priority_classes; ++priority_class) {
        std::uint64_t most = 0;
        static_cast<void>(seats_.find([&](contract_seat& each) {
            const std::uint64_t rounds = rounds_of(each, priority_class);
            if (rounds != no_rounds) most = std::max(most, rounds);
            return false;
        }));
        seat.stretch_counts[priority_class].store(most * range_of(seat).stretches(), sync::relaxed);
    }
}

/// The seat that is furthest behind, if it is by more than a round; else the caller's.
contract_seat& visit_order::seat_behind(contract_seat& seat, unsigned priority_class) noexcept {
    constexpr std::uint64_t too_far = 16; // rounds
    const std::uint64_t own = rounds_of(seat, priority_class);
    contract_seat* found = &seat;
    std::uint64_t least = own;
    static_cast<void>(seats_.find([&](contract_seat& each) {
        const std::uint64_t rounds = rounds_of(each, priority_class);
        if (own != no_rounds && rounds + too_far < own) {
            // The seat is new, or has other blocks now: it is not behind, it begins.
            each.stretch_counts[priority_class].store((own - 1) * range_of(each).stretches(),
                                                      sync::relaxed);
        } else if (rounds < least && rounds + 1 < own) {
            least = rounds;
            found = &each;
        }
        return false;
    }));
    return *found;
}

bool visit_order::begin_stretch(contract_seat& seat, unsigned priority_class) noexcept {
    contract_seat::cursor& cursor = seat.cursors[priority_class];
    contract_seat* owner = &seat;
    bool look_for_slow = false;
    if (seats_.used() > 1 && ++cursor.stretches_begun % constants::stretches_between_looks == 0) {
        look_for_slow = cursor.stretches_begun % constants::stretches_between_slow_looks == 0;
        owner = &seat_behind(seat, priority_class);
        if (owner != &seat) --cursor.stretches_begun; // look again until none is behind
    }
    const block_range range = range_of(*owner);
    const std::size_t stretches = range.stretches();
    if (stretches == 0) return look_for_slow; // the last stretch is at its end
    const std::uint64_t count = owner->stretch_counts[priority_class].fetch_add(1, sync::relaxed);
    cursor.stretch_next =
        range.first + static_cast<std::size_t>(count % stretches) * stretch_blocks;
    cursor.stretch_end = std::min(range.end, cursor.stretch_next + stretch_blocks);
    return look_for_slow;
}

} // namespace weft::inline v0::detail
