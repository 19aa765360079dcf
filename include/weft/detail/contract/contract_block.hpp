// What is known of 32 contracts: who is due, who runs, who is being released, who may be reused.
#pragma once

#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/fence.hpp>

#include <bit>
#include <cstdint>

namespace weft::inline v0::detail {

/// Classes of contracts, the most urgent first.
inline constexpr unsigned contract_classes = 3;

/// Pending and running, a bit of each for 32 contracts.
struct contract_word {
    std::uint64_t word;
    [[nodiscard]] std::uint32_t pending() const noexcept {
        return static_cast<std::uint32_t>(word);
    }
    [[nodiscard]] std::uint32_t running() const noexcept {
        return static_cast<std::uint32_t>(word >> 32);
    }
    /// What may be claimed.
    [[nodiscard]] std::uint32_t available() const noexcept { return pending() & ~running(); }

    static std::uint64_t to_pending(std::uint32_t bits) noexcept { return bits; }
    static std::uint64_t to_running(std::uint32_t bits) noexcept {
        return std::uint64_t{bits} << 32;
    }
};

/// The state of 32 contracts. A contract is named by its bit.
///
/// | operation               | who                          | progress               |
/// |-------------------------|------------------------------|------------------------|
/// | schedule                | who has a handle             | wait-free              |
/// | request_release         | handle, token, group         | wait-free              |
/// | claim                   | any                          | lock-free              |
/// | take_wanted             | who has claimed              | wait-free              |
/// | finish                  | who has claimed              | lock-free              |
/// | publish                 | who makes the contract       | wait-free              |
/// | end_life, drop_handle   | who runs it, who has a handle| wait-free              |
/// | set_class               | who has a handle             | wait-free              |
/// | begin_telling, end_telling | who has a handle          | wait-free              |
/// | nobody_tells            | the group's end              | wait-free              |
///
/// A place of a contract
///   free    --publish----------> idle       its maker; it was *running* while it was free, so that
///                                           nobody could claim it
///   idle    --schedule---------> pending    anybody
///   pending --claim------------> running    a worker, which runs it some time later
///   running --schedule---------> running and pending
///   running --finish-----------> idle, or pending if it was scheduled meanwhile
///   running --end_life---------> free       once its handle is gone too; it stays *running*
///
/// Two more bits. *Wanted*: a run is due. *Closing*: the contract is being released. Pending says only
/// that somebody is to come: who has claimed a contract takes its *wanted*, and runs it if that was
/// set; if it is closing, it is released then.
///
/// Invariants
///  K1  A contract is run by who has claimed it, from the claim until finish. Both are updates of one
///      word: no two run it at once, and each run has what came before in the one before it.
///  K2  schedule sets *wanted* and *pending* whether or not they are set already, so that what came
///      before it happens before the run that takes them.
///  K3  A schedule that returns true is followed by a run that begins after it. It sets *wanted* and
///      then looks at *closing*. Who releases a contract has seen *closing* and has taken *wanted*
///      then. Both change *wanted* by an update: if the schedule comes second it sees *closing*.
///  K4  Who claims a contract that is closing runs it if it was wanted, then releases it, and does not
///      finish it: so it is released once. A release during a run makes it pending, and so it is
///      claimed once more.
///  K5  A place is used again when it is not alive and has no handle; who ends the second of these
///      frees it. schedule and request_release come from a handle, or from the run itself, or from
///      the group's end when no more are made; so they are over before the place is used again.
///  K6  Whoever makes something available, here or in the classes, marks it in the signal tree
///      afterwards, with a seq_cst fence between: see signal_tree, T1. A schedule of a contract that
///      runs leaves this to finish, which sees it: both are updates of one word.
///  K7  Who has a handle may call when the group ends, and its pool soon after. It is counted here,
///      looks whether there is a pool, and is counted no more when it has told it. The group says
///      that there is none and then waits until nobody is counted. Each has a seq_cst fence between
///      its first two steps: either the one sees that there is none, or the other sees it counted.
class alignas(64) contract_block {
public:
    struct scheduling {
        bool accepted; ///< false: the contract is being released
        bool news;     ///< it is to be marked, and somebody is to be told
    };

    [[nodiscard]] scheduling schedule(std::uint32_t bit) noexcept {
        if ((closing_.load(sync::relaxed) & bit) != 0) return {false, false};
        // K2; release, pairs with take_wanted() [CONTRACT-1]
        wanted_.fetch_or(bit, sync::release);
        // One bit of what was there is asked for, and it is written as one: then it is one
        // instruction, without a loop, on x86.
        const std::uint64_t pending = std::uint64_t{1} << std::countr_zero(bit);
        const bool was = (word_.fetch_or(pending, sync::relaxed) & pending) != 0;
        // K6, pairs with the retire of the tree and with set_class(); K3, with take_wanted()
        // [CONTRACT-2]
        sync::fence(sync::seq_cst);
        const bool runs = (look().running() & bit) != 0;
        // Who runs it will see it. But it may only be claimed together with one that takes long, and
        // then another is to free it: somebody is told, once.
        const bool news = !(was && runs);
        return {(closing_.load(sync::relaxed) & bit) == 0, news};
    }

    /// True for the first; the caller marks the contract then. `cancel`: a run that is due is
    /// dropped.
    bool request_release(std::uint32_t bit, bool cancel) noexcept {
        const bool first = (closing_.fetch_or(bit, sync::relaxed) & bit) == 0;
        if (cancel) wanted_.fetch_and(~bit, sync::relaxed);
        if (!first) return false;
        // release, pairs with claim() [CONTRACT-3]
        word_.fetch_or(contract_word::to_pending(bit), sync::release);
        // K6, as in schedule() [CONTRACT-4]
        sync::fence(sync::seq_cst);
        return true;
    }

    /// Claims up to `most` of `among`, and says which. Takes turns among them.
    [[nodiscard]] std::uint32_t claim(std::uint32_t among, unsigned most) noexcept {
        std::uint64_t now = word_.load(sync::relaxed);
        for (;;) {
            const std::uint32_t available = contract_word{now}.available() & among;
            if (available == 0) return 0;
            const std::uint32_t taken = first_of(available, most);
            const std::uint64_t next =
                (now & ~contract_word::to_pending(taken)) | contract_word::to_running(taken);
            // acquire, pairs with finish() and request_release(); release, so that who sees it
            // claimed sees the batch that it is in [CONTRACT-5]
            if (word_.compare_exchange_weak(now, next, sync::acq_rel, sync::relaxed)) return taken;
        }
    }

    /// Of what was claimed, those whose run is due; it is no longer.
    [[nodiscard]] std::uint32_t take_wanted(std::uint32_t claimed) noexcept {
        // acquire and release, pairs with schedule() [CONTRACT-6]
        return wanted_.fetch_and(~claimed, sync::acq_rel) & claimed;
    }
    /// In a run, before take_wanted: the contracts that are being released.
    [[nodiscard]] std::uint32_t closing() const noexcept { return closing_.load(sync::relaxed); }

    /// Gives back what was claimed; `again` of it are pending, and those of `wanted` are to be run.
    /// Returns what is available now. The caller marks it.
    std::uint32_t finish(std::uint32_t claimed, std::uint32_t again,
                         std::uint32_t wanted) noexcept {
        if (wanted != 0) wanted_.fetch_or(wanted, sync::relaxed); // what follows releases
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

    /// A free place becomes a contract with a handle. Its maker alone knows it until then.
    void publish(std::uint32_t bit, unsigned in_class) noexcept {
        word_.fetch_and(~contract_word::to_pending(bit), sync::relaxed);
        closing_.fetch_and(~bit, sync::relaxed);
        wanted_.fetch_and(~bit, sync::relaxed);
        write_class(bit, in_class);
        life_.fetch_or(alive(bit) | handle(bit), sync::relaxed);
        // release, pairs with claim() [CONTRACT-9]
        word_.fetch_and(~contract_word::to_running(bit), sync::release);
    }

    /// After the release callback; true if the place is free. It stays *running*.
    [[nodiscard]] bool end_life(std::uint32_t bit) noexcept {
        // acquire and release: who frees it has what the other did [CONTRACT-10]
        return (life_.fetch_and(~alive(bit), sync::acq_rel) & handle(bit)) == 0;
    }
    /// The handle is gone; true if the place is free.
    [[nodiscard]] bool drop_handle(std::uint32_t bit) noexcept {
        // acquire and release, as in end_life() [CONTRACT-11]
        return (life_.fetch_and(~handle(bit), sync::acq_rel) & alive(bit)) == 0;
    }
    /// Those that are alive.
    [[nodiscard]] std::uint32_t living() const noexcept {
        return static_cast<std::uint32_t>(life_.load(sync::relaxed));
    }

    /// True if the contract is pending: the caller marks it in its new class.
    [[nodiscard]] bool set_class(std::uint32_t bit, unsigned in_class) noexcept {
        write_class(bit, in_class);
        // K6, pairs with schedule() and finish() [CONTRACT-12]
        sync::fence(sync::seq_cst);
        return (look().pending() & bit) != 0;
    }
    /// The contracts of a class. Who finds that one has left has what came before that.
    [[nodiscard]] std::uint32_t members(unsigned of_class) const noexcept {
        // acquire, pairs with write_class() [CONTRACT-16]
        const std::uint32_t high = high_.load(sync::acquire);
        if (of_class == 0) return high;
        // acquire, as above [CONTRACT-17]
        const std::uint32_t low = low_.load(sync::acquire) & ~high;
        return of_class == 2 ? low : ~(high | low);
    }

    // Around each of a handle's calls that may tell the pool (K7); they have a fence inside.
    void begin_telling() noexcept { telling_.fetch_add(1, sync::relaxed); }
    void end_telling() noexcept {
        telling_.fetch_sub(1, sync::release); // pairs with nobody_tells() [CONTRACT-14]
    }
    [[nodiscard]] bool nobody_tells() const noexcept {
        return telling_.load(sync::acquire) == 0; // pairs with end_telling() [CONTRACT-15]
    }

    [[nodiscard]] contract_word look() const noexcept { return {word_.load(sync::relaxed)}; }
    /// What may be claimed of a class. Who finds nothing has what came before the claims.
    [[nodiscard]] std::uint32_t available(unsigned of_class) const noexcept {
        // acquire, pairs with claim() [CONTRACT-13]
        const contract_word now{word_.load(sync::acquire)};
        return now.available() & members(of_class);
    }

private:
    static std::uint64_t alive(std::uint32_t bit) noexcept { return bit; }
    static std::uint64_t handle(std::uint32_t bit) noexcept { return std::uint64_t{bit} << 32; }

    void write_class(std::uint32_t bit, unsigned in_class) noexcept {
        // release, all four, pairs with members()
        if (in_class == 0) high_.fetch_or(bit, sync::release); // [CONTRACT-18]
        else high_.fetch_and(~bit, sync::release);             // [CONTRACT-19]
        if (in_class == 2) low_.fetch_or(bit, sync::release);  // [CONTRACT-20]
        else low_.fetch_and(~bit, sync::release);              // [CONTRACT-21]
    }

    /// The first `most` at or behind the turn, round the end. Where all are taken there is no turn.
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
    // The urgent and the patient; the others are in neither.
    sync::atomic<std::uint32_t> high_{0};
    sync::atomic<std::uint32_t> low_{0};
    sync::atomic<std::uint32_t> turn_{0};
    sync::atomic<std::uint32_t> telling_{0};
};

} // namespace weft::inline v0::detail
