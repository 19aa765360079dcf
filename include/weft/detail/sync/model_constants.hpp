// Constants that are smaller in model builds.
//
// The model runs the code that ships. What it cannot run is a loop of 200 rounds or a table of 512
// places: every round and every place multiplies the interleavings. Such a constant has two values
// here, and the reason why the small one shows the same behaviour. A constant belongs in this table
// only if the code is right for every value of it: it decides when something is done, or how much
// at a time, never whether the result is right.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::inline v0::detail::constants {

/// The first value in normal builds, the second in model builds.
template <class T>
constexpr T shipped_or_model([[maybe_unused]] T shipped, [[maybe_unused]] T model) noexcept {
#ifdef WEFT_MODEL
    return model;
#else
    return shipped;
#endif
}

// How long a worker tries before it sleeps

/// finder::search: looks at all places before a worker sleeps. Two: one that may come too early,
/// and one after it.
inline constexpr unsigned search_rounds = shipped_or_model(200U, 2U);
/// helping: looks for something to help with before a worker sleeps in a join. As above.
inline constexpr unsigned help_rounds = shipped_or_model(400U, 2U);
/// registry: looks for a spare batch while another thread holds them all. One: to find none is
/// right too.
inline constexpr int spare_batch_rounds = shipped_or_model(100, 1);

// How much one worker may have under way

/// thread_stacks: side stacks of a worker. Two: one that waits, and one above it; the third is
/// refused.
inline constexpr std::size_t side_stacks = shipped_or_model<std::size_t>(16, 2);

// How often something rare is done

/// finder::find_near: picks from one look for the oldest to the next. Three: a few tasks reach it,
/// and not each does.
inline constexpr unsigned picks_between_oldest = shipped_or_model(64U, 3U);
/// finder::find_by_plan: rounds of a search between plans. One: with two rounds, the first must
/// plan.
inline constexpr unsigned rounds_between_plans = shipped_or_model(16U, 1U);

// How much room there is at first, or at most

/// pool_number: pools at one time that need no memory. One: a second pool takes the other way.
inline constexpr std::size_t pools_without_allocation = shipped_or_model<std::size_t>(16, 1);
/// source_list: sources of a pool. Three: two are attached while a third is there.
inline constexpr std::size_t most_sources = shipped_or_model<std::size_t>(64, 3);
/// task_deque: tasks before it grows. Two: a third task makes it grow.
inline constexpr std::size_t deque_capacity = shipped_or_model<std::size_t>(64, 2);
/// block_cache: blocks that go to the depot together. Two: the third that is freed fills a chain.
inline constexpr std::size_t task_chain = shipped_or_model<std::size_t>(512, 2);
inline constexpr std::size_t large_chain = shipped_or_model<std::size_t>(2048, 2);
/// block_depot: chains that it keeps. One: a second finds it full.
inline constexpr std::size_t task_chains = shipped_or_model<std::size_t>(64, 1);
inline constexpr std::size_t large_chains = shipped_or_model<std::size_t>(8, 1);
/// outside_blocks: chains in use by threads that are no workers. One: a second thread finds none.
inline constexpr std::size_t outside_cells = shipped_or_model<std::size_t>(16, 1);
/// registry: cells that are made together. Two: a third entry of a thread needs another batch.
inline constexpr std::size_t registry_batch = shipped_or_model<std::size_t>(256, 2);
/// pool: bytes of a worker's stack. Explored threads have a quarter of a MiB, whatever they ask
/// for.
inline constexpr std::size_t worker_stack =
    shipped_or_model(std::size_t{8} << 20, std::size_t{256} << 10);

/// timer_queue: timers that a worker fires, or links anew, before it looks for tasks. Two: a third
/// that is due is left for the next time.
inline constexpr std::size_t timers_at_once = shipped_or_model<std::size_t>(128, 2);

// Contracts

/// contract_store: contracts of a block, at most 32. Two: a batch has more than one, and the others
/// are as the second.
inline constexpr std::uint32_t block_width = shipped_or_model<std::uint32_t>(32, 2);
/// contract_store: blocks of the first segment. One: a third contract needs another segment.
inline constexpr std::size_t first_contract_blocks = shipped_or_model<std::size_t>(2, 1);
/// seat_list: seats that are made together. Two: a third thread needs another row.
inline constexpr std::size_t seats_in_row = shipped_or_model<std::size_t>(4, 2);
/// visit_order: stretches between looks at the other seats, and at slow batches. Small: a few
/// visits reach them.
inline constexpr unsigned stretches_between_looks = shipped_or_model(8U, 2U);
inline constexpr unsigned stretches_between_slow_looks = shipped_or_model(32U, 4U);
/// seat_list: further looks of a thread whose seat another has borrowed. One: to find none is right
/// too.
inline constexpr unsigned borrowed_seat_rounds = shipped_or_model(50U, 1U);
/// contract_core: microseconds that a batch may stay at one contract before another thread frees
/// the rest. None: time does not pass in a model, and that the batch is seen twice in one state
/// remains.
inline constexpr unsigned slow_batch_microseconds = shipped_or_model(20U, 0U);

} // namespace weft::inline v0::detail::constants
