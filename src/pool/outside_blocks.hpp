// Blocks of task memory for threads that are not workers.
#pragma once

#include <weft/detail/pool/block_depot.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/memory.hpp>

#include <array>
#include <cstddef>

namespace weft::inline v0::detail {

/// Gives the blocks that workers have freed to threads outside the pool, which have no cache of
/// their own: such a cache could outlive the pool, and would need one for each pool.
///
/// | operation | caller | progress                             |
/// |-----------|--------|--------------------------------------|
/// | allocate  | any    | wait-free, but for the heap          |
///
/// A thread takes the chain out of a cell, or one out of the depot, keeps the first block and puts
/// the rest back. Threads begin at different cells, most of the time.
///
/// Invariants
///  OB1  A cell is empty or has a chain. The thread that empties it owns the chain, until it puts
///       the rest of it into an empty cell.
///  OB2  Blocks that find no empty cell go to the heap: so the cells have a chain each at the most.
template <class Depot, std::size_t Cells>
class outside_blocks {
public:
    explicit outside_blocks(Depot& depot) noexcept : depot_{&depot} {}
    ~outside_blocks() {
        for (const cell& each : cells_) Depot::heap_free_all(each.chain.load(sync::relaxed));
    }
    outside_blocks(const outside_blocks&) = delete;
    outside_blocks& operator=(const outside_blocks&) = delete;

    /// `thread` is the same number for calls of one thread, and most likely another for others.
    [[nodiscard]] void* allocate(std::size_t thread) {
        // OB1: acquire, pairs with put_back(): the links of the blocks [OUTSIDE-1]
        free_block* taken = cells_[thread % Cells].chain.exchange(nullptr, sync::acquire);
        if (taken == nullptr) taken = depot_->try_take();
        if (taken == nullptr) return Depot::heap_allocate();
        sync::unpoison(taken, Depot::block_size);
        if (free_block* rest = taken->next.read()) {
            sync::prefetch(rest, Depot::block_size);
            put_back(*rest, thread);
        }
        return taken;
    }

private:
    struct alignas(64) cell {
        sync::atomic<free_block*> chain{nullptr};
    };

    void put_back(free_block& rest, std::size_t thread) noexcept {
        for (std::size_t each = 0; each != Cells; ++each) {
            free_block* none = nullptr;
            // OB1: release, pairs with allocate() [OUTSIDE-2]
            if (cells_[(thread + each) % Cells].chain.compare_exchange_strong(
                    none, &rest, sync::release, sync::relaxed)) {
                return;
            }
        }
        Depot::heap_free_all(&rest); // OB2
    }

    Depot* const depot_;
    std::array<cell, Cells> cells_{};
};

} // namespace weft::inline v0::detail
