// A simulation of schedulers: one load, so many cores, a policy, and what each thing costs.
#pragma once

#include "sim/load.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace weft::sim {

enum class policy : std::uint8_t {
    random_one,  // a thief takes the oldest task of somebody at random
    random_half, // half of them
    richest,     // of whoever has most
    single,      // a scheduler for all gives each idle core one task
    partial,     // it balances idle and rich cores
    multi_steal, // it balances all cores
    frozen,      // the same, while all cores stand still, as the guards of the model want it
    hybrid, // random steals of one, and a plan for all when many are idle and there is work for them
};

[[nodiscard]] std::string_view name_of(policy which);
[[nodiscard]] std::span<const policy> all_policies();
/// Throws std::invalid_argument that names the policies there are.
[[nodiscard]] policy read_policy(std::string_view name);

/// Nanoseconds for each thing.
struct costs {
    time pop = 10;         // own queue
    time push = 10;        //
    time failed_try = 100; // of a steal
    time steal = 300;      // that succeeds
    time per_item = 20;    // each further task of a steal
    time scan = 5;         // a look at the queue of one core
    time plan = 40;        // for each core that is served by a plan
    time barrier = 500;    // all cores stand still
    /// After failed tries in a row a thief waits twice as long each time, up to this. As long as a try: it does not.
    time most_backoff = 100;

    /// Nothing costs anything but a failed try, for time must pass between two of them.
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
    time latency_99 = 0; // of 100 tasks, 99 are started within this after they became ready

    friend bool operator==(const metrics&, const metrics&) = default;
};

[[nodiscard]] metrics simulate(const load& what, std::size_t cores, policy how, std::uint64_t seed,
                               const costs& prices = {});

/// The time that a greedy scheduler takes for which nothing costs anything: no core is idle while a task is ready.
[[nodiscard]] time greedy_makespan(const load& what, std::size_t cores);

} // namespace weft::sim
