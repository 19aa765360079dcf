// Priorities of contracts and resource tasks.
#pragma once

#include <cstdint>

namespace weft::inline v0 {

/// Which contracts that are due (<weft/contract.hpp>), or resource tasks that are ready
/// (<weft/resource.hpp>), run first. None starves behind the others.
enum class priority : std::uint8_t {
    high,   ///< before the others
    normal, ///< the default
    low,    ///< when there is nothing else, and from time to time
};

} // namespace weft::inline v0
