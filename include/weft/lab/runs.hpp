// The number of runs of a net whose state space has no cycle, and their lengths.
#pragma once

#include <weft/api.hpp>
#include <weft/lab/analysis.hpp>

#include <cstdint>
#include <functional>
#include <optional>

namespace weft::inline v0::petri {

/// All runs from the initial marking to a dead one.
struct all_runs {
    /// How many there are; none if the number exceeds 64 bits.
    std::optional<std::uint64_t> count;
    /// The lowest and the highest weight of a run.
    bounds weight;
};

/// `weight` is the weight of a firing of each transition; the result has the bounds of its sum over
/// a run. Throws an error if the space has a cycle.
[[nodiscard]] WEFT_API all_runs
runs_of(const state_space& space, const std::function<std::uint64_t(transition_index)>& weight);

} // namespace weft::inline v0::petri
