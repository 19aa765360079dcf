// What a thread that executes contracts visits next.
#pragma once

#include "contract/contract_table.hpp"
#include "contract/seat.hpp"

#include <weft/selection_bias.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace weft::inline v0::detail {

/// The thread whose visits the order decides.
template <class Visitor>
concept block_visitor =
    requires(Visitor& visitor, contract_seat::visit& visit, unsigned priority_class) {
        /// Claims and runs contracts of a block; returns how many.
        { visitor.run_visit(visit, priority_class) } noexcept -> std::same_as<std::size_t>;
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
///
/// *Biases.* A bias changes where the search begins, in its turns: at a priority, which costs no
/// credit then; at a range of positions, with cursors and credit of its own; or at the contract
/// that a function leads to, priority by priority. Where that finds nothing, the steps above
/// follow.
class visit_order {
public:
    visit_order(contract_table& table, seat_list& seats) noexcept : table_{table}, seats_{seats} {}

    /// Makes the next visit; returns how many contracts were run, 0 if nothing is due.
    template <block_visitor Visitor>
    [[nodiscard]] std::size_t visit_next(contract_seat& seat, Visitor& visitor,
                                         const selection_bias& bias) noexcept {
        using kind = selection_bias::kind;
        if (!seat.prepared) prepare(seat);
        const std::uint64_t turn = seat.turn++;
        std::size_t done = 0;
        switch (bias.kind_in(turn)) {
        case kind::priority: {
            const auto preferred = static_cast<unsigned>(bias.level());
            if (!table_.due[preferred].empty()) done = visit_priority(seat, preferred, visitor);
            break;
        }
        case kind::range: done = visit_range(seat, visitor, bias); break;
        case kind::path: return visit_by_depth(seat, visitor, bias.target(levels(), turn));
        case kind::fair: break;
        }
        return done != 0 ? done : visit_fairly(seat, visitor);
    }

    /// Levels of the binary tree of all positions.
    [[nodiscard]] unsigned levels() const noexcept {
        const std::uint32_t used = table_.store.used();
        return used <= 1 ? 0 : static_cast<unsigned>(std::bit_width(used - 1));
    }

private:
    static constexpr std::size_t width = contract_store::width;
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

    /// Calls `visit(priority_class)` for priorities that have credit and something due, the highest
    /// first, until it has run something.
    template <class Visit>
    std::size_t by_credit(std::array<unsigned, priority_classes>& credit, Visit visit) noexcept {
        for (int round = 0; round < 2; ++round) {
            for (unsigned each = 0; each < priority_classes; ++each) {
                if (credit[each] == 0 || table_.due[each].empty()) continue;
                const std::size_t done = visit(each);
                if (done == 0) continue;
                --credit[each];
                return done;
            }
            credit = weights;
        }
        return 0;
    }

    template <block_visitor Visitor>
    std::size_t visit_fairly(contract_seat& seat, Visitor& visitor) noexcept {
        return by_credit(seat.credit, [&](unsigned priority_class) {
            return visit_priority(seat, priority_class, visitor);
        });
    }

    template <block_visitor Visitor>
    std::size_t visit_range(contract_seat& seat, Visitor& visitor,
                            const selection_bias& bias) noexcept {
        contract_seat::preference& preferred = seat.preferred;
        if (preferred.first != bias.first() || preferred.last != bias.last()) {
            preferred = {.first = bias.first(), .last = bias.last()};
        }
        return by_credit(preferred.credit, [&](unsigned priority_class) {
            return visit_preferred(preferred, priority_class, visitor);
        });
    }
    /// The rest of the visit that was begun, else the next marked block of the range.
    template <block_visitor Visitor>
    std::size_t visit_preferred(contract_seat::preference& preferred, unsigned priority_class,
                                Visitor& visitor) noexcept {
        contract_seat::cursor& cursor = preferred.cursors[priority_class];
        if (cursor.left != 0) {
            if (const std::size_t done = visitor.run_visit(cursor, priority_class)) return done;
        }
        const std::size_t first = preferred.first / width;
        const std::size_t end = preferred.last / width + (preferred.last % width != 0 ? 1 : 0);
        const std::size_t start = std::clamp(cursor.marked_next, first, end);
        for (const auto& [part, part_end] : {std::pair{start, end}, std::pair{first, start}}) {
            cursor.marked_next = part;
            for (;;) {
                const std::size_t block =
                    table_.due[priority_class].find(cursor.marked_next, part_end);
                if (block == mark_tree::none) break;
                cursor.marked_next = block + 1;
                cursor.among = positions_of(preferred, block);
                if (begin_visit(cursor, priority_class, block) != beginning::begun) continue;
                if (const std::size_t done = visitor.run_visit(cursor, priority_class)) return done;
            }
        }
        return 0;
    }
    /// The contracts of a block whose positions are in the range.
    [[nodiscard]] static std::uint32_t positions_of(const contract_seat::preference& range,
                                                    std::size_t block) noexcept {
        std::uint32_t bits = ~std::uint32_t{0};
        if (block == range.first / width) bits &= ~std::uint32_t{0} << range.first % width;
        if (block == range.last / width) bits &= (std::uint32_t{1} << range.last % width) - 1;
        return bits;
    }

    template <block_visitor Visitor>
    std::size_t visit_by_depth(contract_seat& seat, Visitor& visitor, std::size_t target) noexcept {
        return by_credit(seat.credit, [&](unsigned priority_class) {
            return visit_nearest(seat, priority_class, visitor, target);
        });
    }
    /// The block that the path to `target` comes to. If another thread is faster there, the caller
    /// looks elsewhere.
    template <block_visitor Visitor>
    std::size_t visit_nearest(contract_seat& seat, unsigned priority_class, Visitor& visitor,
                              std::size_t target) noexcept {
        for (;;) {
            const std::size_t block = table_.due[priority_class].find_nearest(target / width);
            if (block == mark_tree::none) return 0;
            contract_seat::visit nearest;
            nearest.target = static_cast<unsigned>(target % width);
            switch (begin_visit(nearest, priority_class, block)) {
            case beginning::withdrawn: continue;
            case beginning::nothing: break; // the mark is in the hands of another thread
            case beginning::begun:
                if (const std::size_t done = visitor.run_visit(nearest, priority_class)) {
                    return done;
                }
            }
            return visit_priority(seat, priority_class, visitor);
        }
    }

    template <block_visitor Visitor>
    std::size_t visit_priority(contract_seat& seat, unsigned priority_class,
                               Visitor& visitor) noexcept {
        contract_seat::cursor& cursor = seat.cursors[priority_class];
        if (cursor.left != 0) {
            if (const std::size_t done = visitor.run_visit(cursor, priority_class)) return done;
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
            if (block == mark_tree::none) {
                cursor.stretch_next = cursor.stretch_end;
                return 0;
            }
            cursor.stretch_next = block + 1;
            if (begin_visit(cursor, priority_class, block) != beginning::begun) continue;
            if (const std::size_t done = visitor.run_visit(cursor, priority_class)) return done;
        }
    }

    /// Visits all blocks once. Where little is due, going from stretch to stretch would take long:
    /// here only marks are followed.
    template <block_visitor Visitor>
    std::size_t visit_marked(contract_seat& seat, unsigned priority_class,
                             Visitor& visitor) noexcept {
        contract_seat::cursor& cursor = seat.cursors[priority_class];
        const std::size_t start = cursor.marked_next;
        std::size_t end = mark_tree::none;
        for (;;) {
            const std::size_t block = table_.due[priority_class].find(cursor.marked_next, end);
            if (block == mark_tree::none) {
                if (end == start) return 0;
                end = start;
                cursor.marked_next = 0;
                continue;
            }
            cursor.marked_next = block + 1;
            if (begin_visit(cursor, priority_class, block) != beginning::begun) continue;
            if (const std::size_t done = visitor.run_visit(cursor, priority_class)) return done;
        }
    }

    enum class beginning : std::uint8_t {
        begun,
        nothing,   ///< nothing is due there, for this visit
        withdrawn, ///< nothing is due there, and the mark is withdrawn
    };
    /// What is due in the block now may be run in this visit. If nothing is due there, its mark is
    /// withdrawn.
    [[nodiscard]] beginning begin_visit(contract_seat::visit& visit, unsigned priority_class,
                                        std::size_t block_index) noexcept {
        const contract_block& block = table_.store.block(block_index);
        const std::uint32_t available = block.available(priority_class);
        if (available == 0) {
            const bool withdrawn =
                table_.due[priority_class].retire(block_index, [&block, priority_class] {
                    return block.available(priority_class) != 0;
                });
            return withdrawn ? beginning::withdrawn : beginning::nothing;
        }
        visit.block = block_index;
        visit.left = static_cast<unsigned>(std::popcount(available & visit.among));
        return visit.left != 0 ? beginning::begun : beginning::nothing;
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
