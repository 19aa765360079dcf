// What a thread has submitted while an earlier submission of it is still on its way.
#pragma once

#include <weft/detail/resource/ticket.hpp>
#include <weft/detail/sync/atomic.hpp>

#include <cstdint>

namespace weft::inline v0::detail {

/// A submission that meets one which is still entering its queues returns, and is continued by
/// whoever brings that one to its end. What the same thread submits meanwhile must not overtake it, and
/// waits in the thread's lane.
///
/// | operation    | who                                          | progress  |
/// |--------------|----------------------------------------------|-----------|
/// | try_push     | the thread                                   | lock-free |
/// | begin        | the thread, when try_push has failed         | wait-free |
/// | busy         | the thread                                   | wait-free |
/// | abandon      | the thread, at its end                       | wait-free |
/// | next_or_idle | who has brought the lane's ticket to its end | wait-free |
///
/// Invariants
///  L1  A busy lane has one ticket that is on its way; the others wait in it, in the order of their
///      submission. It becomes idle only when none waits.
///  L2  What came before it became idle happens before try_push fails: the thread's next ticket enters
///      every queue behind those before.
///  L3  An abandoned lane is freed by who finds it idle, once.
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
        // relaxed: it is published with the ticket that is on its way
        word_.store(busy_bit, sync::relaxed);
    }
    [[nodiscard]] bool busy() const noexcept {
        // acquire, as in try_push() [LANE-1]
        return (word_.load(sync::acquire) & busy_bit) != 0;
    }
    /// True if the caller is to free it.
    [[nodiscard]] bool abandon() noexcept {
        // acquire and release: what either side did with it comes before its freeing [LANE-4]
        return (word_.fetch_add(abandoned_bit, sync::acq_rel) & busy_bit) == 0;
    }

    struct next {
        ticket* following; ///< to be brought on its way, or null
        bool free;         ///< nobody uses the lane any more
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
    static std::uintptr_t to_word(ticket& one) noexcept {
        return reinterpret_cast<std::uintptr_t>(&one);
    }

    sync::atomic<std::uintptr_t> word_{0};
    ticket_list waiting_; // of whoever has brought the ticket before to its end
};

} // namespace weft::inline v0::detail
