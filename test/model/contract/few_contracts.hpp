// One block with two contracts, run as a group runs them.
#pragma once

#include "contract/batch_run.hpp"

#include <weft/detail/contract/contract_block.hpp>
#include <weft/detail/sync/plain.hpp>
#include <weft/detail/sync/thread.hpp>
#include <weft/explorer.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace weft::test {

/// Contracts 0 and 1 of one block. Their members are plain: two runs at once are a race.
struct few_contracts {
    static constexpr std::uint32_t everything = 3;
    struct contract {
        sync::plain<int> runs{0};     ///< written by each run
        sync::plain<int> releases{0}; ///< and by each release
        sync::plain<int> seen{0};     ///< what the last run has seen of the mail
        sync::atomic<int> mail{0};
        sync::atomic<int> freed{0};
        /// In a run; returns whether it is to be run again.
        std::function<bool(int run)> work = [](int) { return false; };
    };

    detail::contract_block block;
    std::array<contract, 2> contracts;

    explicit few_contracts(std::size_t count = 1) {
        for (std::uint32_t each = 0; each < count; ++each) {
            block.publish(1U << each, detail::normal_priority);
        }
    }

    /// Leaves something for the run to see, and schedules; whether it was accepted.
    bool send(std::uint32_t index = 0) {
        contracts[index].mail.fetch_add(1, sync::relaxed);
        return block.schedule(1U << index).accepted;
    }

    /// For run_batch().
    struct runner {
        few_contracts& owner;
        std::uint32_t asked = 0;

        contract& named(std::uint32_t bit) noexcept {
            return owner.contracts[static_cast<std::size_t>(std::countr_zero(bit))];
        }
        void run(std::uint32_t bit) noexcept {
            contract& self = named(bit);
            const int run = ++self.runs.modify();
            self.seen.write(self.mail.load(sync::relaxed));
            if (self.work(run)) asked |= bit;
        }
        void release(std::uint32_t bit) noexcept {
            contract& self = named(bit);
            ++self.releases.modify();
            if (owner.block.end_life(bit)) self.freed.fetch_add(1, sync::release);
        }
        [[nodiscard]] std::uint32_t again() const noexcept { return asked; }
        [[nodiscard]] bool is_cancelling() const noexcept { return false; }
        void give_back(std::uint32_t claimed, std::uint32_t again, std::uint32_t wanted) noexcept {
            owner.block.finish(claimed, again, wanted);
        }
    };

    /// Claims up to `most`, runs them and gives them back; how many were claimed.
    std::size_t run(unsigned most = 1) {
        detail::shared_batch batch;
        const std::uint32_t items = detail::claim_batch(batch, block, everything, most);
        if (items == 0) return 0;
        runner runs{*this};
        detail::run_batch(batch, runs, block, 0, items);
        return static_cast<std::size_t>(std::popcount(items));
    }
    /// Until `ended()`.
    template <class Ended>
    void run_until(Ended ended) {
        while (!ended()) {
            if (run() == 0) sync::yield();
        }
    }
    void run_all() {
        while (run(2) != 0) {
        }
    }
    void drop_handle(std::uint32_t index) {
        if (block.drop_handle(1U << index)) contracts[index].freed.fetch_add(1, sync::relaxed);
    }
};

} // namespace weft::test
