// A net as a page for the browser: drawn, and to be played with. The page is one file and asks for nothing else.
#pragma once

#include "petri/net.hpp"
#include "petri/trace.hpp"

#include <cstddef>
#include <string>

namespace weft::petri {

struct web_page_options {
    trace shown{}; // the trace that is loaded at first
    /// JavaScript that plays a coloured net: an expression whose value is a function of the net's description that gives
    /// an object with start, enabled(state), fire(state, choice), texts(state), counts(state) and perhaps
    /// tables(state). Without it the whole state space of a coloured net is put into the page.
    std::string script{};
    std::size_t most_markings = 20'000; // that are put into the page
};

/// An error if the net has colours, there is no script, and the state space is too large for a page.
[[nodiscard]] std::string web_page(net& net, const web_page_options& options = {});

} // namespace weft::petri
