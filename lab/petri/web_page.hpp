// A net as an interactive page for the browser: a single file without external references.
#pragma once

#include "petri/net.hpp"
#include "petri/trace.hpp"

#include <cstddef>
#include <string>

namespace weft::petri {

struct web_page_options {
    trace shown{}; // the trace that is loaded initially
    /// JavaScript that plays a coloured net: an expression that is a function of the net's
    /// description and returns an object with start, enabled(state), fire(state, choice),
    /// texts(state), counts(state) and optionally tables(state). Without it, the state space of a
    /// coloured net is embedded in the page.
    std::string script{};
    std::size_t most_markings = 20'000; // the limit for an embedded state space
};

/// Throws an error if the net has colours, there is no script, and the state space exceeds the
/// limit.
[[nodiscard]] std::string web_page(net& net, const web_page_options& options = {});

} // namespace weft::petri
