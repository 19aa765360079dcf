// The runtime's own protocols as small nets. Each has a wrong variant, to show that its property is not empty.
#pragma once

#include "petri/net.hpp"

#include <cstdint>
#include <vector>

namespace weft::models {

/// How a task enters the queues of its resources.
enum class entering : std::uint8_t {
    together,   // all in one step: the order of two tasks is the same in every queue
    one_by_one, // each for itself: two tasks may be in different orders, and wait for each other
};

/// Tasks over resources: each waits in a queue of every resource it needs, runs when it is the first in all of them, and
/// leaves them when it ends. `needs` has a set of resources, as bits, for each task. Every dead marking must have
/// all tasks in "done".
[[nodiscard]] petri::net sequence(const std::vector<std::uint32_t>& needs, std::uint32_t resources,
                                  entering mode = entering::together);

/// Three tasks, each over two of three resources.
[[nodiscard]] petri::net sequence_example();

/// Workers that search, announce their sleep, look once more, and park; and one that brings work, which wakes a worker if
/// none searches. Every dead marking must have no "work". Without the second look a wake-up is lost.
[[nodiscard]] petri::net sleep_protocol(std::uint32_t workers, std::uint32_t tasks,
                                        bool second_look = true);
[[nodiscard]] petri::net sleep_and_wake();

/// A contract: signals make it pending, a claim takes that away and makes it run, never beside itself; a release comes
/// at any time, and its callback once. Every dead marking must have nothing "unseen", and one "released" callback.
/// If the end of a run takes the pending mark away, not its beginning, a signal is lost.
[[nodiscard]] petri::net contract(std::uint32_t signals, bool cleared_at_claim = true);
[[nodiscard]] petri::net contract_states();

} // namespace weft::models
