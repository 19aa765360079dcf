// What things cost in the real pool on this machine, for the simulator.
#pragma once

#include "sim/scheduler.hpp"

#include <cstddef>

namespace weft::cli {

/// Measures, in a pool of so many workers, what a task costs its worker, a steal, a try that fails, and a plan; takes about a
/// second. With one worker nobody steals, and what that costs stays as assumed, as does the barrier, which no pool has.
[[nodiscard]] sim::costs calibrate(std::size_t workers);

} // namespace weft::cli
