// The positions of places and transitions in a drawing.
#pragma once

#include <weft/lab/net.hpp>

#include <vector>

namespace weft::inline v0::petri {

struct layout {
    std::vector<point> places;
    std::vector<point> transitions;
    double width = 0;
    double height = 0;
};

/// Nodes with a position keep it. The others are arranged in columns by their distance from the
/// marked places, and within a column near their neighbours.
[[nodiscard]] layout lay_out(const net& net);

/// The connection of a place and a transition.
struct drawn_arc {
    place_index place = 0;
    transition_index transition = 0;
    bool into_transition = false;
    bool out_of_transition = false;
    bool inhibits = false;
    bool reads = false;
    std::uint32_t weight = 1;
};
/// One for each pair of a place and a transition that are connected.
[[nodiscard]] std::vector<drawn_arc> drawn_arcs(const net& net);

} // namespace weft::inline v0::petri
