// Whether places can hold ever more tokens.
#pragma once

#include "petri/net.hpp"

#include <vector>

namespace weft::petri {

/// Whether the arcs alone show that no place can ever hold more than some number of tokens: every place is part
/// of a sum that no transition changes. False says nothing.
[[nodiscard]] bool is_structurally_bounded(const net& net);

/// The places of `later` with more tokens than in `earlier`, if it holds all tokens of `earlier`; else none.
/// Where `later` can be reached from `earlier` and nothing is inhibited, these places are unbounded.
[[nodiscard]] std::vector<place_index> places_that_grew(const net& net, const marking& earlier,
                                                        const marking& later);

} // namespace weft::petri
