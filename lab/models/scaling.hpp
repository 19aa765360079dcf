// How the steps of the multi-stealing model depend on the number of cores, and on how many threads
// one firing of LTS makes: the experiment that the paper proposes at the end of its discussion.
#pragma once

#include "models/problems.hpp"

#include <cstddef>
#include <cstdint>

namespace weft::models {

/// Means over some runs.
struct scaling_point {
    std::size_t cores = 1;
    std::size_t children = 4; // the most threads that a firing of LTS makes
    /// Transitions fired one by one, in random order: the lines of Table 2-A.
    double steps = 0;
    /// The fewest groups that such runs can be cut into: the lines of Table 2-B.
    double groups = 0;
    /// Steps of runs in which all that can fire together does.
    double concurrent_steps = 0;
    /// In those steps of such runs in which some core divides: the share of cores without a thread.
    /// MSS could not help there, else no core would divide.
    double idle = 0;
};

/// Runs the models with the seeds from 1 to `runs`.
[[nodiscard]] scaling_point measure_scaling(const matrix_product& product, std::size_t cores,
                                            std::size_t children, std::uint64_t runs);

} // namespace weft::models
