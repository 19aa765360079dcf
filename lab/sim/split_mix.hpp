// SplitMix64, which gives the same random numbers on every machine.
#pragma once

#include <cstdint>

namespace weft::sim {

inline constexpr std::uint64_t split_mix_step = 0x9E37'79B9'7F4A'7C15U;

/// The random number that follows the state `value`; the next state is `value + split_mix_step`.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t value) {
    value += split_mix_step;
    value = (value ^ (value >> 30U)) * 0xBF58'476D'1CE4'E5B9U;
    value = (value ^ (value >> 27U)) * 0x94D0'49BB'1331'11EBU;
    return value ^ (value >> 31U);
}

} // namespace weft::sim
