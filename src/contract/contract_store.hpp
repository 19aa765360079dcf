// The memory of contracts: segments that never move, and the free entries in them.
#pragma once

#include <weft/contract.hpp>
#include <weft/detail/contract/contract_block.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/check.hpp>
#include <weft/detail/sync/memory.hpp>
#include <weft/detail/sync/model_constants.hpp>
#include <weft/error.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

namespace weft::inline v0::detail {

/// The rare parts of a contract.
struct contract_extras {
    release_callback on_release;
    std::function<void(std::exception_ptr)> on_error;
};

/// A contract's entry: its work, or the link to the next free entry.
struct alignas(64) contract_record {
    alignas(16) std::array<std::byte, 40> storage;
    void (*run)(void* storage, contract_token& token) = nullptr;
    void (*destroy)(void* storage) noexcept = nullptr;
    /// Of a contract: its extras, or null. Of a free entry: the index of the next.
    sync::atomic<std::uintptr_t> link{0};

    [[nodiscard]] contract_extras* extras() const noexcept {
        return reinterpret_cast<contract_extras*>(link.load(sync::relaxed));
    }
    void set_extras(contract_extras* extras) noexcept {
        link.store(reinterpret_cast<std::uintptr_t>(extras), sync::relaxed);
    }
};

/// Blocks of contracts with their records, in segments like those of the signal tree. A contract
/// has an index; index / width is its block.
///
/// | operation        | caller                            | progress             |
/// |------------------|-----------------------------------|----------------------|
/// | take             | any thread                        | lock-free, allocates |
/// | give_back        | the thread that has freed the entry | lock-free          |
/// | reserve          | any thread                        | lock-free, allocates |
/// | used, blocks, memory | any thread                    | wait-free            |
/// | block, entries   | any thread, for a block in use    | wait-free            |
///
/// Invariants
///  R1  Free entries are a stack. Its head has a number that changes with every update, so that an
///      entry that was taken and given back in the meantime is noticed (no ABA).
///  R2  A segment is published before an index of it is, and is never moved.
class contract_store {
public:
    static constexpr std::uint32_t width = constants::block_width;

    contract_store() = default;
    ~contract_store() {
        for (auto& each : segments_) sync::destroy(each.load(sync::relaxed));
    }
    contract_store(const contract_store&) = delete;
    contract_store& operator=(const contract_store&) = delete;

    /// The index of a free entry, below `limit`; throws std::bad_alloc, or `errc::full`.
    [[nodiscard]] std::uint32_t take(std::size_t limit) {
        // acquire, pairs with give_back() [STORE-1]
        std::uint64_t head = free_.load(sync::acquire);
        while (index_in(head) != no_index) {
            const std::uint64_t next = numbered(head, next_of(index_in(head)));
            // relaxed, since a head is read before it is replaced; acquire, as above [STORE-2]
            if (free_.compare_exchange_weak(head, next, sync::relaxed, sync::acquire)) {
                return index_in(head);
            }
        }
        std::uint32_t fresh = used_.load(sync::relaxed);
        for (;;) {
            if (fresh >= limit || fresh == no_index) {
                throw error{errc::full, "weft::contract_group::create"};
            }
            reserve(std::size_t{fresh} + 1);
            // release: the segment, for threads that see the index, pairs with used() [STORE-3]
            if (used_.compare_exchange_weak(fresh, fresh + 1, sync::release, sync::relaxed)) {
                return fresh;
            }
        }
    }

    void give_back(std::uint32_t index) noexcept {
        std::uint64_t head = free_.load(sync::relaxed);
        do {
            set_next_of(index, index_in(head));
            // release, pairs with take() [STORE-4]
        } while (!free_.compare_exchange_weak(head, numbered(head, index), sync::release,
                                              sync::relaxed));
    }

    /// Makes room; throws std::bad_alloc.
    void reserve(std::size_t contracts) {
        for (std::size_t number = 0; first_of(number) < contracts; ++number) {
            if (segments_[number].load(sync::relaxed) != nullptr) continue;
            auto* made = sync::make<segment>(blocks_in(number));
            segment* expected = nullptr;
            // release, pairs with entries() [STORE-5]
            if (!segments_[number].compare_exchange_strong(expected, made, sync::release,
                                                           sync::relaxed)) {
                sync::destroy(made);
            }
        }
    }

    /// Entries that have ever been taken.
    [[nodiscard]] std::uint32_t used() const noexcept {
        return used_.load(sync::acquire); // pairs with take() [STORE-6]
    }
    /// Blocks that have ever had a contract.
    [[nodiscard]] std::size_t blocks() const noexcept {
        return (std::size_t{used()} + width - 1) / width;
    }

    /// A block and its records.
    struct block_entries {
        contract_block* block;
        contract_record* records;
    };
    [[nodiscard]] block_entries entries(std::size_t block_index) const noexcept {
        const auto number = static_cast<std::size_t>(std::bit_width(block_index / first_blocks));
        // acquire, pairs with reserve() [STORE-7]
        const segment* owner = segments_[number].load(sync::acquire);
        WEFT_CHECK(owner != nullptr, "a contract's segment has been made");
        const std::size_t offset = block_index - first_of(number) / width;
        return {owner->blocks + offset, owner->records + offset * width};
    }
    [[nodiscard]] contract_block& block(std::size_t block_index) const noexcept {
        return *entries(block_index).block;
    }

    [[nodiscard]] std::size_t memory() const noexcept {
        std::size_t sum = 0;
        for (std::size_t number = 0; number < most_segments; ++number) {
            if (segments_[number].load(sync::relaxed) != nullptr) {
                sum +=
                    blocks_in(number) * (sizeof(contract_block) + width * sizeof(contract_record));
            }
        }
        return sum;
    }

private:
    static constexpr std::size_t first_blocks = constants::first_contract_blocks;
    static constexpr std::size_t most_segments = 27;
    static constexpr std::uint32_t no_index = std::numeric_limits<std::uint32_t>::max();

    struct segment {
        explicit segment(std::size_t block_count)
            : count{block_count}, blocks{static_cast<contract_block*>(sync::allocate(
                                      count * sizeof(contract_block), alignof(contract_block)))} {
            try {
                records = static_cast<contract_record*>(sync::allocate(
                    count * width * sizeof(contract_record), alignof(contract_record)));
            } catch (...) {
                sync::deallocate(blocks, alignof(contract_block));
                throw;
            }
            std::uninitialized_default_construct_n(blocks, count);
            std::uninitialized_default_construct_n(records, count * width);
        }
        ~segment() {
            std::destroy_n(records, count * width);
            std::destroy_n(blocks, count);
            sync::deallocate(records, alignof(contract_record));
            sync::deallocate(blocks, alignof(contract_block));
        }
        segment(const segment&) = delete;
        segment& operator=(const segment&) = delete;
        std::size_t count;
        contract_block* blocks;
        contract_record* records = nullptr;
    };

    static std::size_t first_of(std::size_t number) noexcept {
        return number == 0 ? 0 : (first_blocks << (number - 1)) * width;
    }
    static std::size_t blocks_in(std::size_t number) noexcept {
        return number == 0 ? first_blocks : first_blocks << (number - 1);
    }
    static std::uint32_t index_in(std::uint64_t head) noexcept {
        return static_cast<std::uint32_t>(head);
    }
    static std::uint64_t numbered(std::uint64_t before, std::uint32_t index) noexcept {
        return ((before >> 32) + 1) << 32 | index;
    }
    /// Another thread may take the entry and write there meanwhile: the head has another number
    /// then.
    [[nodiscard]] std::uint32_t next_of(std::uint32_t index) const noexcept {
        return static_cast<std::uint32_t>(
            entries(index / width).records[index % width].link.load(sync::relaxed));
    }
    void set_next_of(std::uint32_t index, std::uint32_t next) const noexcept {
        entries(index / width).records[index % width].link.store(next, sync::relaxed);
    }

    std::array<sync::atomic<segment*>, most_segments> segments_{};
    alignas(64) sync::atomic<std::uint64_t> free_{no_index};
    sync::atomic<std::uint32_t> used_{0};
};

} // namespace weft::inline v0::detail
