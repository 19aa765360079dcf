// How urgent work is.
#pragma once

#include <cstdint>

namespace weft::inline v0 {

/// Says which of what could run now is taken first: of contracts (<weft/contract.hpp>), and of tasks on
/// resources (<weft/resource.hpp>). None starves behind the others.
enum class priority : std::uint8_t {
    high,   ///< before the others
    normal, ///< what nothing else is said of
    low,    ///< when there is nothing else, and now and then
};

} // namespace weft::inline v0
