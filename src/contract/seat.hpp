// The seat of a thread that executes contracts of a group.
#pragma once

#include "contract/kept_batch.hpp"
#include "lockfree/shared_batch.hpp"
#include "sync/thread_identity.hpp"

#include <weft/detail/contract/contract_block.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/clock.hpp>
#include <weft/detail/sync/memory.hpp>
#include <weft/detail/sync/model_constants.hpp>
#include <weft/detail/sync/plain.hpp>
#include <weft/detail/sync/thread.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

namespace weft::inline v0::detail {

/// The state of a thread in a group: its position in the visiting order, and the batch it has
/// claimed. A thread keeps its seat between calls, so that it comes back to the same contracts, but
/// between calls it claims nothing.
struct alignas(64) contract_seat {
    static constexpr unsigned no_target = ~0U;

    /// A visit to a block.
    struct visit {
        std::size_t block = 0;
        unsigned left = 0;                       ///< contracts that it may still run
        std::uint32_t among = ~std::uint32_t{0}; ///< no others are run
        unsigned target = no_target;             ///< those nearest to it first (nearest_bit)
    };
    /// The way through the contracts of one priority (visit_order.hpp).
    struct cursor : visit {
        std::size_t stretch_next = 0; ///< the next block of the stretch
        std::size_t stretch_end = 0;  ///< the end of the stretch
        std::size_t marked_next = 0;  ///< the next block when all marks are followed
        unsigned stretches_begun = 0;
    };

    /// The way through a preferred range of positions.
    struct preference {
        std::size_t first = 0;
        std::size_t last = 0;
        std::array<cursor, priority_classes> cursors{};
        std::array<unsigned, priority_classes> credit{};
    };

    // Written by the thread that has the seat.
    sync::atomic<bool> taken{false};
    sync::atomic<const void*> owner{nullptr};  // the last thread that had it
    sync::atomic<const void*> sitter{nullptr}; // the thread that has it now, else null
    std::size_t index = 0;
    bool prepared = false; // by visit_order, for its first owner
    std::array<cursor, priority_classes> cursors{};
    std::array<unsigned, priority_classes> credit{};
    std::uint64_t turn = 0;       // visits so far, for biases
    sync::plain<kept_batch> kept; // at rest in `batch` while no thread has the seat
    preference preferred;
    unsigned nanoseconds = 0; // the approximate duration of a contract
    unsigned batches = 0;
    /// The batch of another seat that this thread watches.
    std::uint64_t watched = 0;
    sync::clock::time_point watched_since{};

    // Also written by the threads of other seats: stretches begun in this seat's range of blocks.
    alignas(64) std::array<sync::atomic<std::uint64_t>, priority_classes> stretch_counts{};
    alignas(64) shared_batch batch;
};

/// All seats of a group: as many as the largest number of threads that were inside at once.
///
/// | operation      | caller                     | progress             |
/// |----------------|----------------------------|----------------------|
/// | take, try_take | any thread                 | lock-free, allocates |
/// | leave          | the thread in the seat     | wait-free            |
/// | is_inside, used, find | any thread          | wait-free            |
/// | reserve        | any thread                 | lock-free, allocates |
///
/// A thread takes the seat that it had before, else one that no thread has had, else any that is
/// free, else a new one. Seats are in rows that never move.
///
/// A seat that a thread has left may hold a batch at rest. Whoever takes the seat next has that
/// batch: its thread when it comes back, or another that has nothing else to do (kept_batch.hpp).
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

    /// Makes at least `count` seats; throws std::bad_alloc.
    void reserve(std::size_t count) {
        row* last = first_;
        for (std::size_t made = row::size; made < count; made += row::size) last = &after(*last);
    }

    /// Throws std::bad_alloc if a new seat is needed and there is no memory.
    [[nodiscard]] contract_seat& take(const void* self = sync::this_thread()) {
        if (contract_seat* own = try_take_own(self)) return *own;
        for (row* each = first_; each != nullptr; each = next_of(*each)) {
            for (contract_seat& seat : each->seats) {
                if (seat.owner.load(sync::relaxed) != nullptr || !try_take(seat, self)) continue;
                note_use(seat);
                return seat;
            }
        }
        return take_any(self);
    }
    /// The seat that the calling thread had before, with a batch at rest; null if there is none.
    [[nodiscard]] contract_seat* try_take_resting(const void* self = sync::this_thread()) noexcept {
        return find([self](contract_seat& each) {
            return each.owner.load(sync::relaxed) == self && each.batch.is_resting() &&
                   try_take(each, self);
        });
    }
    /// Takes a seat for a moment; it stays the seat of its thread. False if it is not free.
    [[nodiscard]] static bool try_borrow(contract_seat& seat) noexcept {
        bool expected = false;
        return !seat.taken.load(sync::relaxed) &&
               // acquire, pairs with leave() [SEAT-5]
               seat.taken.compare_exchange_strong(expected, true, sync::acquire, sync::relaxed);
    }
    /// As `take`, but null if there is no memory.
    [[nodiscard]] contract_seat* try_take() noexcept {
        try {
            return &take();
        } catch (const std::bad_alloc&) {
            return nullptr;
        }
    }
    static void leave(contract_seat& seat) noexcept {
        seat.sitter.store(nullptr, sync::relaxed);
        // release, pairs with try_take() and try_borrow() [SEAT-1]
        seat.taken.store(false, sync::release);
    }

    /// Whether the calling thread is inside.
    [[nodiscard]] bool is_inside(const void* self = sync::this_thread()) noexcept {
        return find([self](contract_seat& each) {
                   return each.sitter.load(sync::relaxed) == self;
               }) != nullptr;
    }

    /// Seats that have had an owner.
    [[nodiscard]] std::size_t used() const noexcept { return used_.load(sync::relaxed); }

    /// The first seat that has had an owner and for which `wanted(seat)` holds, or null.
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
        static constexpr std::size_t size = constants::seats_in_row;
        explicit row(std::size_t first) {
            for (contract_seat& each : seats) each.index = first++;
        }
        std::array<contract_seat, size> seats;
        sync::atomic<row*> next{nullptr};
    };

    /// If another thread has borrowed it, that is for a moment: the caller looks a few times more.
    contract_seat* try_take_own(const void* self) noexcept {
        for (unsigned round = 0;; ++round) {
            bool is_borrowed = false;
            contract_seat* own = find([self, &is_borrowed](contract_seat& each) {
                if (each.owner.load(sync::relaxed) != self) return false;
                if (try_take(each, self)) return true;
                is_borrowed |= each.sitter.load(sync::relaxed) == nullptr;
                return false;
            });
            if (own != nullptr || !is_borrowed || round == constants::borrowed_seat_rounds) {
                return own;
            }
            sync::pause();
        }
    }
    static bool try_take(contract_seat& seat, const void* self) noexcept {
        bool expected = false;
        // acquire, pairs with leave() [SEAT-2]
        if (seat.taken.load(sync::relaxed) ||
            !seat.taken.compare_exchange_strong(expected, true, sync::acquire, sync::relaxed)) {
            return false;
        }
        if (seat.owner.load(sync::relaxed) != self) seat.owner.store(self, sync::relaxed);
        seat.sitter.store(self, sync::relaxed);
        return true;
    }
    static row* next_of(const row& each) noexcept {
        return each.next.load(sync::acquire); // pairs with after() [SEAT-3]
    }
    /// The row after `last`, allocated if necessary.
    static row& after(row& last) {
        row* next = next_of(last);
        if (next != nullptr) return *next;
        row* made = sync::make<row>(last.seats.back().index + 1);
        // release, pairs with next_of(); acquire, if another thread was faster [SEAT-4]
        if (last.next.compare_exchange_strong(next, made, sync::release, sync::acquire)) {
            return *made;
        }
        sync::destroy(made);
        return *next;
    }
    /// A seat that is free, or else a new one.
    contract_seat& take_any(const void* self) {
        for (row* each = first_;; each = &after(*each)) {
            for (contract_seat& seat : each->seats) {
                if (!try_take(seat, self)) continue;
                note_use(seat);
                return seat;
            }
        }
    }
    void note_use(const contract_seat& seat) noexcept {
        std::size_t now = used_.load(sync::relaxed);
        // relaxed: a thread that has seen what was done in this seat sees that it is used
        while (now <= seat.index &&
               !used_.compare_exchange_weak(now, seat.index + 1, sync::relaxed, sync::relaxed)) {
        }
    }

    row* const first_;
    sync::atomic<std::size_t> used_{0};
};

} // namespace weft::inline v0::detail
