// The state of 32 contracts: which are due, running, being released, or free to be used again.
#pragma once

#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/fence.hpp>

#include <bit>
#include <cstdint>

namespace weft::inline v0::detail {

/// The priorities of contracts, as indices: high is 0, normal is 1, low is 2.
inline constexpr unsigned priority_classes = 3;
inline constexpr unsigned high_priority = 0;
inline constexpr unsigned normal_priority = 1;
inline constexpr unsigned low_priority = 2;

/// A pending and a running bit for each of 32 contracts.
struct contract_word {
    std::uint64_t word;
    [[nodiscard]] std::uint32_t pending() const noexcept {
        return static_cast<std::uint32_t>(word);
    }
    [[nodiscard]] std::uint32_t running() const noexcept {
        return static_cast<std::uint32_t>(word >> 32);
    }
    /// The contracts that may be claimed.
    [[nodiscard]] std::uint32_t available() const noexcept { return pending() & ~running(); }

    static std::uint64_t to_pending(std::uint32_t bits) noexcept { return bits; }
    static std::uint64_t to_running(std::uint32_t bits) noexcept {
        return std::uint64_t{bits} << 32;
    }
};

/// The state of 32 contracts. A contract is named by its bit.
///
/// | operation                      | caller                                 | progress  |
/// |--------------------------------|----------------------------------------|-----------|
/// | schedule                       | a thread with a handle                 | wait-free |
/// | request_release                | handle, token, group                   | wait-free |
/// | claim                          | any thread                             | lock-free |
/// | take_wanted                    | the thread that has claimed            | wait-free |
/// | finish                         | the thread that has claimed or freed   | lock-free |
/// | publish                        | the thread that creates the contract   | wait-free |
/// | end_life                       | the thread that has claimed            | wait-free |
/// | drop_handle                    | the owner of the handle                | wait-free |
/// | set_priority                   | a thread with a handle                 | wait-free |
/// | begin_notifying, end_notifying | a thread with a handle                 | wait-free |
/// | nobody_notifies                | the end of the group                   | wait-free |
/// | closing, living, members, look, available | any thread                  | wait-free |
///
/// The states of an entry
///   free    --publish----------> idle       it was *running* while it was free, so that no thread
///                                           could claim it
///   idle    --schedule---------> pending
///   pending --claim------------> running    by a worker, which runs it later
///   running --schedule---------> running and pending
///   running --finish-----------> idle, or pending if it was scheduled in the meantime
///   running --end_life---------> free       once its handle is gone too; it stays *running*
///
/// Two more bits. *Wanted*: a run is due. *Closing*: the contract is being released. *Pending* says
/// only that a thread must claim the contract. That thread takes the *wanted* bit and runs the
/// contract if the bit was set; then, if the contract is closing, it releases it.
///
/// Invariants
///  K1  A contract is run by the thread that has claimed it, between claim and finish. Both are
///      updates of one word: a contract never runs concurrently with itself, and each run sees what
///      the run before it did.
///  K2  schedule sets *wanted* and *pending* even if they are set already, so that what came before
///      it happens before the run that takes them.
///  K3  A schedule that returns true is followed by a run that begins after it. It sets *wanted*
///      and then reads *closing*. A thread that releases a contract has read *closing* and has then
///      taken *wanted*. Both change *wanted* by an update: if the schedule comes second, it sees
///      *closing*.
///  K4  A thread that claims a closing contract runs it if it was wanted, then releases it, and
///      does not finish it: so it is released once. A release during a run makes the contract
///      pending, and so it is claimed once more.
///  K5  An entry is used again when its contract is not alive and has no handle; the thread that
///      ends the second of these frees it. schedule and request_release come from a handle, from
///      the run itself, or from the end of the group when no more contracts are created; so they
///      have returned before the entry is used again.
///  K6  A thread that makes a contract available, or moves one to another priority, marks it in the
///      signal tree afterwards, with a seq_cst fence between: see mark_tree, T1. A schedule of a
///      running contract leaves this to finish, which sees it: both are updates of one word.
///  K7  A handle may be used while the group ends, and its pool may end soon after. The calling
///      thread is counted in `notifying_`, reads whether there is a pool, notifies it, and is then
///      no longer counted. The group first announces that there is no pool and then waits until no
///      caller is counted. Each side has a seq_cst fence between its first two steps: either the
///      caller sees that there is no pool, or the group sees the caller counted.
class alignas(64) contract_block {
public:
    struct scheduling {
        bool accepted; ///< false: the contract is being released
        bool news;     ///< the caller must mark the contract, and notify a thread
    };

    [[nodiscard]] scheduling schedule(std::uint32_t bit) noexcept {
        // K2; release, pairs with take_wanted() [CONTRACT-1]
        wanted_.fetch_or(bit, sync::release);
        // Only one bit of the old value is used, and it is written as such: then this is one
        // instruction on x86, without a loop.
        const std::uint64_t pending = std::uint64_t{1} << std::countr_zero(bit);
        const bool was_pending = (word_.fetch_or(pending, sync::relaxed) & pending) != 0;
        // K6, pairs with retire_position() of the tree and with set_priority(); K3, with
        // take_wanted() [CONTRACT-2]
        sync::fence(sync::seq_cst);
        const bool runs = (look().running() & bit) != 0;
        // The thread that runs it will see it. But the contract may be in a batch with one that
        // takes long, and then another thread has to free it: one is notified, once.
        const bool news = !(was_pending && runs);
        return {(closing_.load(sync::relaxed) & bit) == 0, news};
    }

    /// True for the first call; the caller marks the contract then.
    bool request_release(std::uint32_t bit) noexcept {
        if ((closing_.fetch_or(bit, sync::relaxed) & bit) != 0) return false;
        // release, pairs with claim() [CONTRACT-3]
        word_.fetch_or(contract_word::to_pending(bit), sync::release);
        // K6, as in schedule() [CONTRACT-4]
        sync::fence(sync::seq_cst);
        return true;
    }

    /// Claims up to `most` of `candidates`, and returns them. If there are more, the next call
    /// continues behind them.
    [[nodiscard]] std::uint32_t claim(std::uint32_t candidates, unsigned most) noexcept {
        std::uint64_t now = word_.load(sync::relaxed);
        for (;;) {
            const std::uint32_t available = contract_word{now}.available() & candidates;
            if (available == 0) return 0;
            const std::uint32_t taken = first_of(available, most);
            const std::uint64_t next =
                (now & ~contract_word::to_pending(taken)) | contract_word::to_running(taken);
            // acquire, pairs with finish() and request_release(); release, so that a thread that
            // sees it claimed sees the batch that it is in [CONTRACT-5]
            if (word_.compare_exchange_weak(now, next, sync::acq_rel, sync::relaxed)) return taken;
        }
    }

    /// Returns the claimed contracts whose run was due, and clears their *wanted* bits.
    [[nodiscard]] std::uint32_t take_wanted(std::uint32_t claimed) noexcept {
        // acquire and release, pairs with schedule() [CONTRACT-6]
        return wanted_.fetch_and(~claimed, sync::acq_rel) & claimed;
    }
    /// The contracts that are being released. A run reads this before take_wanted (K3).
    [[nodiscard]] std::uint32_t closing() const noexcept { return closing_.load(sync::relaxed); }

    /// Gives back `claimed`; those in `again` become pending, and those in `wanted` are due.
    /// Returns the contracts that may be claimed now; the caller marks them.
    std::uint32_t finish(std::uint32_t claimed, std::uint32_t again,
                         std::uint32_t wanted) noexcept {
        if (wanted != 0) wanted_.fetch_or(wanted, sync::relaxed); // the update below releases
        std::uint64_t now = word_.load(sync::relaxed);
        std::uint64_t next = 0;
        do {
            next = (now & ~contract_word::to_running(claimed)) | contract_word::to_pending(again);
            // release, pairs with claim() [CONTRACT-7]
        } while (!word_.compare_exchange_weak(now, next, sync::release, sync::relaxed));
        // K6, as in schedule() [CONTRACT-8]
        sync::fence(sync::seq_cst);
        return contract_word{next}.available();
    }

    /// Makes a free entry a contract with a handle. Until then only the calling thread knows the
    /// entry.
    void publish(std::uint32_t bit, unsigned priority_class) noexcept {
        word_.fetch_and(~contract_word::to_pending(bit), sync::relaxed);
        closing_.fetch_and(~bit, sync::relaxed);
        wanted_.fetch_and(~bit, sync::relaxed);
        write_priority(bit, priority_class);
        life_.fetch_or(alive(bit) | handle(bit), sync::relaxed);
        // release, pairs with claim() [CONTRACT-9]
        word_.fetch_and(~contract_word::to_running(bit), sync::release);
    }

    /// After the release callback; true if the entry is free. It stays *running*.
    [[nodiscard]] bool end_life(std::uint32_t bit) noexcept {
        // acquire and release, pairs with drop_handle(): the thread that frees the entry sees what
        // the other did [CONTRACT-10]
        return (life_.fetch_and(~alive(bit), sync::acq_rel) & handle(bit)) == 0;
    }
    /// The handle is gone; true if the entry is free.
    [[nodiscard]] bool drop_handle(std::uint32_t bit) noexcept {
        // acquire and release, pairs with end_life() [CONTRACT-11]
        return (life_.fetch_and(~handle(bit), sync::acq_rel) & alive(bit)) == 0;
    }
    /// The contracts that are alive.
    [[nodiscard]] std::uint32_t living() const noexcept {
        return static_cast<std::uint32_t>(life_.load(sync::relaxed));
    }

    /// True if the contract is pending: the caller marks it in the tree of its new priority.
    [[nodiscard]] bool set_priority(std::uint32_t bit, unsigned priority_class) noexcept {
        write_priority(bit, priority_class);
        // K6, pairs with schedule(), request_release() and finish() [CONTRACT-12]
        sync::fence(sync::seq_cst);
        return (look().pending() & bit) != 0;
    }
    /// The contracts of a priority. A thread that finds that one is no longer among them sees what
    /// came before that change.
    [[nodiscard]] std::uint32_t members(unsigned priority_class) const noexcept {
        // acquire, pairs with write_priority() [CONTRACT-16]
        const std::uint32_t high = high_.load(sync::acquire);
        if (priority_class == high_priority) return high;
        // acquire, as above [CONTRACT-17]
        const std::uint32_t low = low_.load(sync::acquire) & ~high;
        return priority_class == low_priority ? low : ~(high | low);
    }

    // Around each call of a handle that may notify the pool (K7); these calls have a fence inside.
    void begin_notifying() noexcept { notifying_.fetch_add(1, sync::relaxed); }
    void end_notifying() noexcept {
        notifying_.fetch_sub(1, sync::release); // pairs with nobody_notifies() [CONTRACT-14]
    }
    [[nodiscard]] bool nobody_notifies() const noexcept {
        return notifying_.load(sync::acquire) == 0; // pairs with end_notifying() [CONTRACT-15]
    }

    [[nodiscard]] contract_word look() const noexcept { return {word_.load(sync::relaxed)}; }
    /// The contracts of a priority that may be claimed. A thread that finds none sees what came
    /// before the claims.
    [[nodiscard]] std::uint32_t available(unsigned priority_class) const noexcept {
        // acquire, pairs with claim() [CONTRACT-13]
        const contract_word now{word_.load(sync::acquire)};
        return now.available() & members(priority_class);
    }

private:
    static std::uint64_t alive(std::uint32_t bit) noexcept { return bit; }
    static std::uint64_t handle(std::uint32_t bit) noexcept { return std::uint64_t{bit} << 32; }

    void write_priority(std::uint32_t bit, unsigned priority_class) noexcept {
        // release, all four, pairs with members()
        if (priority_class == high_priority) high_.fetch_or(bit, sync::release); // [CONTRACT-18]
        else high_.fetch_and(~bit, sync::release);                               // [CONTRACT-19]
        if (priority_class == low_priority) low_.fetch_or(bit, sync::release);   // [CONTRACT-20]
        else low_.fetch_and(~bit, sync::release);                                // [CONTRACT-21]
    }

    /// The first `most` at or after the turn, wrapping at the end. If all fit, the turn stays.
    [[nodiscard]] std::uint32_t first_of(std::uint32_t available, unsigned most) noexcept {
        if (static_cast<unsigned>(std::popcount(available)) <= most) return available;
        const std::uint32_t turn = turn_.load(sync::relaxed);
        std::uint32_t left = std::rotr(available, static_cast<int>(turn));
        std::uint32_t taken = 0;
        for (unsigned count = 0; count < most; ++count) {
            taken |= left & (~left + 1);
            left &= left - 1;
        }
        const auto behind = static_cast<std::uint32_t>(std::bit_width(taken));
        turn_.store((turn + behind) % 32, sync::relaxed);
        return std::rotl(taken, static_cast<int>(turn));
    }

    sync::atomic<std::uint64_t> word_{contract_word::to_running(~std::uint32_t{0})};
    sync::atomic<std::uint64_t> life_{0}; // alive, and with a handle
    sync::atomic<std::uint32_t> closing_{0};
    sync::atomic<std::uint32_t> wanted_{0};
    // Contracts of high and of low priority; those of normal priority are in neither.
    sync::atomic<std::uint32_t> high_{0};
    sync::atomic<std::uint32_t> low_{0};
    sync::atomic<std::uint32_t> turn_{0};
    sync::atomic<std::uint32_t> notifying_{0}; // callers
};

} // namespace weft::inline v0::detail
