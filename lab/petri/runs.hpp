// The number of runs of a net whose state space has no cycle, and their lengths.
#pragma once

#include "petri/analysis.hpp"

#include <cstdint>
#include <functional>
#include <optional>

namespace weft::petri {

/// All runs from the initial marking to a dead one.
struct all_runs {
    std::optional<std::uint64_t> count; // none if it exceeds 64 bits
    bounds weight;
};

/// `weight` is the weight of a firing of each transition; the result has the bounds of its sum over
/// a run. Throws an error if the space has a cycle.
[[nodiscard]] all_runs runs_of(const state_space& space,
                               const std::function<std::uint64_t(transition_index)>& weight);

} // namespace weft::petri
