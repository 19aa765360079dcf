// The drawing of the multi-stealing model.
#pragma once

#include <weft/lab/net.hpp>

#include <cstddef>

namespace weft::models {

/// Sets the positions: MSS at the top, the cores side by side below it, the shared places at the
/// bottom.
void draw_multi_stealing(petri::net& drawn, std::size_t cores);

} // namespace weft::models
