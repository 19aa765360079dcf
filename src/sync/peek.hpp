// Reading memory that may have been freed.
#pragma once

#include <cstddef>

namespace weft::inline v0::sync {

/// Copies memory of this process as it is now, without any order; false if it is not mapped. May be
/// called in a signal handler. Neither a data race nor a use after free: the system does the
/// reading.
[[nodiscard]] bool peek(const void* source, void* target, std::size_t size) noexcept;

} // namespace weft::inline v0::sync
