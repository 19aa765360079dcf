// Well-known nets with known state spaces, as benchmarks of the engine.
#pragma once

#include <weft/lab/net.hpp>

#include <cstdint>

namespace weft::models {

/// Dining philosophers who take their two forks in either order. With 5: 243 markings, 945 arcs, 2
/// dead markings.
[[nodiscard]] petri::net philosophers(std::uint32_t count);

/// Dijkstra's self-stabilising ring: `largest` + 1 machines with as many states. Each machine
/// starts in the state of its own number. With 5: 166 markings, 365 arcs.
[[nodiscard]] petri::net token_ring(std::uint32_t largest);

/// Peterson's mutual exclusion of `largest` + 1 processes. With 2: 20,754 markings, 62,262 arcs.
[[nodiscard]] petri::net peterson(std::uint32_t largest);

/// Four cells of a factory with `cards` cards each; the second and the third work in parallel. With
/// 5: 2,546,432 markings, 24,460,016 arcs.
[[nodiscard]] petri::net kanban(std::uint32_t cards);

} // namespace weft::models
