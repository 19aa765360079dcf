// The runtime's protocols as small nets. Each has a wrong variant, which shows that the property
// can fail.
#pragma once

#include <weft/lab/net.hpp>

#include <cstdint>
#include <vector>

namespace weft::models {

/// How a task enters the queues of its resources.
enum class entering : std::uint8_t {
    together,   // all in one step: two tasks are in the same order in every queue
    one_by_one, // in separate steps: two tasks may be in different orders and wait for each other
};

/// Resource tasks: each waits in the queues of all resources that it needs, runs when it is first
/// in all of them, and leaves them when it ends. `needs` has a bit set of resources for each task.
/// In every dead marking all tasks must be "done".
[[nodiscard]] petri::net resource_queues(const std::vector<std::uint32_t>& needs,
                                         std::uint32_t resources,
                                         entering mode = entering::together);

/// Three tasks that each need two of three resources.
[[nodiscard]] petri::net resource_example();

/// Workers search, announce that they will sleep, check again, and park; a thread submits work and
/// wakes a worker if none is searching. No dead marking may have "work". Without the second check a
/// wake-up is lost.
[[nodiscard]] petri::net sleep_protocol(std::uint32_t workers, std::uint32_t tasks,
                                        bool second_look = true);
[[nodiscard]] petri::net sleep_and_wake();

/// A contract: signals make it pending; a claim clears the mark and runs it, never concurrently
/// with itself; it may be released at any time, and its callback runs once. In every dead marking
/// nothing may be "unseen", and one callback must be "released". If the mark is cleared at the end
/// of a run instead of its beginning, a signal is lost.
[[nodiscard]] petri::net contract(std::uint32_t signals, bool cleared_at_claim = true);
[[nodiscard]] petri::net contract_states();

/// How the ranks of a cluster detect that nothing is left: in a round each rank has a cut, when it
/// is passive; what was received before the cuts of a first round is compared with what was sent
/// before the cuts of a second one. In every marking that is "finished", no message may be
/// "underway" and no rank "busy". If sent and received messages are counted in one round, a message
/// that goes from behind a cut to before another is missed.
[[nodiscard]] petri::net termination(std::uint32_t ranks, std::uint32_t messages,
                                     bool two_rounds = true);
[[nodiscard]] petri::net termination_of_ranks();

} // namespace weft::models
