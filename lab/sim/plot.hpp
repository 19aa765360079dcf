// Results of simulations as JSON and as an SVG plot.
#pragma once

#include "sim/scheduler.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace weft::sim {

struct result {
    std::string load;
    sim::policy policy = sim::policy::random;
    std::size_t cores = 1;
    std::uint64_t seed = 1;
    work_law law;
    metrics found;

    /// The makespan divided by (work per core + span), the bound of a greedy scheduler.
    [[nodiscard]] double ratio() const;
};

[[nodiscard]] std::string json_of(const std::vector<result>& all);
/// Plots the ratio over the number of cores for the first load, one line for each policy.
[[nodiscard]] std::string svg_of(const std::vector<result>& all);

} // namespace weft::sim
