#include <weft/detail/petri/marking_set.hpp>

#include <algorithm>

namespace weft::inline v0::petri {

namespace {

constexpr std::size_t first_slots = 1U << 12U;

} // namespace

marking_set::marking_set(std::size_t places)
    : fields_(places, field{1, 0}), slots_(first_slots, 0), mask_{first_slots - 1} {
    lay_out();
}

void marking_set::lay_out() {
    std::uint32_t offset = 0;
    for (field& each : fields_) {
        each.offset = offset;
        offset += each.width;
    }
    constexpr std::size_t word = sizeof(std::uint64_t);
    stride_ = std::max<std::size_t>((offset + word - 1) / word, 1) * word;
}

void marking_set::unpack(std::size_t number, marking& unpacked) const {
    const std::byte* packed_bytes = packed(number);
    unpacked.resize(fields_.size());
    for (std::size_t each = 0; each != fields_.size(); ++each) {
        const field layout = fields_[each];
        if (layout.width == 1) {
            unpacked[each] = static_cast<content>(packed_bytes[layout.offset]);
        } else if (layout.width == 2) {
            std::uint16_t narrow = 0;
            std::memcpy(&narrow, packed_bytes + layout.offset, sizeof narrow);
            unpacked[each] = narrow;
        } else {
            std::memcpy(&unpacked[each], packed_bytes + layout.offset, sizeof(content));
        }
    }
}

std::optional<place_index> marking_set::pack(const marking& unpacked, std::byte* packed) const {
    std::fill_n(packed, stride_, std::byte{0});
    for (place_index each = 0; each != fields_.size(); ++each) {
        if (!set_field(packed, each, unpacked[each])) return each;
    }
    return {};
}

void marking_set::widen(place_index place) {
    const marking_set narrow = std::move(*this);
    fields_ = narrow.fields_;
    fields_[place].width = static_cast<std::uint16_t>(fields_[place].width * 2);
    lay_out();
    size_ = 0;
    chunks_.clear();
    slots_.assign(narrow.slots_.size(), 0);
    mask_ = narrow.mask_;

    marking each;
    std::vector<std::byte> packed(stride_);
    for (std::size_t number = 0; number != narrow.size_; ++number) {
        narrow.unpack(number, each);
        static_cast<void>(pack(each, packed.data()));
        append(packed.data());
        put_in_index(hash(packed.data()), number);
    }
}

void marking_set::append(const std::byte* packed) {
    if (size_ % chunk_markings == 0) {
        chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(chunk_markings * stride_));
    }
    std::memcpy(chunks_.back().get() + size_ % chunk_markings * stride_, packed, stride_);
    ++size_;
}

void marking_set::put_in_index(std::uint32_t hash, std::size_t number) {
    std::size_t index = hash & mask_;
    while (slots_[index] != 0) index = (index + 1) & mask_;
    slots_[index] = (std::uint64_t{hash} << 32U) | (number + 1);
}

void marking_set::grow_index() {
    std::vector<std::uint64_t> old(slots_.size() * 2, 0);
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    for (const std::uint64_t slot : old) {
        if (slot != 0) put_in_index(static_cast<std::uint32_t>(slot >> 32U), number_in(slot));
    }
}

} // namespace weft::inline v0::petri
