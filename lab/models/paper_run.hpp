// The run that the paper on the Multi Stealing Scheduler prints: its Tables 1, 2-A and 2-B.
#pragma once

#include "models/problems.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::models {

/// Table 1: a 4×5 matrix, a 5×6 matrix, and their product.
[[nodiscard]] matrix_product paper_product();
[[nodiscard]] matrix paper_result();

/// A line of Table 2-A: what fired, and how many threads the cores and the leaf list then have. `fired` is "MSS", or L or
/// M, for LTS or Multiplier, with the number of the core.
struct paper_step {
    std::string_view fired;
    std::array<std::size_t, 3> sizes;
    std::size_t leaves;
};
[[nodiscard]] std::span<const paper_step> paper_steps();

/// A line of Table 2-B: several of these steps at the same time. The sizes are those after the last of them.
struct paper_group {
    std::size_t first; // numbers of steps, from 1
    std::size_t last;
};
[[nodiscard]] std::span<const paper_group> paper_groups();

/// The transition of the net that "L2" or "MSS" means: "Core2.LTS", "MSS".
[[nodiscard]] std::string transition_of(std::string_view fired);
/// The other way round.
[[nodiscard]] std::string short_name_of(std::string_view transition);
/// As the paper prints it: "LTS-Core2", "Multiplier1".
[[nodiscard]] std::string paper_name_of(std::string_view fired);

} // namespace weft::models
