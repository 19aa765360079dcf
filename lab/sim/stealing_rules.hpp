// Rules for balancing queues that the pool does not use: pure functions of the queue sizes, like
// those of src/balance.
#pragma once

#include <cstddef>
#include <span>

namespace weft::sim {

/// The rule that the paper on multi-stealing rejects: the tasks are spread evenly from the first
/// queue on, wherever they were. With few tasks it takes them from queues that have some, and
/// leaves these idle.
void spread_evenly(std::span<std::size_t> sizes);

/// Multi-stealing among the queues that have no task or more than one; a single task stays where it
/// is.
void partial_multi_steal(std::span<std::size_t> sizes);

/// Each empty queue gets one task from the first queue that has more than one.
void single_steal(std::span<std::size_t> sizes);

/// The number of tasks that change their queue.
[[nodiscard]] std::size_t moved_between(std::span<const std::size_t> before,
                                        std::span<const std::size_t> after);

/// The queue with the most tasks, the first of them from `start` on; `sizes.size()` if all are
/// empty.
[[nodiscard]] std::size_t richest_queue(std::span<const std::size_t> sizes, std::size_t start = 0);

} // namespace weft::sim
