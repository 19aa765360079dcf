// Free blocks that workers of a pool pass to one another, in chains.
#pragma once

#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/memory.hpp>
#include <weft/detail/sync/plain.hpp>

#include <array>
#include <cstddef>
#include <utility>

namespace weft::inline v0::detail {

/// The beginning of a free block.
struct free_block {
    sync::plain<free_block*> next;
};

/// Chains of `Length` blocks of one size and alignment, each in a cell of its own.
///
/// | operation | caller | progress                              |
/// |-----------|--------|---------------------------------------|
/// | try_give  | any    | wait-free: fails if it finds no cell |
/// | try_take  | any    | wait-free: fails if it finds no chain |
///
/// Invariants
///  B1  A cell is empty or has a chain. Only the thread that puts a chain into an empty cell
///      gives it, and only the thread that empties the cell takes it: so a chain has one owner
///      before, meanwhile, and afterwards.
///  B2  The number of filled cells is an estimate. It saves the search if no cell, or every
///      cell, has a chain, and otherwise says where to begin. While a thread that gave a chain has
///      not counted it yet and another has already taken it, the count is less than zero and looks
///      like all. A thread that is misled goes to the heap.
template <std::size_t Size, std::size_t Alignment, std::size_t Length, std::size_t Cells>
class block_depot {
public:
    static constexpr std::size_t block_size = Size;
    static constexpr std::size_t block_alignment = Alignment;
    static constexpr std::size_t chain_length = Length;

    block_depot() noexcept = default;
    ~block_depot() {
        for (const cell& each : cells_) heap_free_all(each.load(sync::relaxed));
    }
    block_depot(const block_depot&) = delete;
    block_depot& operator=(const block_depot&) = delete;

    [[nodiscard]] bool try_give(free_block& chain) noexcept {
        const std::size_t filled = filled_.load(sync::relaxed);
        if (filled >= Cells) return false; // B2
        for (std::size_t each = 0; each != Cells; ++each) {
            cell& candidate = cells_[(filled + each) % Cells];
            free_block* none = nullptr;
            if (candidate.load(sync::relaxed) != nullptr) continue;
            // B1: release, pairs with try_take(): what was in the blocks, and their links [DEPOT-1]
            if (!candidate.compare_exchange_strong(none, &chain, sync::release, sync::relaxed))
                continue;
            filled_.fetch_add(1, sync::relaxed);
            return true;
        }
        return false;
    }

    /// The first of a chain, or null.
    [[nodiscard]] free_block* try_take() noexcept {
        const std::size_t filled = filled_.load(sync::relaxed);
        if (filled == 0) return nullptr; // B2
        for (std::size_t each = 0; each != Cells; ++each) {
            cell& candidate = cells_[(filled + Cells - 1 - each) % Cells];
            if (candidate.load(sync::relaxed) == nullptr) continue;
            // B1: acquire, pairs with try_give() [DEPOT-2]
            free_block* chain = candidate.exchange(nullptr, sync::acquire);
            if (chain == nullptr) continue;
            filled_.fetch_sub(1, sync::relaxed);
            return chain;
        }
        return nullptr;
    }

    static void* heap_allocate() { return sync::allocate(block_size, block_alignment); }
    static void heap_free(void* memory) noexcept { sync::deallocate(memory, block_alignment); }
    static void heap_free_all(free_block* chain) noexcept {
        while (chain != nullptr) {
            sync::unpoison(chain, block_size);
            heap_free(std::exchange(chain, chain->next.read()));
        }
    }

private:
    using cell = sync::atomic<free_block*>;

    std::array<cell, Cells> cells_{};
    sync::atomic<std::size_t> filled_{0};
};

} // namespace weft::inline v0::detail
