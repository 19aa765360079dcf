// Memory that the explored program obtains and frees.
#pragma once

#include <weft/explorer/detail/machine.hpp>

#include <cstddef>
#include <new>
#include <vector>

namespace weft::inline v0::explorer::detail {

/// Blocks of one execution. A freed block is kept until the execution ends: its addresses are not
/// reused, and reading them is not a fault.
class heap {
public:
    struct block {
        void* memory;
        std::size_t size;
        std::size_t alignment;
        site allocated_at;
        block_lifetime lifetime;
        bool freed = false;
    };

    heap() = default;
    ~heap() { reclaim(); }
    heap(const heap&) = delete;
    heap& operator=(const heap&) = delete;

    void* allocate(std::size_t size, std::size_t alignment, block_lifetime lifetime,
                   const site& place) {
        blocks_.reserve(blocks_.size() + 1);
        void* memory = ::operator new(size, std::align_val_t{alignment});
        blocks_.push_back({memory, size, alignment, place, lifetime});
        return memory;
    }

    /// The block that begins here, or null. The youngest is looked at first.
    block* find(const void* memory) noexcept {
        for (std::size_t i = blocks_.size(); i-- > 0;) {
            if (blocks_[i].memory == memory) return &blocks_[i];
        }
        return nullptr;
    }

    /// A block that should have been freed and was not, or null.
    [[nodiscard]] const block* leaked() const noexcept {
        for (const block& each : blocks_) {
            if (!each.freed && each.lifetime == block_lifetime::until_freed) return &each;
        }
        return nullptr;
    }

    /// Gives everything back, freed or not.
    void reclaim() noexcept {
        for (const block& each : blocks_) {
            ::operator delete(each.memory, std::align_val_t{each.alignment});
        }
        blocks_.clear();
    }

private:
    std::vector<block> blocks_;
};

} // namespace weft::inline v0::explorer::detail
