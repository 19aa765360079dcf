// Blocks of one size, kept by a worker for the next task.
#pragma once

#include <weft/detail/pool/block_depot.hpp>
#include <weft/detail/sync/memory.hpp>
#include <weft/detail/sync/model_constants.hpp>

#include <cstddef>
#include <utility>

namespace weft::inline v0::detail {

/// Every block is a piece of the global heap of its own, so any thread may free any block: into its
/// own cache if it is a worker, else to the heap. No block belongs to a cache.
///
/// A cache is the chain in use, and at most one spare chain, which is complete. Further chains go
/// to the depot, and missing ones come from there, a chain at a time: so workers that allocate what
/// others free synchronise once for many blocks. In the heap they would synchronise, and possibly
/// sleep, for each block.
template <class Depot>
class basic_block_cache {
public:
    static constexpr std::size_t block_size = Depot::block_size;
    static constexpr std::size_t block_alignment = Depot::block_alignment;

    explicit basic_block_cache(Depot& depot) noexcept : depot_{&depot} {}
    ~basic_block_cache() {
        Depot::heap_free_all(first_);
        Depot::heap_free_all(spare_);
    }
    basic_block_cache(const basic_block_cache&) = delete;
    basic_block_cache& operator=(const basic_block_cache&) = delete;

    void* allocate() {
        if (first_ == nullptr && !try_refill()) return heap_allocate();
        --count_;
        sync::unpoison(first_, block_size);
        void* taken = std::exchange(first_, first_->next.read());
        // It may have been freed on another CPU, and the allocation after the next needs the link
        // in it.
        if (first_ != nullptr) sync::prefetch(first_, block_size);
        return taken;
    }
    void free(void* memory) noexcept {
        if (count_ == Depot::chain_length && !try_make_room()) {
            heap_free(memory);
            return;
        }
        first_ = ::new (memory) free_block{first_};
        sync::poison(memory, block_size);
        ++count_;
    }

    static void* heap_allocate() { return Depot::heap_allocate(); }
    static void heap_free(void* memory) noexcept { Depot::heap_free(memory); }

private:
    bool try_refill() noexcept {
        first_ = spare_ != nullptr ? std::exchange(spare_, nullptr) : depot_->try_take();
        if (first_ == nullptr) return false;
        count_ = Depot::chain_length;
        return true;
    }
    bool try_make_room() noexcept {
        if (spare_ != nullptr && !depot_->try_give(*spare_)) return false;
        spare_ = std::exchange(first_, nullptr);
        count_ = 0;
        return true;
    }

    Depot* const depot_;
    free_block* first_ = nullptr;
    free_block* spare_ = nullptr;
    std::size_t count_ = 0; // from `first_` on
};

/// Aligned as the heap aligns. With more, glibc goes past its caches of free memory and cuts each
/// block out of a larger piece, of 320 bytes: a burst of tasks from outside took 1.2 to 1.8 times
/// as long (`bench outside`, 2 CPUs of an AMD EPYC, medians of 9 runs).
using task_block_depot =
    block_depot<192, alignof(std::max_align_t), constants::task_chain, constants::task_chains>;
using block_cache = basic_block_cache<task_block_depot>;
/// For tasks on up to four resources with a small body. Longer chains, since a task is run by the
/// worker that admits it, not by the one that submitted it. Aligned to cache lines, since several
/// threads use such a task: otherwise `bench transfers` takes 3 to 12 % longer.
using large_block_depot = block_depot<448, 64, constants::large_chain, constants::large_chains>;
using large_block_cache = basic_block_cache<large_block_depot>;

} // namespace weft::inline v0::detail
