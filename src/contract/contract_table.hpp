// The contracts of a group, and where something is due.
#pragma once

#include "contract/change_count.hpp"
#include "contract/contract_store.hpp"
#include <weft/detail/lockfree/mark_tree.hpp>

#include <weft/detail/contract/contract_block.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace weft::inline v0::detail {

/// The blocks of contracts, and for each priority a signal tree that says which blocks have
/// something due. A signal is a block; it stays raised until a thread finds nothing due there.
struct contract_table {
    contract_store store;
    std::array<mark_tree, priority_classes> due;
    alignas(64) change_count priority_changes;

    /// Throws std::bad_alloc.
    void reserve(std::size_t contracts) {
        store.reserve(contracts);
        reserve_signals((contracts + contract_store::width - 1) / contract_store::width);
    }
    /// Throws std::bad_alloc.
    void reserve_signals(std::size_t blocks) {
        for (mark_tree& each : due) each.reserve(blocks);
    }

    /// After contracts of the block were made available, and a seq_cst fence (contract_block, K6).
    void mark(std::size_t block_index, const contract_block& block,
              std::uint32_t available) noexcept {
        for (unsigned each = 0; each < priority_classes; ++each) {
            if ((available & block.members(each)) != 0) due[each].mark(block_index);
        }
    }
    /// True if something is due there now.
    [[nodiscard]] bool set_priority(std::size_t block_index, std::uint32_t bit,
                                    unsigned priority_class) noexcept {
        contract_block& block = store.block(block_index);
        priority_changes.begin();
        const bool pending = block.set_priority(bit, priority_class);
        if (pending) mark(block_index, block, bit);
        priority_changes.end();
        return pending;
    }
    [[nodiscard]] bool something_due() const noexcept {
        return std::ranges::any_of(due, [](const mark_tree& each) { return !each.empty(); });
    }

    [[nodiscard]] std::size_t memory() const noexcept {
        std::size_t sum = store.memory();
        for (const mark_tree& each : due) sum += each.memory();
        return sum;
    }
};

} // namespace weft::inline v0::detail
