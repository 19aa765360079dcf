// Reading memory that may be gone.
#pragma once

#include <cstddef>

namespace weft::inline v0::sync {

/// Copies memory of this process as it is now, without any order; false if it is not there. May be called
/// in a signal handler. Neither a data race nor a use after free: the system does the reading.
[[nodiscard]] bool peek(const void* from, void* to, std::size_t size) noexcept;

} // namespace weft::inline v0::sync
