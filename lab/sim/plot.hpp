// Results of simulations, for programs and as a picture.
#pragma once

#include "sim/scheduler.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace weft::sim {

struct result {
    std::string load;
    policy how = policy::random_one;
    std::size_t cores = 1;
    std::uint64_t seed = 1;
    work_law law;
    metrics found;

    /// The makespan over work per core plus span: 1 is as good as can be promised.
    [[nodiscard]] double ratio() const;
};

[[nodiscard]] std::string json_of(const std::vector<result>& all);
/// The ratio over the number of cores, a line for each policy, of the results' first load.
[[nodiscard]] std::string svg_of(const std::vector<result>& all);

} // namespace weft::sim
