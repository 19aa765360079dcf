// Why a graph cannot be run.
#pragma once

#include <weft/detail/graph/graph_core.hpp>
#include <weft/error.hpp>

#include <string>

namespace weft::inline v0::detail {

inline std::string quoted(const graph_core& graph, node_index index) {
    return '"' + graph.name_of(index) + '"';
}

[[noreturn]] inline void refuse(const std::string& reason) {
    throw error{errc::invalid_argument, "weft::graph, " + reason};
}

} // namespace weft::inline v0::detail
