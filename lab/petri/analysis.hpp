// A report on a net from its complete state space.
#pragma once

#include "petri/state_space.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace weft::petri {

struct bounds {
    std::uint64_t least = 0;
    std::uint64_t most = 0;

    friend bool operator==(const bounds&, const bounds&) = default;
};

/// For each token, its lowest and its highest count in any marking. `least` is the largest multiset
/// that the place contains in all markings; `most` is the smallest that contains all of its
/// contents.
struct multiset_bounds {
    std::vector<counted> least{};
    std::vector<counted> most{};
};

struct report {
    std::uint64_t markings = 0;
    std::uint64_t arcs = 0;
    std::uint64_t components = 0;          // strongly connected
    std::uint64_t terminal_components = 0; // that cannot be left
    bool acyclic = false;
    std::vector<bounds> place_bounds{};
    std::vector<multiset_bounds> place_multisets{}; // empty for places of plain tokens
    std::vector<std::uint32_t> dead_markings{};
    std::uint64_t home_markings = 0;                  // reachable from every marking
    std::vector<std::uint32_t> some_home{};           // the first of them
    std::vector<transition_index> dead_transitions{}; // never fire
    std::vector<transition_index> live_transitions{}; // can always fire again

    [[nodiscard]] bool has_home() const { return home_markings != 0; }
};

/// Throws an error if the state space is not complete.
[[nodiscard]] report analyse(const state_space& space);
[[nodiscard]] std::string report_text(const state_space& space, const report& result);

/// The lowest and the highest value of a function of the marking.
[[nodiscard]] bounds bounds_of(const state_space& space,
                               const std::function<std::uint64_t(const marking_view&)>& number);

} // namespace weft::petri
