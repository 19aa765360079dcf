// How the claimed contracts of one block are run.
#pragma once

#include "lockfree/shared_batch.hpp"

#include <weft/detail/contract/contract_block.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace weft::inline v0::detail {

/// Runs the contracts of one block, each identified by its bit.
template <class Runner>
concept contract_runner = requires(Runner& runner, std::uint32_t bits) {
    /// Calls the work of a contract.
    { runner.run(bits) } noexcept;
    /// Calls its release callback and ends its life.
    { runner.release(bits) } noexcept;
    /// The contracts that have asked to be run again.
    { runner.again() } noexcept -> std::same_as<std::uint32_t>;
    /// Runs that are due are dropped.
    { runner.is_cancelling() } noexcept -> std::same_as<bool>;
    /// contract_block::finish, and what follows from it.
    { runner.give_back(bits, bits, bits) } noexcept;
};

/// Claims up to `most` of `candidates`. The batch is marked as claiming before (shared_batch, B4).
[[nodiscard]] inline std::uint32_t claim_batch(shared_batch& batch, contract_block& block,
                                               std::uint32_t candidates, unsigned most) noexcept {
    batch.owner_begin();
    const std::uint32_t items = block.claim(candidates, most);
    if (items == 0) batch.owner_end();
    return items;
}

/// Runs what `claim_batch` has claimed, one contract after the other, and gives it back together.
/// Returns how many were run or released: the run of a claimed contract may no longer be due.
template <contract_runner Runner>
std::size_t run_batch(shared_batch& batch, Runner& runner, contract_block& block,
                      std::size_t block_index, std::uint32_t items) noexcept {
    const std::uint32_t closing = block.closing();
    const std::uint32_t wanted = block.take_wanted(items); // K3: after the look at closing
    std::uint32_t ran = 0;
    std::uint32_t gone = 0;
    const auto run_one = [&](std::uint32_t bit) {
        if ((wanted & bit) != 0 && !runner.is_cancelling()) [[likely]] {
            runner.run(bit);
            ran |= bit;
        }
        if ((closing & bit) != 0) [[unlikely]] { // K4
            runner.release(bit);
            gone |= bit;
        }
        return shared_batch::outcome{runner.again(), gone};
    };
    const std::uint32_t own =
        batch.owner_run(static_cast<std::uint32_t>(block_index), items, wanted, run_one) & ~gone;
    const std::uint32_t again = own & runner.again();
    runner.give_back(own, again, again);
    batch.owner_end();
    return static_cast<std::size_t>(std::popcount(ran | gone));
}

/// Gives back what was freed of another thread's batch. The batch of the caller is claiming since
/// before (shared_batch, B4).
template <contract_runner Runner>
void give_back_freed(shared_batch& batch, Runner& runner,
                     const shared_batch::freed& freed) noexcept {
    const std::uint32_t done = freed.done & ~freed.of_done.gone;
    const std::uint32_t again = done & freed.of_done.again;
    const std::uint32_t wanted = freed.not_begun & freed.note; // as take_wanted() said
    runner.give_back(done | freed.not_begun, again | freed.not_begun, again | wanted);
    batch.owner_end();
}

} // namespace weft::inline v0::detail
