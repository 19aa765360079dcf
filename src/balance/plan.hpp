// Plans for balancing queues: pure functions of how many tasks each of them has.
//
// The pool, the scheduler simulator and the nets of the lab plan with the same functions. Nothing here moves a
// task; a plan says how many are to be where, and which moves lead there. What the pool uses of this allocates nothing,
// but for the list of moves if it is too short.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace weft::inline v0::balance {

/// Whether the Multi Stealing Scheduler acts: somebody has nothing, and somebody has more than one.
[[nodiscard]] bool needs_balance(std::span<const std::size_t> sizes);

/// What each queue keeps at least, and how many of the first ones get one more.
struct share {
    std::size_t base;
    std::size_t extra;
};

/// With fewer tasks than queues the base is 1, and no queue gets an extra one: "total modulo queues" would then
/// take tasks away and give them back for ever.
[[nodiscard]] share share_of(std::size_t total, std::size_t queues);

/// Multi stealing, exactly: all above the base is collected, queues below it are filled up in their order, and the
/// first ones get one more.
void multi_steal(std::span<std::size_t> sizes);

/// The rule that the paper on multi stealing rejects: the tasks evenly from the first queue on, whoever had
/// them. With few tasks it takes them from those who have some, and leaves these idle.
void spread_evenly(std::span<std::size_t> sizes);

/// As even as multi stealing, with the fewest tasks moved: the larger shares go to those who have most.
void balance_least(std::span<std::size_t> sizes);

/// Multi stealing among those who have nothing and those who have more than one; who has one task keeps it.
void partial_multi_steal(std::span<std::size_t> sizes);

/// Every queue that has nothing gets one task, of the first that has more than one.
void single_steal(std::span<std::size_t> sizes);

struct move {
    std::size_t from;
    std::size_t to;
    std::size_t count;

    friend bool operator==(const move&, const move&) = default;
};

/// Appends the moves, as whole blocks, that lead from one to the other. Both have the same sum. At most one move less
/// than there are queues that change.
void moves_between(std::span<const std::size_t> before, std::span<const std::size_t> after,
                   std::vector<move>& moves);

/// How many tasks change their queue.
[[nodiscard]] std::size_t moved_between(std::span<const std::size_t> before,
                                        std::span<const std::size_t> after);

/// How many a thief takes who takes half. Without the cap, one queue of many tasks is copied from thief to thief.
[[nodiscard]] std::size_t half_of(std::size_t size, std::size_t cap = 256);

/// The queue with the most tasks, the first of them from `start` on; `sizes.size()` if all are empty.
[[nodiscard]] std::size_t richest(std::span<const std::size_t> sizes, std::size_t start = 0);

/// When a pool that steals one by one should plan for all at once: a quarter of the workers are idle, and there are
/// more tasks than these. Planning costs a look at every queue, and pays only if many are served by it.
[[nodiscard]] bool worth_a_plan(std::size_t idle, std::size_t workers, std::size_t queued);

} // namespace weft::inline v0::balance
