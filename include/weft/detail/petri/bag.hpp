// The content of a place: a multiset of colours, as one number.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/petri/domain.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace weft::inline v0::petri {

/// The content of one place. For plain tokens it is their count; otherwise it is empty, a single
/// token, or the index of a multiset in the net's `bag_table`. Equal contents are equal numbers.
using content = std::uint32_t;

struct counted {
    colour_id colour;
    std::uint32_t count;

    friend auto operator<=>(const counted&, const counted&) = default;
};

/// The multisets of one net that are neither empty nor a single token.
class WEFT_API bag_table {
public:
    static constexpr content empty = 0;

    static content single(colour_id colour) { return (colour << 1U) | 1U; }
    static bool is_single(content bag) { return (bag & 1U) != 0; }
    static colour_id single_colour(content bag) { return bag >> 1U; }

    /// The distinct colours in ascending order with their counts. `room` is storage for a single
    /// token.
    [[nodiscard]] std::span<const counted> elements(content bag, counted& room) const;
    [[nodiscard]] std::uint64_t size(content bag) const;
    [[nodiscard]] std::uint32_t count(content bag, colour_id colour) const;
    /// Whether all of `part` is in `whole`.
    [[nodiscard]] bool includes(content whole, content part) const;

    content add(content bag, colour_id colour, std::uint32_t count = 1);
    /// The bag must contain `count` tokens of the colour.
    content remove(content bag, colour_id colour, std::uint32_t count = 1);

    [[nodiscard]] std::size_t bytes() const { return bytes_; }

private:
    content number_of(std::vector<counted> counts);

    std::vector<const std::vector<counted>*> bags_;
    std::map<std::vector<counted>, content> numbers_;
    std::size_t bytes_ = 0;
};

} // namespace weft::inline v0::petri
