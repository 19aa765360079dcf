// Plans for balancing queues: pure functions of the number of tasks in each queue.
//
// The pool, the scheduler simulator and the nets of the lab plan with the same functions. Nothing
// here moves a task: a plan gives the size that each queue should have, and the moves that lead
// there. Nothing allocates, except for the list of moves when its capacity is too small. What is
// marked WEFT_API is used by the cluster, a library of its own.
#pragma once

#include <weft/api.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace weft::inline v0::balance {

/// Whether the Multi Stealing Scheduler acts: some queue is empty, and some queue has more than one
/// task.
[[nodiscard]] WEFT_API bool needs_balance(std::span<const std::size_t> sizes);

/// Every queue gets `base` tasks, and the first `extra` queues get one more.
struct quota {
    std::size_t base;
    std::size_t extra;
};

/// With fewer tasks than queues the base is 1 and there are no extra tasks: "total modulo queues"
/// would then take tasks away and give them back forever.
[[nodiscard]] quota quota_of(std::size_t total, std::size_t queues);

/// Exact multi-stealing: everything above the base is collected, queues below it are filled in
/// their order, and the first queues get one more.
void multi_steal(std::span<std::size_t> sizes);

/// As even as multi-stealing with the fewest tasks moved: the larger quotas go to the queues with
/// the most tasks.
WEFT_API void balance_least(std::span<std::size_t> sizes);

/// A block of tasks that changes its queue.
struct move {
    std::size_t source;
    std::size_t destination;
    std::size_t count;

    friend bool operator==(const move&, const move&) = default;
};

/// Appends the moves that turn `before` into `after`, which have the same sum. There are fewer
/// moves than queues that change.
WEFT_API void moves_between(std::span<const std::size_t> before, std::span<const std::size_t> after,
                            std::vector<move>& moves);

/// The number of tasks that a thief takes when it steals half. Without the cap, a long queue is
/// copied from thief to thief.
[[nodiscard]] std::size_t half_of(std::size_t size, std::size_t cap = 256);

/// A quarter of the workers. A plan reads the size of every queue, which pays only if it serves
/// many.
[[nodiscard]] constexpr bool many_are_idle(std::size_t idle, std::size_t workers) {
    return idle >= workers / 4;
}

/// When a pool that steals one task at a time should plan for all workers at once: many are idle,
/// and there are more tasks than idle workers.
[[nodiscard]] bool worth_a_plan(std::size_t idle, std::size_t workers, std::size_t queued);

} // namespace weft::inline v0::balance
