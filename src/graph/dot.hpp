// A graph in the DOT language of Graphviz.
#pragma once

#include <weft/detail/graph/graph_core.hpp>

#include <string>

namespace weft::inline v0::detail {

[[nodiscard]] std::string dot_of(const graph_core& graph);

} // namespace weft::inline v0::detail
