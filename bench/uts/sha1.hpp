// SHA-1 of short messages of whole words, which is all that the trees need.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace bench::uts {

/// Words in the order of the standard: the first byte is the highest of the first word.
using digest = std::array<std::uint32_t, 5>;

/// FIPS 180-4, for a message of at most 13 words.
[[nodiscard]] digest sha1(std::span<const std::uint32_t> message);

} // namespace bench::uts
