// The costs of the real pool's operations on this machine, for the simulator.
#pragma once

#include "sim/scheduler.hpp"

#include <cstddef>

namespace weft::cli {

/// Measures the costs of running a task, stealing, a failed attempt and a plan in a pool of
/// `workers`; takes about a second. One worker steals from nobody: the costs of stealing then keep
/// their defaults, as the barrier, which no pool has, always does.
[[nodiscard]] sim::costs calibrate(std::size_t workers);

} // namespace weft::cli
