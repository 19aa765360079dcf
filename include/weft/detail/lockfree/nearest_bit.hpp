// The bit of a word that a path through a binary tree leads to.
#pragma once

#include <bit>
#include <concepts>
#include <limits>

namespace weft::inline v0::detail {

/// The position of the set bit whose difference, as `xor`, from `target` is the least: where a
/// thread comes that goes down a binary tree with these leaves, at each node to the half that the
/// bit of `target` says, or to the other if no bit is set there. `word` is not 0.
template <std::unsigned_integral Word>
[[nodiscard]] constexpr unsigned nearest_bit(Word word, unsigned target) noexcept {
    // Moves each bit to its difference from the target, then takes the lowest: each step exchanges
    // neighbouring groups of `size` bits.
    constexpr unsigned bits = std::numeric_limits<Word>::digits;
    constexpr Word all = std::numeric_limits<Word>::max();
    for (unsigned size = bits / 2; size != 0; size /= 2) {
        if ((target & size) == 0) continue;
        const auto low = static_cast<Word>(all / ((Word{1} << size) + 1)); // every second group
        word = static_cast<Word>(((word & low) << size) | ((word >> size) & low));
    }
    return static_cast<unsigned>(std::countr_zero(word)) ^ (target % bits);
}

} // namespace weft::inline v0::detail
