// A batch that a thread keeps between calls that run one contract each.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::inline v0::detail {

/// Claimed contracts of one block, of which each call of `try_execute_next` runs one. To claim and
/// give back costs ten times as much as to run a contract, so a thread does both once for up to 32
/// calls. Between these calls its batch is at rest (shared_batch, B5), and this is what it has to
/// know of it.
///
/// *No claim is lost or held up when a thread stops calling.* It has left its seat, so any thread
/// may take that seat, and with it the batch: a thread that finds nothing else due gives the batch
/// back at once, and then claims of it what it can; a thread that is busy does so when it sees the
/// batch twice in one state (slow_batches.hpp); the thread that stops the group, too. A thread that
/// is about to sleep sees the batch, and does not. One that sleeps already was notified when the
/// batch was left for the first time.
struct kept_batch {
    std::size_t block = 0;
    unsigned priority_class = 0;
    std::uint32_t items = 0;   ///< all that were claimed; 0: there is no batch
    std::uint32_t left = 0;    ///< not begun
    std::uint32_t wanted = 0;  ///< their run was due when they were claimed
    std::uint32_t closing = 0; ///< they are being released, as seen then
    std::uint32_t again = 0;   ///< have asked for another run
    std::uint32_t gone = 0;    ///< were released

    [[nodiscard]] std::uint32_t next() const noexcept { return left & (~left + 1); }
    [[nodiscard]] std::uint32_t done() const noexcept { return items & ~left; }
};

} // namespace weft::inline v0::detail
