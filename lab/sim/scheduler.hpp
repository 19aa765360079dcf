// A simulation of schedulers: a load, a number of cores, a stealing policy, and the cost of each
// operation.
#pragma once

#include "sim/load.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace weft::sim {

/// `random`, `half`, `multi` and `mss` are the pool's policies of these names. With `single`,
/// `partial`, `mss` and `frozen`, a central scheduler moves the tasks and no core steals.
enum class policy : std::uint8_t {
    random,  // a thief takes the oldest task of a random victim
    half,    // half of the tasks of a random victim
    richest, // the oldest task of the core with the most tasks
    single,  // each idle core gets one task
    partial, // idle cores and cores with several tasks are balanced
    mss,     // all cores are balanced: the Multi Stealing Scheduler of the paper
    frozen,  // as `mss`, while all cores are stopped, as the guards of the model require
    multi,   // as `random`, and a plan for all cores when many are idle and there are enough tasks
};

[[nodiscard]] std::string_view name_of(policy value);
[[nodiscard]] std::span<const policy> all_policies();
/// Throws std::invalid_argument with a list of the policies.
[[nodiscard]] policy read_policy(std::string_view name);

/// The cost of each operation, in nanoseconds.
struct costs {
    time pop = 10;         // from the core's own queue
    time push = 10;        // to the core's own queue
    time failed_try = 100; // a steal that finds nothing
    time steal = 300;      // a steal that succeeds
    time per_item = 20;    // each further task of the same steal
    time scan = 5;         // reading the size of one queue
    time plan = 40;        // for each core that gets tasks by a plan
    time barrier = 500;    // stopping all cores
    /// A thief doubles its wait after each consecutive failure, up to this. Equal to `failed_try`:
    /// no backoff.
    time most_backoff = 100;

    /// Everything is free except failed attempts, because time must pass between two of them.
    static costs none() { return {0, 0, 1, 0, 0, 0, 0, 0, 1}; }
};

struct metrics {
    time makespan = 0;
    time idle = 0; // summed over the cores
    std::uint64_t tasks = 0;
    std::uint64_t attempts = 0;
    std::uint64_t failures = 0;
    std::uint64_t moved = 0;
    std::uint64_t messages = 0;
    std::uint64_t rebalances = 0;
    time latency_99 = 0; // 99th percentile of the time from ready to start

    friend bool operator==(const metrics&, const metrics&) = default;
};

[[nodiscard]] metrics simulate(const load& workload, std::size_t cores, policy stealing,
                               std::uint64_t seed, const costs& prices = {});

/// The makespan of a greedy scheduler without costs: no core is idle while a task is ready.
[[nodiscard]] time greedy_makespan(const load& workload, std::size_t cores);

} // namespace weft::sim
