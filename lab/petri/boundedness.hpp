// Whether the number of tokens in a place is bounded.
#pragma once

#include <weft/lab/net.hpp>

#include <vector>

namespace weft::inline v0::petri {

/// Whether the arcs alone prove that every place is bounded: each is part of a sum that no
/// transition changes. If false, the net may be bounded or not.
[[nodiscard]] bool is_structurally_bounded(const net& net);

/// The places with more tokens in `later` than in `earlier`, if `later` contains all tokens of
/// `earlier`; otherwise none. If `later` is reachable from `earlier` and the net has no inhibitors,
/// these places are unbounded.
[[nodiscard]] std::vector<place_index> places_that_grew(const net& net, const marking& earlier,
                                                        const marking& later);

} // namespace weft::inline v0::petri
