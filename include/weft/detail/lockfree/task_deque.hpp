// The deque of a worker's tasks: any number of them, in any order of completion.
#pragma once

#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/fence.hpp>
#include <weft/detail/sync/memory.hpp>
#include <weft/detail/sync/model_constants.hpp>

#include <cstddef>
#include <cstdint>

namespace weft::inline v0::detail {

/// The deque of Chase and Lev, with the fences of Le, Pop, Cohen and Zappa Nardelli: pointers that
/// one owner pushes and pops at the bottom and thieves steal at the top.
///
/// | operation  | caller | progress                                            |
/// |------------|--------|-----------------------------------------------------|
/// | owner_push | owner  | wait-free except when it grows, which allocates     |
/// | owner_pop  | owner  | wait-free                                           |
/// | steal, steal_while | any | lock-free: fails only if another operation succeeds |
///
/// Invariants
///  D1  top <= bottom, except while a pop of an empty deque is under way; top never falls.
///  D2  Position p is in cell p modulo the size of every buffer that holds it; a buffer that was
///      outgrown keeps its content and lives as long as the deque, so a slow thief reads the same.
///  D3  The thread that moves top past a position has the item there; the owner also has the item
///      below bottom once it has lowered bottom and seen top at or below it.
///  D4  A pop lowers bottom before it reads top, a steal reads top before it reads bottom, each
///      with a seq_cst fence between: of a pop and a steal of one position at least one sees the
///      other.
///  D5  `steal_while(first, holds)` takes only items that were pushed while `holds` was true, if it
///      never becomes true again. It asks after it has read the item: what the owner did before the
///      push, it sees (D2). While top stays, so does the item there.
template <class T>
class task_deque {
public:
    /// `thieves`: whether another thread will ever steal; without thieves a pop needs no fence.
    explicit task_deque(bool thieves, std::size_t capacity = constants::deque_capacity)
        : thieves_{thieves}, buffer_{buffer::make(capacity, nullptr)} {}
    ~task_deque() {
        for (buffer* each = buffer_.load(sync::relaxed); each != nullptr;) {
            buffer* outgrown = each->outgrown;
            buffer::free(each);
            each = outgrown;
        }
    }
    task_deque(const task_deque&) = delete;
    task_deque& operator=(const task_deque&) = delete;

    [[nodiscard]] bool has_thieves() const noexcept { return thieves_; }

    /// Whether the next push must grow.
    [[nodiscard]] bool owner_is_full() const noexcept {
        return bottom_.load(sync::relaxed) - top_.load(sync::relaxed) >=
               buffer_.load(sync::relaxed)->size;
    }

    /// Where the next item is pushed: `steal_while` takes this number.
    [[nodiscard]] std::uint32_t owner_position() const noexcept {
        return static_cast<std::uint32_t>(bottom_.load(sync::relaxed));
    }

    /// Throws std::bad_alloc if it must grow and cannot; the deque is as before then.
    void owner_push(T* item) {
        const std::int64_t bottom = bottom_.load(sync::relaxed);
        buffer* cells = buffer_.load(sync::relaxed);
        // acquire, pairs with steal_from(), the one that made room: its read of the cell comes
        // before our store [DEQUE-1]
        const std::int64_t top = top_.load(sync::acquire);
        if (bottom - top >= cells->size) cells = grow(cells, top, bottom);
        cells->cell(bottom).store(item, sync::relaxed);
        // A fence, not a release store: pop stores to bottom_ too, and what a thief reads there
        // must cover every push before it; pairs with steal_from() [DEQUE-2]
        sync::fence(sync::release);
        bottom_.store(bottom + 1, sync::relaxed);
    }

    /// The youngest item if it is this one.
    bool owner_pop_if(const T* item) noexcept {
        const std::int64_t bottom = bottom_.load(sync::relaxed);
        if (top_.load(sync::relaxed) >= bottom) return false;
        if (buffer_.load(sync::relaxed)->cell(bottom - 1).load(sync::relaxed) != item) return false;
        // A thief may have been faster; then the pop finds nothing, since this was the last one.
        return owner_pop() != nullptr;
    }

    /// The youngest item, or null.
    T* owner_pop() noexcept {
        const std::int64_t bottom = bottom_.load(sync::relaxed) - 1;
        buffer* cells = buffer_.load(sync::relaxed);
        bottom_.store(bottom, sync::relaxed);
        // D4, pairs with the fence in steal_from() [DEQUE-3]
        if (thieves_) sync::fence(sync::seq_cst);
        std::int64_t top = top_.load(sync::relaxed);
        T* item = nullptr;
        if (top <= bottom) {
            item = cells->cell(bottom).load(sync::relaxed);
            if (top < bottom) return item;
            // The last one: thieves may want it too.
            if (!top_.compare_exchange_strong(top, top + 1, sync::relaxed, sync::relaxed)) {
                item = nullptr;
            }
        }
        bottom_.store(bottom + 1, sync::relaxed);
        return item;
    }

    /// The item that would be popped after this number of pops, or null. A hint: a thief may have
    /// taken it, and it may have been freed.
    [[nodiscard]] const T* owner_look_ahead(std::int64_t pops) const noexcept {
        const std::int64_t position = bottom_.load(sync::relaxed) - 1 - pops;
        if (position < top_.load(sync::relaxed)) return nullptr;
        return buffer_.load(sync::relaxed)->cell(position).load(sync::relaxed);
    }

    /// The oldest item, or null if there is none or another thread was faster.
    T* steal() noexcept {
        return steal_from(top_.load(sync::relaxed), [] { return true; });
    }

    /// The same if the oldest item is at position `first` or behind it, and `holds()` (D5).
    template <class Holds>
    T* steal_while(std::uint32_t first, Holds holds) noexcept {
        const std::int64_t top = top_.load(sync::relaxed);
        return is_from(top, first) ? steal_from(top, holds) : nullptr;
    }

    /// Whether `steal_while` would find something; an estimate.
    [[nodiscard]] bool has_from(std::uint32_t first) const noexcept {
        const std::int64_t top = top_.load(sync::relaxed);
        return top < bottom_.load(sync::relaxed) && is_from(top, first);
    }

    /// An estimate, for thieves.
    [[nodiscard]] std::size_t count() const noexcept {
        const std::int64_t top = top_.load(sync::relaxed);
        const std::int64_t bottom = bottom_.load(sync::relaxed);
        return bottom > top ? static_cast<std::size_t>(bottom - top) : 0;
    }

private:
    /// Positions are compared by their lower halves: no queue is half as long as they reach.
    static bool is_from(std::int64_t position, std::uint32_t first) noexcept {
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(position) - first) >= 0;
    }

    template <class Holds>
    T* steal_from(std::int64_t top, Holds holds) noexcept {
        // D4, pairs with the fence in owner_pop() [DEQUE-4]
        sync::fence(sync::seq_cst);
        // acquire, pairs with the fence in owner_push() [DEQUE-5]
        if (top >= bottom_.load(sync::acquire)) return nullptr;
        // acquire, pairs with grow(): the new buffer's content [DEQUE-6]
        T* item = buffer_.load(sync::acquire)->cell(top).load(sync::relaxed);
        if (!holds()) return nullptr;
        // release, pairs with owner_push(): the cell was read before it may be filled again
        // [DEQUE-7]
        if (!top_.compare_exchange_strong(top, top + 1, sync::release, sync::relaxed)) {
            return nullptr;
        }
        return item;
    }

    struct buffer {
        std::int64_t size; // a power of two
        buffer* outgrown;
        sync::atomic<T*> cells[1];

        sync::atomic<T*>& cell(std::int64_t position) noexcept {
            return cells[static_cast<std::size_t>(position & (size - 1))];
        }

        static std::size_t bytes(std::size_t count) {
            return sizeof(buffer) + (count - 1) * sizeof(sync::atomic<T*>);
        }
        static buffer* make(std::size_t count, buffer* before) {
            void* memory = sync::allocate(bytes(count), alignof(buffer));
            auto* made = static_cast<buffer*>(memory);
            made->size = static_cast<std::int64_t>(count);
            made->outgrown = before;
            for (std::size_t i = 0; i < count; ++i) ::new (&made->cells[i]) sync::atomic<T*>{};
            return made;
        }
        static void free(buffer* made) noexcept {
            for (std::int64_t i = 0; i < made->size; ++i) std::destroy_at(&made->cells[i]);
            sync::deallocate(made, alignof(buffer));
        }
    };

    buffer* grow(buffer* cells, std::int64_t top, std::int64_t bottom) {
        buffer* larger = buffer::make(static_cast<std::size_t>(cells->size) * 2, cells);
        for (std::int64_t p = top; p < bottom; ++p) {
            larger->cell(p).store(cells->cell(p).load(sync::relaxed), sync::relaxed);
        }
        // release, pairs with steal_from() [DEQUE-8]
        buffer_.store(larger, sync::release);
        return larger;
    }

    const bool thieves_;

    // Written by the owner.
    alignas(64) sync::atomic<std::int64_t> bottom_{0};
    sync::atomic<buffer*> buffer_;

    // Written by thieves, and by the owner for the last item.
    alignas(64) sync::atomic<std::int64_t> top_{0};
};

} // namespace weft::inline v0::detail
