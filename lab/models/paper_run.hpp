// The run printed in the paper on the Multi Stealing Scheduler: Tables 1, 2-A and 2-B.
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

/// A line of Table 2-A: the transition that fired, and the numbers of threads of the cores and in
/// the leaf list after it. `fired` is "MSS", or L (LTS) or M (Multiplier) with the number of the
/// core.
struct paper_step {
    std::string_view fired;
    std::array<std::size_t, 3> sizes;
    std::size_t leaves;
};
[[nodiscard]] std::span<const paper_step> paper_steps();

/// A line of Table 2-B: several of these steps at the same time.
struct paper_group {
    std::size_t first; // numbers of steps, from 1
    std::size_t last;
};
[[nodiscard]] std::span<const paper_group> paper_groups();

/// The name of the net's transition for a short name: "Core2.LTS" for "L2".
[[nodiscard]] std::string transition_of(std::string_view fired);
/// The short name of a transition: "L2" for "Core2.LTS".
[[nodiscard]] std::string short_name_of(std::string_view transition);
/// The name in the paper for a short name: "LTS-Core2" for "L2".
[[nodiscard]] std::string paper_name_of(std::string_view fired);

} // namespace weft::models
