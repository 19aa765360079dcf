// Nets that are known everywhere, with known counts: what the engine is measured by.
#pragma once

#include "petri/net.hpp"

#include <cstdint>

namespace weft::models {

/// Each may take its two forks in either order. With 5: 243 markings, 945 arcs, 2 of them dead.
[[nodiscard]] petri::net philosophers(std::uint32_t count);

/// Dijkstra's ring that stabilises itself: `largest` + 1 machines with as many states, each at first in the state of
/// its own number. With 5: 166 markings, 365 arcs.
[[nodiscard]] petri::net token_ring(std::uint32_t largest);

/// Peterson's mutual exclusion of `largest` + 1 processes. With 2: 20,754 markings, 62,262 arcs.
[[nodiscard]] petri::net peterson(std::uint32_t largest);

/// Four cells of a factory, with so many cards each; the second and third work side by side. With 5: 2,546,432
/// markings, 24,460,016 arcs.
[[nodiscard]] petri::net kanban(std::uint32_t cards);

} // namespace weft::models
