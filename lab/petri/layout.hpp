// Where the parts of a net are drawn.
#pragma once

#include "petri/net.hpp"

#include <vector>

namespace weft::petri {

struct layout {
    std::vector<point> places;
    std::vector<point> transitions;
    double width = 0;
    double height = 0;
};

/// Those that have a position keep it. The others are put in columns, each in the one after the nearest that leads to it
/// from a marked place, and within columns near those they are connected with.
[[nodiscard]] layout lay_out(const net& net);

/// The places that a transition is connected with.
struct drawn_arc {
    place_index place = 0;
    transition_index transition = 0;
    bool into_transition = false;
    bool out_of_transition = false;
    bool inhibits = false;
    bool reads = false;
    std::uint32_t weight = 1;
};
/// One for each place and transition that have to do with each other.
[[nodiscard]] std::vector<drawn_arc> drawn_arcs(const net& net);

} // namespace weft::petri
