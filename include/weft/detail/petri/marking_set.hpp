// A compact set of markings, numbered in the order of insertion.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/petri/structure.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace weft::inline v0::petri {

/// Each place has a field of 1, 2 or 4 bytes, at first 1. When a number does not fit, its field is
/// widened in all markings, which happens at most twice for a place.
///
/// The index uses open addressing with 8-byte slots: 32 bits of the hash, and the number of the
/// marking. It grows without reading the markings, and a lookup reads a marking only if these bits
/// are equal.
class WEFT_API marking_set {
public:
    explicit marking_set(std::size_t places);

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t bytes() const {
        return chunks_.size() * chunk_markings * stride_ + slots_.size() * sizeof(std::uint64_t);
    }
    /// The number of additional bytes that the next insertion may need for the index.
    [[nodiscard]] std::size_t growth() const {
        return is_full() ? slots_.size() * 2 * sizeof(std::uint64_t) : 0;
    }
    /// Bytes of a packed marking, a multiple of 8.
    [[nodiscard]] std::size_t stride() const { return stride_; }

    [[nodiscard]] const std::byte* packed(std::size_t number) const {
        return chunks_[number / chunk_markings].get() + number % chunk_markings * stride_;
    }
    void unpack(std::size_t number, marking& unpacked) const;

    /// False if the number does not fit the place's field, which must then be widened.
    [[nodiscard]] bool set_field(std::byte* packed, place_index place, content value) const {
        const field layout = fields_[place];
        if (layout.width == 1) {
            if (value > 0xFFU) return false;
            packed[layout.offset] = static_cast<std::byte>(value);
        } else if (layout.width == 2) {
            if (value > 0xFFFFU) return false;
            const auto narrow = static_cast<std::uint16_t>(value);
            std::memcpy(packed + layout.offset, &narrow, sizeof narrow);
        } else {
            std::memcpy(packed + layout.offset, &value, sizeof value);
        }
        return true;
    }
    /// The first place whose number does not fit, if any.
    [[nodiscard]] std::optional<place_index> pack(const marking& unpacked, std::byte* packed) const;
    /// Invalidates all packed markings.
    void widen(place_index place);

    [[nodiscard]] std::uint32_t hash(const std::byte* packed) const {
        std::uint64_t sum = stride_;
        for (std::size_t offset = 0; offset != stride_; offset += sizeof(std::uint64_t)) {
            std::uint64_t word = 0;
            std::memcpy(&word, packed + offset, sizeof word);
            sum = (sum ^ word) * 0x9E37'79B9'7F4A'7C15U;
            sum ^= sum >> 32U;
        }
        return static_cast<std::uint32_t>((sum * 0xD6E8'FEB8'6659'FD93U) >> 32U);
    }
    /// Prefetches the memory that `insert` reads first, and the memory that it reads next.
    void prefetch_slot(std::uint32_t hash) const { __builtin_prefetch(&slots_[hash & mask_]); }
    void prefetch_marking(std::uint32_t hash) const {
        const std::uint64_t slot = slots_[hash & mask_];
        if (slot != 0 && static_cast<std::uint32_t>(slot >> 32U) == hash) {
            __builtin_prefetch(packed(number_in(slot)));
        }
    }
    /// The number of the marking, and whether it is new.
    std::pair<std::uint32_t, bool> insert(const std::byte* packed, std::uint32_t hash);

private:
    static constexpr std::size_t chunk_markings = 1U << 14U;

    struct field {
        std::uint16_t width;
        std::uint32_t offset;
    };

    static std::uint32_t number_in(std::uint64_t slot) {
        return static_cast<std::uint32_t>(slot) - 1;
    }
    [[nodiscard]] bool is_full() const { return (size_ + 1) * 5 > slots_.size() * 3; }
    [[nodiscard]] bool equal(const std::byte* left_packed, const std::byte* right_packed) const {
        for (std::size_t offset = 0; offset != stride_; offset += sizeof(std::uint64_t)) {
            std::uint64_t left = 0;
            std::uint64_t right = 0;
            std::memcpy(&left, left_packed + offset, sizeof left);
            std::memcpy(&right, right_packed + offset, sizeof right);
            if (left != right) return false;
        }
        return true;
    }
    void lay_out();
    void append(const std::byte* packed);
    void put_in_index(std::uint32_t hash, std::size_t number);
    void grow_index();

    std::vector<field> fields_;
    std::size_t stride_ = 0;
    std::size_t size_ = 0;
    std::vector<std::unique_ptr<std::byte[]>> chunks_;
    std::vector<std::uint64_t> slots_;
    std::size_t mask_ = 0;
};

inline std::pair<std::uint32_t, bool> marking_set::insert(const std::byte* packed,
                                                          std::uint32_t hash) {
    std::size_t index = hash & mask_;
    for (std::uint64_t slot = slots_[index]; slot != 0;
         slot = slots_[index = (index + 1) & mask_]) {
        if (static_cast<std::uint32_t>(slot >> 32U) != hash) continue;
        const std::uint32_t number = number_in(slot);
        if (equal(packed, this->packed(number))) return {number, false};
    }
    const auto number = static_cast<std::uint32_t>(size_);
    append(packed);
    if (is_full()) grow_index();
    put_in_index(hash, number);
    return {number, true};
}

} // namespace weft::inline v0::petri
