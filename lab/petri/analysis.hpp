// What a complete state space says of its net, as a report.
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

/// Of each token as few and as many as there are in any marking, each for itself: the best multisets that are part of
/// the place's content in all markings, and of which it is a part.
struct multiset_bounds {
    std::vector<counted> least{};
    std::vector<counted> most{};
};

struct report {
    std::uint64_t markings = 0;
    std::uint64_t arcs = 0;
    std::uint64_t components = 0;          // strongly connected
    std::uint64_t terminal_components = 0; // without a way out
    bool acyclic = false;
    std::vector<bounds> place_bounds{};
    std::vector<multiset_bounds> place_multisets{}; // empty for places of plain tokens
    std::vector<std::uint32_t> dead_markings{};
    std::uint64_t home_markings = 0;                  // can be reached again from everywhere
    std::vector<std::uint32_t> some_home{};           // the first of them
    std::vector<transition_index> dead_transitions{}; // never occur
    std::vector<transition_index> live_transitions{}; // can always occur again

    [[nodiscard]] bool has_home() const { return home_markings != 0; }
};

/// Of a complete state space.
[[nodiscard]] report analyse(const state_space& space);
[[nodiscard]] std::string report_text(const state_space& space, const report& result);

/// The least and the most of a number that each marking has.
[[nodiscard]] bounds bounds_of(const state_space& space,
                               const std::function<std::uint64_t(const marking_view&)>& number);

} // namespace weft::petri
