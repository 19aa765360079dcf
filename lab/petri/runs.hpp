// All runs of a net whose state space has no cycle: how many there are, and how long.
#pragma once

#include "petri/analysis.hpp"

#include <cstdint>
#include <functional>
#include <optional>

namespace weft::petri {

/// From the initial marking to a dead one.
struct all_runs {
    std::optional<std::uint64_t> count; // none if it takes more than 64 bits
    bounds weight;
};

/// `weight` says what a firing of each transition counts; the sums of whole runs are told. An error if the space has
/// a cycle.
[[nodiscard]] all_runs runs_of(const state_space& space,
                               const std::function<std::uint64_t(transition_index)>& weight);

} // namespace weft::petri
