// Place invariants (sums that no firing changes) and transition invariants (firings that together
// change nothing).
#pragma once

#include "petri/net.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft::petri {

/// The number of tokens that each transition (column) adds to each place (row).
struct flow_matrix {
    std::size_t places = 0;
    std::size_t transitions = 0;
    std::vector<std::int64_t> changes; // row by row

    [[nodiscard]] std::int64_t change(std::size_t place, std::size_t transition) const {
        return changes[place * transitions + transition];
    }
};

/// The flow of a plain net, or of a coloured net in which the number of tokens moved does not
/// depend on their colours. None for other nets, and for nets that are too large.
[[nodiscard]] std::optional<flow_matrix> incidence(const net& net);

struct invariants {
    /// Non-negative, not all zero, of minimal support, divided by their greatest common divisor.
    std::vector<std::vector<std::int64_t>> vectors;
    /// False if there were too many to continue; those found are invariants nevertheless.
    bool complete = true;
};

/// Weights of places.
[[nodiscard]] invariants place_invariants(const flow_matrix& flow);
/// Counts of firings.
[[nodiscard]] invariants transition_invariants(const flow_matrix& flow);

[[nodiscard]] std::string place_invariant_text(const net& net,
                                               const std::vector<std::int64_t>& weights);
[[nodiscard]] std::string transition_invariant_text(const net& net,
                                                    const std::vector<std::int64_t>& counts);

} // namespace weft::petri
