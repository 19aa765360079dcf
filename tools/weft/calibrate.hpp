// What forks and steals cost in the real pool on this machine, for the simulator.
#pragma once

#include "sim/scheduler.hpp"

namespace weft::cli {

/// Measures pop, push and steal; takes about a second. The other costs stay as assumed, in proportion to a steal where
/// they are of its kind.
[[nodiscard]] sim::costs calibrate();

} // namespace weft::cli
