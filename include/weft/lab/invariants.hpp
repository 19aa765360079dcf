// Place invariants (sums that no firing changes) and transition invariants (firings that together
// change nothing).
#pragma once

#include <weft/api.hpp>
#include <weft/lab/net.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft::inline v0::petri {

/// The number of tokens that each transition (column) adds to each place (row).
struct flow_matrix {
    /// The number of rows.
    std::size_t places = 0;
    /// The number of columns.
    std::size_t transitions = 0;
    /// All numbers, row by row.
    std::vector<std::int64_t> changes;

    /// What one firing of the transition adds to the place.
    [[nodiscard]] std::int64_t change(std::size_t place, std::size_t transition) const {
        return changes[place * transitions + transition];
    }
};

/// The flow of a plain net, or of a coloured net in which the number of tokens moved does not
/// depend on their colours. None for other nets, and for nets that are too large.
[[nodiscard]] WEFT_API std::optional<flow_matrix> incidence(const net& net);

/// A generating set of invariants.
struct invariants {
    /// Non-negative, not all zero, of minimal support, divided by their greatest common divisor.
    std::vector<std::vector<std::int64_t>> vectors;
    /// False if there were too many to continue; those found are invariants nevertheless.
    bool complete = true;
};

/// Weights of places.
[[nodiscard]] WEFT_API invariants place_invariants(const flow_matrix& flow);
/// Counts of firings.
[[nodiscard]] WEFT_API invariants transition_invariants(const flow_matrix& flow);

/// The invariant as an equation, with the names of the places.
[[nodiscard]] WEFT_API std::string place_invariant_text(const net& net,
                                                        const std::vector<std::int64_t>& weights);
/// The invariant as a sum of transitions.
[[nodiscard]] WEFT_API std::string
transition_invariant_text(const net& net, const std::vector<std::int64_t>& counts);

} // namespace weft::inline v0::petri
