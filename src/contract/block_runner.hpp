// The contracts of one block, as a thread runs them.
#pragma once

#include "contract/contract_core.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>

namespace weft::inline v0::detail {

/// The contracts of one block, for run_batch().
class contract_core::block_runner {
public:
    /// `again`: contracts that have asked for another run before.
    block_runner(contract_core& group, std::size_t block_index, std::uint32_t again = 0) noexcept
        : group_{group}, block_index_{block_index},
          entries_{group.table_.store.entries(block_index)}, again_{again},
          token_{*entries_.block, again_} {}

    [[nodiscard]] contract_block& block() const noexcept { return *entries_.block; }

    void run(std::uint32_t bit) noexcept {
        token_.bit_ = bit;
        contract_record& record = entries_.records[std::countr_zero(bit)];
        try {
            record.run(record.storage.data(), token_);
        } catch (...) {
            group_.report(record, std::current_exception());
        }
    }
    void release(std::uint32_t bit) noexcept {
        token_.bit_ = bit;
        contract_record& record = entries_.records[std::countr_zero(bit)];
        call_on_release(record);
        record.destroy(record.storage.data());
        delete record.extras();
        // After this the entry may be used again at once.
        if (entries_.block->end_life(bit)) {
            group_.table_.store.give_back(static_cast<std::uint32_t>(
                block_index_ * width + static_cast<std::size_t>(std::countr_zero(bit))));
        }
        group_.alive_.fetch_sub(1, sync::release); // pairs with execute_until_empty() [GROUP-2]
    }
    [[nodiscard]] std::uint32_t again() const noexcept { return again_; }
    [[nodiscard]] bool is_cancelling() const noexcept {
        return group_.cancelling_.load(sync::relaxed);
    }
    void give_back(std::uint32_t claimed, std::uint32_t again, std::uint32_t wanted) noexcept {
        group_.give_back(block_index_, claimed, again, wanted);
    }

private:
    void call_on_release(contract_record& record) noexcept {
        contract_extras* extras = record.extras();
        if (extras == nullptr || !extras->on_release) return;
        try {
            extras->on_release(token_);
        } catch (...) {
            group_.report(record, std::current_exception());
        }
    }

    contract_core& group_;
    const std::size_t block_index_;
    const contract_store::block_entries entries_;
    std::uint32_t again_; // contracts that asked for another run, by the token
    contract_token token_;
};

} // namespace weft::inline v0::detail
