#include "acts/graph/acts.hpp"
#include "acts/graph/runs.hpp"

namespace weft::demo::graph {

outcome serially(const settings& settings) {
    frame played;
    return measure(settings, for_some_runs, played, [&] {
        for (std::size_t each = 0; each != played.nodes().size(); ++each) played.run_node(each);
    });
}

} // namespace weft::demo::graph
