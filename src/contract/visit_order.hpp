// What a thread that executes contracts visits next.
#pragma once

#include "contract/contract_table.hpp"
#include "contract/seat.hpp"

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace weft::inline v0::detail {

/// The thread whose visits the order decides.
template <class Visitor>
concept block_visitor = requires(Visitor& visitor, unsigned priority_class) {
    /// Claims and runs contracts of the block that the seat's cursor is at; returns how many.
    { visitor.run_visit(priority_class) } noexcept -> std::same_as<std::size_t>;
    /// Called now and then.
    { visitor.free_slow_batch() } noexcept;
};

/// The order of visits. A *visit* is to one block, and runs each contract that was due when the
/// visit began once at most. A search for the next visit takes these steps, and ends with the first
/// that finds something to run:
///
///  1. Priorities, the highest first, that have credit left and something due. A visit costs one
///     credit. When no priority with credit has anything to run, all get their weights as new
///     credit: 16, 4, 1.
///  2. For a priority: the rest of the visit that was begun; the rest of the seat's stretch; the
///     next stretch; and if all of these have nothing, the marks of the tree wherever they are.
///
/// *Stretches.* The blocks are divided among the seats; a seat goes over its range of blocks
/// stretch by stretch, so that a thread comes back to the contracts that are in its cache. Every
/// eighth stretch it compares itself with the other seats, and takes a stretch of one that is more
/// than a round behind. So all contracts that are always due are run equally often.
class visit_order {
public:
    visit_order(contract_table& table, seat_list& seats) noexcept : table_{table}, seats_{seats} {}

    /// Makes the next visit; returns how many contracts were run, 0 if nothing is due.
    template <block_visitor Visitor>
    [[nodiscard]] std::size_t visit_next(contract_seat& seat, Visitor& visitor) noexcept {
        if (!seat.prepared) prepare(seat);
        for (int round = 0; round < 2; ++round) {
            for (unsigned each = 0; each < priority_classes; ++each) {
                if (seat.credit[each] == 0 || table_.due[each].empty()) continue;
                const std::size_t done = visit_priority(seat, each, visitor);
                if (done == 0) continue;
                --seat.credit[each];
                return done;
            }
            seat.credit = weights;
        }
        return 0;
    }

private:
    static constexpr std::array<unsigned, priority_classes> weights{16, 4, 1};
    static constexpr std::size_t stretch_blocks = 8;

    /// The blocks of one seat.
    struct block_range {
        std::size_t first;
        std::size_t end;
        [[nodiscard]] std::size_t stretches() const noexcept {
            return (end - first + stretch_blocks - 1) / stretch_blocks;
        }
    };

    template <block_visitor Visitor>
    std::size_t visit_priority(contract_seat& seat, unsigned priority_class,
                               Visitor& visitor) noexcept {
        if (seat.cursors[priority_class].left != 0) {
            if (const std::size_t done = visitor.run_visit(priority_class)) return done;
        }
        if (const std::size_t done = visit_stretch(seat, priority_class, visitor)) return done;
        if (begin_stretch(seat, priority_class)) visitor.free_slow_batch();
        if (const std::size_t done = visit_stretch(seat, priority_class, visitor)) return done;
        return visit_marked(seat, priority_class, visitor);
    }

    /// The rest of the seat's stretch.
    template <block_visitor Visitor>
    std::size_t visit_stretch(contract_seat& seat, unsigned priority_class,
                              Visitor& visitor) noexcept {
        contract_seat::cursor& cursor = seat.cursors[priority_class];
        for (;;) {
            const std::size_t block =
                table_.due[priority_class].find(cursor.stretch_next, cursor.stretch_end);
            if (block == signal_tree::none) {
                cursor.stretch_next = cursor.stretch_end;
                return 0;
            }
            cursor.stretch_next = block + 1;
            if (!begin_visit(cursor, priority_class, block)) continue;
            if (const std::size_t done = visitor.run_visit(priority_class)) return done;
        }
    }

    /// Visits all blocks once. Where little is due, going from stretch to stretch would take long:
    /// here only marks are followed.
    template <block_visitor Visitor>
    std::size_t visit_marked(contract_seat& seat, unsigned priority_class,
                             Visitor& visitor) noexcept {
        contract_seat::cursor& cursor = seat.cursors[priority_class];
        const std::size_t start = cursor.marked_next;
        std::size_t end = signal_tree::none;
        for (;;) {
            const std::size_t block = table_.due[priority_class].find(cursor.marked_next, end);
            if (block == signal_tree::none) {
                if (end == start) return 0;
                end = start;
                cursor.marked_next = 0;
                continue;
            }
            cursor.marked_next = block + 1;
            if (!begin_visit(cursor, priority_class, block)) continue;
            if (const std::size_t done = visitor.run_visit(priority_class)) return done;
        }
    }

    /// What is due in the block now may be run in this visit. If nothing is, its mark is withdrawn.
    [[nodiscard]] bool begin_visit(contract_seat::cursor& cursor, unsigned priority_class,
                                   std::size_t block_index) noexcept {
        const contract_block& block = table_.store.block(block_index);
        const std::uint32_t available = block.available(priority_class);
        if (available == 0) {
            table_.due[priority_class].retire(block_index, [&block, priority_class] {
                return block.available(priority_class) != 0;
            });
            return false;
        }
        cursor.block = block_index;
        cursor.left = static_cast<unsigned>(std::popcount(available));
        return true;
    }

    void prepare(contract_seat& seat) noexcept;
    /// The next stretch of the seat, or of one that is behind. True if it is time to look for a
    /// slow batch too.
    bool begin_stretch(contract_seat& seat, unsigned priority_class) noexcept;
    [[nodiscard]] contract_seat& seat_behind(contract_seat& seat, unsigned priority_class) noexcept;
    [[nodiscard]] block_range range_of(const contract_seat& seat) const noexcept;
    [[nodiscard]] std::uint64_t rounds_of(const contract_seat& seat,
                                          unsigned priority_class) const noexcept;

    contract_table& table_;
    seat_list& seats_;
};

} // namespace weft::inline v0::detail
