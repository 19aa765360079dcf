// Where the places and transitions of the multi-stealing model are drawn.
#pragma once

#include "petri/net.hpp"

#include <cstddef>

namespace weft::models {

/// MSS above, the cores below beside each other, what they share at the bottom.
void draw_multi_stealing(petri::net& drawn, std::size_t cores);

} // namespace weft::models
