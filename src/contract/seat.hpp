// Where a thread sits while it executes contracts of a group.
#pragma once

#include "lockfree/shared_batch.hpp"
#include "sync/thread_identity.hpp"

#include <weft/detail/contract/contract_block.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/clock.hpp>
#include <weft/detail/sync/memory.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

namespace weft::inline v0::detail {

/// A thread's place in one group: how far it has come, and what it has claimed. A thread keeps its
/// seat between calls, so that it comes back to the same contracts; but it holds nothing there.
struct alignas(64) contract_seat {
    /// The way through the contracts of a class.
    struct cursor {
        std::size_t word = 0;   ///< the block that is being visited
        unsigned left = 0;      ///< contracts that this visit may still run
        std::size_t next = 0;   ///< the next block of the stretch
        std::size_t end = 0;    ///< the end of the stretch
        std::size_t sparse = 0; ///< where to look when the stretch has nothing
        unsigned stretches = 0;
    };

    // Written by who sits here.
    sync::atomic<bool> taken{false};
    sync::atomic<const void*> owner{nullptr};  // who sat here last
    sync::atomic<const void*> sitter{nullptr}; // a thread reads itself here only while it sits
    std::size_t index = 0;
    bool known = false; // it was made ready for its first owner
    std::array<cursor, contract_classes> cursors{};
    std::array<unsigned, contract_classes> credit{};
    unsigned nanoseconds = 0; // what a contract takes, about
    unsigned batches = 0;
    /// A batch of another that has not moved for a while.
    std::uint64_t watched = 0;
    sync::clock::time_point watched_since{};

    // Also by those who lag behind or hurry ahead: stretches begun in this seat's share.
    alignas(64) std::array<sync::atomic<std::uint64_t>, contract_classes> tickets{};
    alignas(64) shared_batch batch;
};

/// All seats of a group: as many as threads were inside at once.
///
/// A thread takes the seat that it had before, else one that nobody has had, else any that is free,
/// else a new one. Seats stand in rows that are never moved.
class seat_list {
public:
    seat_list() : first_{sync::make<row>(std::size_t{0})} {}
    ~seat_list() {
        for (row* each = first_; each != nullptr;) {
            row* next = each->next.load(sync::relaxed);
            sync::destroy(each);
            each = next;
        }
    }
    seat_list(const seat_list&) = delete;
    seat_list& operator=(const seat_list&) = delete;

    /// Makes seats for that many; throws std::bad_alloc.
    void reserve(std::size_t count) {
        row* last = first_;
        for (std::size_t made = row::size; made < count; made += row::size) last = &after(*last);
    }

    /// Throws std::bad_alloc if a new seat is needed and there is no memory.
    [[nodiscard]] contract_seat& take(const void* me = sync::this_thread()) {
        contract_seat* found = find([me](contract_seat& each) {
            return each.owner.load(sync::relaxed) == me && try_take(each, me);
        });
        if (found != nullptr) return *found;
        for (row* each = first_; each != nullptr; each = next_of(*each)) {
            for (contract_seat& seat : each->seats) {
                if (seat.owner.load(sync::relaxed) != nullptr || !try_take(seat, me)) continue;
                note_use(seat);
                return seat;
            }
        }
        found = find([me](contract_seat& each) { return try_take(each, me); });
        return found != nullptr ? *found : take_new(me);
    }
    /// Null then.
    [[nodiscard]] contract_seat* try_take() noexcept {
        try {
            return &take();
        } catch (const std::bad_alloc&) {
            return nullptr;
        }
    }
    static void leave(contract_seat& seat) noexcept {
        seat.sitter.store(nullptr, sync::relaxed);
        seat.taken.store(false, sync::release); // pairs with try_take() [SEAT-1]
    }

    /// Whether the calling thread is inside.
    [[nodiscard]] bool sits(const void* me = sync::this_thread()) noexcept {
        return find([me](contract_seat& each) { return each.sitter.load(sync::relaxed) == me; }) !=
               nullptr;
    }

    /// Seats that somebody has had.
    [[nodiscard]] std::size_t used() const noexcept { return used_.load(sync::relaxed); }

    /// The first seat that somebody has had and for which `wanted(seat)` holds, or null.
    template <class Wanted>
    [[nodiscard]] contract_seat* find(Wanted wanted) noexcept {
        std::size_t left = used();
        for (row* each = first_; each != nullptr && left != 0; each = next_of(*each)) {
            for (contract_seat& seat : each->seats) {
                if (wanted(seat)) return &seat;
                if (--left == 0) break;
            }
        }
        return nullptr;
    }

private:
    struct row {
        static constexpr std::size_t size = 4;
        explicit row(std::size_t first) {
            for (contract_seat& each : seats) each.index = first++;
        }
        std::array<contract_seat, size> seats;
        sync::atomic<row*> next{nullptr};
    };

    static bool try_take(contract_seat& seat, const void* me) noexcept {
        if (seat.taken.load(sync::relaxed)) return false;
        bool expected = false;
        // acquire, pairs with leave() [SEAT-2]
        if (!seat.taken.compare_exchange_strong(expected, true, sync::acquire, sync::relaxed)) {
            return false;
        }
        if (seat.owner.load(sync::relaxed) != me) seat.owner.store(me, sync::relaxed);
        seat.sitter.store(me, sync::relaxed);
        return true;
    }
    static row* next_of(const row& each) noexcept {
        return each.next.load(sync::acquire); // pairs with after() [SEAT-3]
    }
    /// The row behind another, made if need be.
    static row& after(row& last) {
        row* next = next_of(last);
        if (next != nullptr) return *next;
        row* made = sync::make<row>(last.seats.back().index + 1);
        // release, pairs with next_of(); acquire, if another was quicker [SEAT-4]
        if (last.next.compare_exchange_strong(next, made, sync::release, sync::acquire)) {
            return *made;
        }
        sync::destroy(made);
        return *next;
    }
    contract_seat& take_new(const void* me) {
        for (row* each = first_;; each = &after(*each)) {
            for (contract_seat& seat : each->seats) {
                if (!try_take(seat, me)) continue;
                note_use(seat);
                return seat;
            }
        }
    }
    void note_use(const contract_seat& seat) noexcept {
        std::size_t now = used_.load(sync::relaxed);
        // relaxed: who has seen what was done in this seat sees that it is used
        while (now <= seat.index &&
               !used_.compare_exchange_weak(now, seat.index + 1, sync::relaxed, sync::relaxed)) {
        }
    }

    row* const first_;
    sync::atomic<std::size_t> used_{0};
};

} // namespace weft::inline v0::detail
