// What the scenarios of contracts share: a block, and those who run its contracts as a group does.
#pragma once

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

/// Contracts 0 and 1 of one block. Their runs are watched: two at once are a race.
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
        for (std::uint32_t each = 0; each < count; ++each) block.publish(1U << each, 1);
    }

    /// Leaves something for the run to see, and schedules; whether it was accepted.
    bool send(std::uint32_t which = 0) {
        contracts[which].mail.fetch_add(1, sync::relaxed);
        return block.schedule(1U << which).accepted;
    }

    struct turn {
        std::uint32_t closing = 0;
        std::uint32_t wanted = 0;
        std::uint32_t again = 0;
        std::uint32_t gone = 0;
    };
    /// After a claim.
    turn begin(std::uint32_t items) {
        turn now;
        now.closing = block.closing();
        now.wanted = block.take_wanted(items);
        return now;
    }
    /// One contract, as contract_core does it.
    void run_one(std::uint32_t bit, turn& now) {
        contract& which = contracts[static_cast<std::size_t>(std::countr_zero(bit))];
        if ((now.wanted & bit) != 0) {
            const int run = ++which.runs.modify();
            which.seen.write(which.mail.load(sync::relaxed));
            if (which.work(run)) now.again |= bit;
        }
        if ((now.closing & bit) != 0) {
            ++which.releases.modify();
            now.gone |= bit;
            if (block.end_life(bit)) which.freed.fetch_add(1, sync::release);
        }
    }
    /// Claims up to `most`, runs them and gives them back; how many.
    std::size_t run(unsigned most = 1) {
        const std::uint32_t items = block.claim(everything, most);
        if (items == 0) return 0;
        turn now = begin(items);
        for (std::uint32_t left = items; left != 0; left &= left - 1) {
            run_one(left & (~left + 1), now);
        }
        const std::uint32_t again = now.again & ~now.gone;
        block.finish(items & ~now.gone, again, again);
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
    void drop(std::uint32_t which) {
        block.request_release(1U << which, false);
        if (block.drop_handle(1U << which)) contracts[which].freed.fetch_add(1, sync::relaxed);
    }
};

} // namespace weft::test
