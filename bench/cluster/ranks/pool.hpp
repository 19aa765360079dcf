// The same trees in one process, by fork_join, for comparison.
#pragma once

#include "uts/tree.hpp"

#include <cstddef>
#include <cstdint>

namespace bench::ranks {

/// The number of nodes.
[[nodiscard]] std::int64_t count_on_pool(const uts::tree& whole, std::size_t workers);

} // namespace bench::ranks
