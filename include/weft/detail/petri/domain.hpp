// The values of one colour that occur in a net, numbered in the order of their first occurrence.
#pragma once

#include <weft/api.hpp>
#include <weft/lab/colour.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace weft::inline v0::petri {

using colour_id = std::uint32_t;

class WEFT_API any_domain {
public:
    any_domain() = default;
    any_domain(const any_domain&) = delete;
    any_domain& operator=(const any_domain&) = delete;
    virtual ~any_domain() = default;

    [[nodiscard]] virtual std::string text(colour_id id) const = 0;
    [[nodiscard]] virtual std::size_t size() const = 0;
    /// The approximate memory of the values.
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

protected:
    std::size_t bytes_ = 0;
};

/// A value is stored once and represented by its number everywhere else, so equal values are equal
/// numbers. Values never move, so references to them stay valid.
template <colour T>
class domain final : public any_domain {
public:
    domain() : slots_(16, 0) {}

    [[nodiscard]] const T& value(colour_id id) const { return values_[id]; }

    colour_id id_of(T value) {
        const std::uint64_t hash = spread(hash_of(value));
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = hash & mask;
        while (slots_[slot] != 0) {
            const auto id = static_cast<colour_id>(slots_[slot] - 1);
            if (hashes_[id] == static_cast<std::uint32_t>(hash) && values_[id] == value) return id;
            slot = (slot + 1) & mask;
        }
        const auto id = static_cast<colour_id>(values_.size());
        bytes_ += sizeof(T) + heap_bytes(value) + 16;
        values_.push_back(std::move(value));
        hashes_.push_back(static_cast<std::uint32_t>(hash));
        slots_[slot] = id + 1;
        if (values_.size() * 2 > slots_.size()) grow();
        return id;
    }

    [[nodiscard]] std::string text(colour_id id) const override { return text_of(value(id)); }
    [[nodiscard]] std::size_t size() const override { return values_.size(); }

private:
    /// 32 well-mixed bits, for the position in the table and for a comparison before the values are
    ///    compared.
    static std::uint64_t spread(std::uint64_t hash) {
        return (hash * 0xD6E8'FEB8'6659'FD93U) >> 32U;
    }

    void grow() {
        slots_.assign(slots_.size() * 2, 0);
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t id = 0; id != hashes_.size(); ++id) {
            std::size_t slot = hashes_[id] & mask;
            while (slots_[slot] != 0) slot = (slot + 1) & mask;
            slots_[slot] = static_cast<std::uint32_t>(id + 1);
        }
    }

    std::deque<T> values_;
    std::vector<std::uint32_t> hashes_;
    std::vector<std::uint32_t> slots_; // number + 1, or 0
};

} // namespace weft::inline v0::petri
