// The submissions of a thread that wait for an earlier one of the same thread.
#pragma once

#include <weft/detail/resource/ticket.hpp>
#include <weft/detail/sync/atomic.hpp>

#include <cstdint>

namespace weft::inline v0::detail {

/// A submission that meets another one which is still entering its queues is suspended: it returns,
/// and the thread that it met continues it. Tickets that the same thread submits meanwhile must not
/// overtake it, and wait in the thread's lane.
///
/// | operation    | caller                                    | progress  |
/// |--------------|-------------------------------------------|-----------|
/// | try_push     | the owning thread                         | lock-free |
/// | begin        | the owning thread, when try_push has failed | wait-free |
/// | abandon      | the owning thread, when it ends           | wait-free |
/// | next_or_idle | the thread that settles the lane's ticket | wait-free |
///
/// Invariants
///  L1  A busy lane has one ticket that is growing; the others wait in the lane, in the order of
///      their submission. It becomes idle only when none waits.
///  L2  What came before the lane became idle happens before try_push fails: the thread's next
///      ticket enters every queue behind the earlier ones.
///  L3  An abandoned lane is freed by the thread that finds it idle, once.
class lane {
public:
    /// False if it is idle: then the ticket is the first.
    [[nodiscard]] bool try_push(ticket& last) noexcept {
        // acquire, pairs with next_or_idle() [LANE-1]
        std::uintptr_t now = word_.load(sync::acquire);
        while ((now & busy_bit) != 0) {
            last.next.write(to_ticket(now));
            // release, pairs with next_or_idle(): the ticket. acquire as above [LANE-2]
            if (word_.compare_exchange_weak(now, to_word(last) | busy_bit, sync::release,
                                            sync::acquire)) {
                return true;
            }
        }
        return false;
    }
    void begin() noexcept {
        // relaxed: it is published with the ticket that grows
        word_.store(busy_bit, sync::relaxed);
    }
    /// True if the caller is to free it.
    [[nodiscard]] bool abandon() noexcept {
        // acquire and release: what either side did with it comes before its freeing [LANE-4]
        return (word_.fetch_add(abandoned_bit, sync::acq_rel) & busy_bit) == 0;
    }

    struct next {
        ticket* following; ///< to be grown next, or null
        bool free;         ///< no thread uses the lane any more
    };
    [[nodiscard]] next next_or_idle() noexcept {
        if (waiting_.empty()) {
            std::uintptr_t expected = busy_bit;
            // release, pairs with try_push(): all queues were entered before [LANE-3]
            if (word_.compare_exchange_strong(expected, 0, sync::release, sync::relaxed)) {
                return {nullptr, false};
            }
            // acquire, pairs with try_push(): the tickets; with abandon() [LANE-4]
            const std::uintptr_t pushed = word_.fetch_and(busy_bit | abandoned_bit, sync::acquire);
            for (ticket* youngest = to_ticket(pushed); youngest != nullptr;) {
                ticket* older = youngest->next.read();
                waiting_.push(*youngest);
                youngest = older;
            }
            if (waiting_.empty()) return {nullptr, true};
        }
        return {waiting_.pop(), false};
    }

private:
    static constexpr std::uintptr_t busy_bit = 1;
    static constexpr std::uintptr_t abandoned_bit = 2;

    static ticket* to_ticket(std::uintptr_t word) noexcept {
        return reinterpret_cast<ticket*>(word & ~(busy_bit | abandoned_bit));
    }
    static std::uintptr_t to_word(ticket& added) noexcept {
        return reinterpret_cast<std::uintptr_t>(&added);
    }

    sync::atomic<std::uintptr_t> word_{0};
    ticket_list waiting_; // used by the thread that settles the lane's ticket
};

} // namespace weft::inline v0::detail
